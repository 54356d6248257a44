package steps

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/cluster"
)

// quorumLedBy is a quorum of voters, each with the same end of its log, and of observers.
func quorumLedBy(leader int, voters, observers []int) cluster.Quorum {
	q := cluster.Quorum{Leader: leader, Epoch: 3, HighWatermark: 100}
	for _, id := range voters {
		q.Voters = append(q.Voters, cluster.QuorumReplica{ID: id, LogEndOffset: 100, Directory: "d", Endpoints: []string{"C://c"}})
	}
	for _, id := range observers {
		q.Observers = append(q.Observers, cluster.QuorumReplica{ID: id, LogEndOffset: 100})
	}
	return q
}

func TestQuorumStates(t *testing.T) {
	three, one, none := quorumLedBy(1, []int{1, 2, 3}, nil), quorumLedBy(1, []int{1}, []int{2, 3}), quorumLedBy(-1, nil, nil)
	behind := quorumLedBy(1, []int{1, 2, 3}, nil)
	behind.Voters[2].LogEndOffset = 99
	left := quorumLedBy(1, []int{1, 2}, []int{3})
	left.Observers[0].Silent = time.Minute
	for _, c := range []struct {
		sentence string
		quorum   cluster.Quorum
		want     bool
	}{
		{"the voters are brokers 1, 2 and 3", three, true},
		{"the voters are brokers 1, 2 and 3", one, false},
		{"the voters are brokers 1 and 2", three, false},
		{"the voters are brokers 1, 2 and 3", none, false},
		{"the only voter is broker 1", one, true},
		{"the only voter is broker 1", three, false},
		{"the observers are brokers 2 and 3", one, true},
		{"the only observer is broker 3", one, false},
		{"the only observer is broker 3", left, false},
		{"no broker is an observer", three, true},
		{"no broker is an observer", left, true},
		{"no broker is an observer", one, false},
		{"no broker is an observer", none, false},
		{"within 1 seconds no voter is behind the active controller", three, true},
		{"within 1 seconds no voter is behind the active controller", behind, false},
		{"within 1 seconds no voter is behind the active controller", none, false},
		{"there is no active controller", none, true},
		{"there is no active controller", one, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			view := seen(part(0, 1, 1, 2, 3))
			view.Quorum = c.quorum
			err := run(watching(t, view).World, "Then "+c.sentence)
			assert.Equal(t, c.want, err == nil, "%v", err)
		})
	}
}

func TestEveryBrokerTellsTheClusterID(t *testing.T) {
	const sentence = "Then every broker tells the id that the cluster was formatted with"
	view := func(ids ...string) cluster.View {
		v := seen()
		for i, id := range ids {
			told := v.Brokers[2]
			told.ClusterID = id
			v.Brokers[i+1] = told
		}
		return v
	}
	for name, c := range map[string]struct {
		view cluster.View
		want bool
	}{
		"all the same, holds":              {view("abc", "abc", "abc"), true},
		"one of another cluster, does not": {view("abc", "xyz", "abc"), false},
		"nobody answers, does not":         {cluster.View{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := watching(t, c.view)
			w.cluster = &cluster.Cluster{KafkaID: "abc"}
			err := run(w.World, sentence)
			assert.Equal(t, c.want, err == nil, "%v", err)
		})
	}
}

func TestStatusIsOf(t *testing.T) {
	q := quorumLedBy(1, []int{1, 2, 3}, nil)
	good := func() cluster.Status {
		return cluster.Status{ClusterID: "abc", Leader: 1, Epoch: 3, HighWatermark: 100, Voters: quorumLedBy(1, []int{3, 1, 2}, nil).Voters}
	}
	require.NoError(t, statusIsOf(good(), "abc", []int{1, 2, 3}, q, q))
	for name, c := range map[string]struct {
		spoil func(*cluster.Status)
		says  string
	}{
		"cluster id":         {func(s *cluster.Status) { s.ClusterID = "xyz" }, "wanted: ClusterId abc; seen: xyz"},
		"leader":             {func(s *cluster.Status) { s.Leader = 2 }, "wanted: LeaderId 1; seen: 2"},
		"epoch":              {func(s *cluster.Status) { s.Epoch = 4 }, "wanted: LeaderEpoch 3; seen: 4"},
		"high watermark":     {func(s *cluster.Status) { s.HighWatermark = 99 }, "wanted: HighWatermark between 100 and 100; seen: 99"},
		"lag":                {func(s *cluster.Status) { s.Lag = 2 }, "wanted: MaxFollowerLag 0"},
		"voter that is none": {func(s *cluster.Status) { s.Voters = s.Voters[:2] }, "wanted: CurrentVoters"},
		"directory":          {func(s *cluster.Status) { s.Voters[0].Directory = "e" }, "3 in e at"},
		"endpoint":           {func(s *cluster.Status) { s.Voters[0].Endpoints = nil }, "3 in d at []"},
	} {
		t.Run("another "+name+", is told", func(t *testing.T) {
			status := good()
			c.spoil(&status)
			require.ErrorContains(t, statusIsOf(status, "abc", []int{1, 2, 3}, q, q), c.says)
		})
	}
	t.Run("voters that are too many, are told", func(t *testing.T) {
		require.ErrorContains(t, statusIsOf(good(), "abc", []int{1, 2}, q, q), "wanted: CurrentVoters")
	})
	t.Run("quorum that elects meanwhile, has no one status", func(t *testing.T) {
		later := q
		later.Epoch = 4
		require.EqualError(t, statusIsOf(good(), "abc", []int{1, 2, 3}, q, later), "the quorum went from epoch 3 to epoch 4 meanwhile")
	})
}

func TestKnownAs(t *testing.T) {
	voter := quorumLedBy(1, []int{1}, nil).Voters[0]
	require.NoError(t, knownAs(voter, "d", "C://c"))
	require.EqualError(t, knownAs(voter, "e", "C://c"), `wanted: voter 1 with directory "e" at [C://c]; seen: "d" at [C://c]`)
	require.ErrorContains(t, knownAs(voter, "d", "C://other"), "wanted: voter 1")
	require.ErrorContains(t, knownAs(cluster.QuorumReplica{ID: 1}, "d", "C://c"), `seen: "" at []`)
}

func TestRemovedVoter(t *testing.T) {
	w := world(t)
	_, err := w.parseAnyBrokers("the removed voter")
	require.EqualError(t, err, "no broker was removed from the voters in this scenario")
	w.removed = 2
	ids, err := w.parseAnyBrokers("the removed voter")
	require.NoError(t, err)
	assert.Equal(t, []int{2}, ids)
}

func TestDirectoryOfABrokerThatWasNotLost(t *testing.T) {
	w := world(t)
	w.played["broker 2"] = 2 // it was added to the voters
	require.EqualError(t, run(w, "Then broker 2 has another directory id than before its loss"), "broker 2 was not lost in this scenario")
}

func TestStaticVotersAreNotChanged(t *testing.T) {
	for _, change := range []string{"is added to the voters", "is added to the voters by kafka-metadata-quorum.sh", "is removed from the voters"} {
		err := run(watching(t, seen(part(0, 1, 1, 2, 3))).World, "When broker 2 "+change)
		require.EqualError(t, err, "this cluster's voters are static (kraft.version 0); "+
			"begin with 'Given three brokers with a dynamic quorum of one voter, all in sync'", change)
	}
}

func TestRefusedSaying(t *testing.T) {
	lagging := errors.Join(kerr.RequestTimedOut, errors.New("the new voter since it is lagging behind"))
	const bare, quoting = "Then the request is refused with REQUEST_TIMED_OUT", `Then the request is refused with REQUEST_TIMED_OUT, saying "lagging"`
	for name, c := range map[string]struct {
		refusal        error
		sentence, says string
	}{
		"time-out for that cause, holds":         {timedOut{lagging}, quoting, ""},
		"time-out for another cause, does not":   {timedOut{kerr.RequestTimedOut}, quoting, `wanted: refused with REQUEST_TIMED_OUT, saying "lagging"; seen: REQUEST_TIMED_OUT`},
		"time-out, whatever the cause, does not": {timedOut{lagging}, bare, "a time-out tells nothing: quote what it must say"},
		"another refusal, does not":              {kerr.DuplicateVoter, quoting, "wanted: refused with REQUEST_TIMED_OUT; seen: DUPLICATE_VOTER"},
		"no refusal, does not":                   {nil, quoting, "seen: the request was granted, or none was made"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.refusal = c.refusal
			err := run(w, c.sentence)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}
