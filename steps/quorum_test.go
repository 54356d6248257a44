package steps

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
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
	left := quorumLedBy(1, []int{1, 2}, []int{3})
	left.Observers[0].Silent = time.Minute
	replaced := quorumLedBy(1, []int{1, 2, 3}, []int{1}) // a new disk, whose broker has been silent since
	replaced.Observers[0].Silent = time.Minute
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
		{"no broker is an observer", left, false},
		{"no broker is an observer", replaced, false},
		{"no broker is an observer", one, false},
		{"no broker is an observer", none, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			view := seen(part(0, 1, 1, 2, 3))
			view.Quorum = c.quorum
			err := run(watching(t, view).World, "Then "+c.sentence)
			assert.Equal(t, c.want, err == nil, "%v", err)
		})
	}
}

// gone is the view without a broker; cutOff is the view in which it is cut off from the controllers.
func gone(v cluster.View, id int) cluster.View {
	delete(v.Brokers, id)
	return v
}

func cutOff(v cluster.View, id int) cluster.View {
	v.Apart = map[int]cluster.BrokerView{id: v.Brokers[id]}
	return gone(v, id)
}

// One look does not tell who follows: a voter that is gone may have had all that there was.
func TestNoVoterIsBehind(t *testing.T) {
	const sentence = "Then within 10 seconds no voter is behind the active controller"
	told := func(leader int, ends ...int64) cluster.Quorum {
		q := cluster.Quorum{Leader: leader, HighWatermark: 100}
		for i, end := range ends {
			q.Voters = append(q.Voters, cluster.QuorumReplica{ID: i + 1, LogEndOffset: end})
		}
		return q
	}
	for name, c := range map[string]struct {
		first, then cluster.Quorum
		says        string
	}{
		"all get past the first end, holds":       {told(1, 100, 100, 99), told(1, 103, 102, 101), ""},
		"one stands still, does not":              {told(1, 100, 100, 100), told(1, 103, 103, 100), "not past offset 100: [voter 3 at 100]"},
		"nothing is written, does not":            {told(1, 100, 100, 100), told(1, 100, 100, 100), "not past offset 100"},
		"the first to tell, sets the end":         {told(-1), told(2, 103, 102, 101), "not past offset 102"},
		"nobody tells, does not":                  {told(-1), told(-1), "there is no active controller to tell"},
		"a voter alone, is told":                  {told(1, 100), told(1, 103), "there is only one voter"},
		"the active controller votes not, counts": {cluster.Quorum{Leader: 7, HighWatermark: 90, Voters: told(7, 90, 90).Voters}, told(7, 91, 92), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				view := seen(part(0, 1, 1, 2, 3))
				view.Quorum = c.first
				w := watching(t, view)
				time.AfterFunc(time.Second, func() {
					later := view
					later.Quorum = c.then
					w.present.Store(&later)
				})
				err := run(w.World, sentence)
				<-time.After(time.Minute)
				if c.says == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, c.says)
			})
		})
	}
}

// That nobody tells of an active controller is no proof: those who ask may still be trying the one that is gone.
func TestNoActiveController(t *testing.T) {
	told := func(leader int, voters []int, partitions ...cluster.Partition) cluster.View {
		v := seen(partitions...)
		v.Quorum = quorumLedBy(leader, voters, nil)
		return v
	}
	full, moved := part(0, 1, 1, 2, 3), part(0, 2, 2, 3)
	unregistered := told(-1, nil, full)
	for id, b := range unregistered.Brokers {
		b.Registered = []int{2, 3}
		unregistered.Brokers[id] = b
	}
	for name, c := range map[string]struct {
		before, now cluster.View
		run         []int
		says        string
	}{
		"the only voter is gone, holds":               {told(1, []int{1}, full), told(-1, nil, full), []int{2, 3}, ""},
		"one of three voters is gone, proves nothing": {told(1, []int{1, 2, 3}, full), told(-1, nil, full), []int{2, 3}, "2 of 3 voters run, [2 3], which is a majority"},
		"and others lead since, proves nothing":       {told(1, []int{1, 2, 3}, full), told(-1, nil, moved), []int{2, 3}, "which is a majority"},
		"two of three voters are gone, holds":         {told(1, []int{1, 2, 3}, full), told(-1, nil, full), []int{3}, ""},
		"none runs, but one is told, does not":        {told(1, []int{1}, full), told(1, []int{1}, full), nil, "wanted"},
		"none runs, but others lead, does not":        {told(1, []int{1}, full), told(-1, nil, moved), nil, "wanted"},
		"none runs, but one is fenced, does not":      {told(1, []int{1}, full), unregistered, nil, "wanted"},
		"nobody answers, proves nothing":              {told(1, []int{1}, full), cluster.View{Quorum: cluster.Quorum{Leader: -1}}, nil, "no broker answers"},
		"none was ever told, proves nothing":          {told(-1, nil, full), told(-1, nil, full), nil, "no active controller was seen in this scenario"},
	} {
		for _, form := range []string{"", "for 15 seconds "} {
			t.Run(name+", "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := watching(t, c.now)
					w.runs = func(_ context.Context, node int) (bool, error) { return slices.Contains(c.run, node), nil }
					w.timeline.Add(c.before)
					w.timeline.Add(c.now)
					err := run(w.World, "Then "+form+"there is no active controller")
					if c.says == "" {
						require.NoError(t, err)
						return
					}
					require.ErrorContains(t, err, c.says)
				})
			})
		}
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
		"all the same, holds":               {view("abc", "abc", "abc"), true},
		"one of another cluster, does not":  {view("abc", "xyz", "abc"), false},
		"nobody answers, does not":          {cluster.View{}, false},
		"one is silent, does not":           {view("abc", "", "abc"), false},
		"one is gone, does not":             {gone(view("abc", "abc", "abc"), 2), false},
		"one cut off, tells, holds":         {cutOff(view("abc", "abc", "abc"), 2), true},
		"one cut off, of another, does not": {cutOff(view("abc", "xyz", "abc"), 2), false},
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
		"time-out for that cause, holds":         {&timedOutError{lagging}, quoting, ""},
		"time-out for another cause, does not":   {&timedOutError{kerr.RequestTimedOut}, quoting, `wanted: refused with REQUEST_TIMED_OUT, saying "lagging"; seen: REQUEST_TIMED_OUT`},
		"time-out, whatever the cause, does not": {&timedOutError{lagging}, bare, "a time-out tells nothing: quote what it must say"},
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
