package clock

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/outage"
)

var zero = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

func second(n float64) time.Time { return zero.Add(time.Duration(n * float64(time.Second))) }

func took(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// part is a partition of telemetry with the replicas 1, 2 and 3.
func part(id, leader int, isr ...int) cluster.Partition {
	return cluster.Partition{Topic: "telemetry", ID: id, Leader: leader, Replicas: []int{1, 2, 3}, ISR: isr}
}

// look is what broker 2 tells at a moment.
func look(at float64, registered []int, partitions ...cluster.Partition) cluster.View {
	return cluster.View{At: second(at), Brokers: map[int]cluster.BrokerView{
		2: {Registered: registered, Topics: map[string][]cluster.Partition{"telemetry": partitions}},
	}}
}

func dark(at float64) cluster.View {
	return cluster.View{At: second(at), Silent: map[int]error{2: errors.New("no")}}
}

func timeline(views ...cluster.View) *cluster.Timeline {
	t := &cluster.Timeline{}
	for _, view := range views {
		t.Add(view)
	}
	return t
}

var (
	all   = []int{1, 2, 3}
	whole = []cluster.Partition{part(0, 1, 1, 2, 3), part(1, 2, 1, 2, 3)}
	left  = []cluster.Partition{part(0, 2, 2, 3), part(1, 2, 2, 3)}
)

// killed is broker 1 killed at second 10 of the timeline that is given.
func killed(views ...cluster.View) Case {
	return Case{
		Loss: Loss{Way: Missed, Settings: Defaults()}, InForce: Settings{Times: defaults}, Broker: 1, Topic: "telemetry", Before: whole,
		Asked: second(9.9), At: second(10), Now: second(60), Timeline: timeline(views...),
	}
}

func fencing() []cluster.View {
	return []cluster.View{look(1, all, whole...), look(18, all, whole...), look(19, all, whole...), look(19.5, []int{2, 3}, left...), look(20, []int{2, 3}, left...)}
}

func TestClusterClocks(t *testing.T) {
	c := killed(fencing()...)
	for _, r := range []Reading{c.Moved(), c.Shrunk(), c.Fenced()} {
		assert.True(t, r.Stopped, r.Clock)
		assert.Equal(t, took(9.5), r.Took, "%s counts from the loss, not from the asking", r.Clock)
		assert.Equal(t, c.Loss.Cluster(), r.Budget, r.Clock)
		assert.Equal(t, took(0.5), r.Resolution, r.Clock)
		require.NoError(t, r.Err())
	}
	t.Run("the uncertainty of the loss itself, is granted too", func(t *testing.T) {
		c := killed(fencing()...)
		c.Off = took(0.3)
		assert.Equal(t, took(0.8), c.Fenced().Resolution)
	})
	t.Run("one partition without a new leader, has not moved", func(t *testing.T) {
		offline := []cluster.Partition{part(0, -1, 1), part(1, 2, 2, 3)}
		c := killed(look(1, all, whole...), look(19, []int{2, 3}, offline...), look(20, []int{2, 3}, offline...))
		assert.False(t, c.Moved().Stopped)
		assert.Equal(t, took(50), c.Moved().Took, "until now")
		assert.True(t, c.Moved().Over())
		assert.True(t, c.Fenced().Stopped)
		assert.False(t, c.Shrunk().Stopped, "it is in the ISR of one")
		assert.Greater(t, c.LetGo().Budget.Total(), c.Shrunk().Budget.Total(), "lag is missed later than heartbeats")
	})
	t.Run("a clean shutdown, gives leaders away before the exit", func(t *testing.T) {
		c := killed(look(1, all, whole...), look(9.95, all, left...), look(11, []int{2, 3}, left...))
		assert.Equal(t, took(-0.05), c.Moved().Took)
		require.NoError(t, c.Moved().Err())
		assert.Equal(t, took(1), c.Fenced().Took)
	})
	t.Run("a change before the loss was begun, is not its", func(t *testing.T) {
		c := killed(look(1, []int{2, 3}, left...), look(5, all, whole...), look(30, all, whole...))
		assert.False(t, c.Fenced().Stopped)
	})
}

func TestRaisedSessionTimeoutIsOverTheDefaultBudget(t *testing.T) {
	c := killed(look(1, all, whole...), look(34.9, all, whole...), look(35, []int{2, 3}, left...), look(36, []int{2, 3}, left...))
	c.InForce = Settings{Times: map[string]time.Duration{sessionTimeout: 25 * time.Second}}
	for _, r := range []Reading{c.Moved(), c.Shrunk(), c.Fenced()} {
		require.ErrorContains(t, r.Err(), "seen: 25.0 s; in force: ", r.Clock)
		require.ErrorContains(t, r.Err(), "broker.session.timeout.ms is 25.0 s (default 9.0 s)", r.Clock)
		require.ErrorContains(t, r.Err(), "9.0 s default broker.session.timeout.ms", r.Clock)
	}
	c.Loss.Settings = Settings{Times: map[string]time.Duration{sessionTimeout: 25 * time.Second}}
	require.NoError(t, c.Fenced().Err(), "the budget of the settings in force")
}

func TestRefilled(t *testing.T) {
	back := append(fencing(), look(40, all, left...), look(43, all, left[0], part(1, 2, 2, 3, 1)), look(47, all, left...), look(47.4, all, whole...))
	c := killed(append(back, look(50, all, whole...))...)
	c.Returned = second(40)
	assert.Equal(t, took(7.4), c.Refilled().Took, "the last ISR counts")
	require.NoError(t, c.Refilled().Err())
	c.Returned = second(38)
	require.ErrorContains(t, c.Refilled().Err(), "wanted: in every ISR again, from its registration within 8.9 s")
	t.Run("not yet, is over only after its budget and a look", func(t *testing.T) {
		c := killed(fencing()...)
		c.Returned, c.Now = second(40), second(50.5)
		assert.False(t, c.Refilled().Over())
		require.Error(t, c.Refilled().Err())
		c.Now = second(50.6)
		assert.True(t, c.Refilled().Over())
	})
}

func TestBrokerThatIsInNoISR(t *testing.T) {
	without := []cluster.Partition{{Topic: "telemetry", Leader: 2, Replicas: []int{2, 3}, ISR: []int{2, 3}}}
	t.Run("no replica, nothing to leave and nothing to be in again", func(t *testing.T) {
		c := killed(look(1, all, without...), look(20, []int{2, 3}, without...), look(40, all, without...), look(41, all, without...))
		c.Before, c.Returned = without, second(40)
		for _, r := range []Reading{c.Shrunk(), c.LetGo()} {
			require.EqualError(t, r.Err(), "broker 1 was in no ISR of telemetry before its loss, so it could leave none")
			assert.True(t, r.Decided())
		}
		require.EqualError(t, c.Refilled().Err(), "broker 1 had no replica of telemetry before its loss, so there is no ISR to be in again")
	})
	t.Run("out of the ISR before, leaves none and may come in again", func(t *testing.T) {
		c := killed(look(1, all, left...), look(20, []int{2, 3}, left...), look(40, all, left...), look(42, all, whole...), look(43, all, whole...))
		c.Before, c.Returned = left, second(40)
		require.ErrorContains(t, c.Shrunk().Err(), "was in no ISR")
		require.NoError(t, c.Refilled().Err())
	})
	t.Run("never left, is not in it again", func(t *testing.T) {
		c := killed(look(1, all, whole...), look(60, all, whole...))
		c.Returned = second(40)
		require.EqualError(t, c.Refilled().Err(), "broker 1 was not seen to leave any ISR of telemetry, so it was in every ISR all the time, not again")
		assert.True(t, c.Refilled().Decided())
		assert.False(t, c.Refilled().Over())
		assert.Contains(t, Table("clocks", []Reading{c.Refilled()}), "was not seen to leave any ISR")
	})
	t.Run("left only after it was full, is not in it again", func(t *testing.T) {
		c := killed(look(1, all, whole...), look(41, all, whole...), look(45, all, left...), look(50, all, whole...), look(51, all, whole...))
		c.Returned = second(40)
		require.ErrorContains(t, c.Refilled().Err(), "was not seen to leave any ISR")
	})
	t.Run("out of one ISR only, is in it again", func(t *testing.T) {
		c := killed(look(1, all, whole...), look(14, all, whole[0], left[1]), look(42, all, whole...), look(43, all, whole...))
		c.Returned = second(40)
		require.NoError(t, c.Refilled().Err())
	})
}

// acked is a ledger of acknowledgements, each sent right before.
type acked []struct {
	partition int32
	offset    int64
	at        float64
}

func (a acked) Each() iter.Seq2[*ledger.Entry, error] {
	entries := ledger.Entries{
		{Kind: ledger.KindHeader, Header: ledger.Header{Version: ledger.Version, Run: 1, Topic: "telemetry"}},
		{Kind: ledger.KindProducer, Info: ledger.ProducerInfo{Acks: "all"}},
	}
	for i, one := range a {
		entries = append(entries,
			ledger.Entry{Kind: ledger.KindAttempt, At: took(one.at), Sequence: uint64(i + 1), Vehicle: "veh0"},
			ledger.Entry{Kind: ledger.KindAcknowledged, At: took(one.at), Sequence: uint64(i + 1), Partition: one.partition, Offset: one.offset})
	}
	return entries.Each()
}

func measured(t *testing.T, c Case, book Book) (gap, written Reading) {
	t.Helper()
	seen, err := c.Seen(book)
	require.NoError(t, err)
	return c.Gap(book, seen), c.Written(book, seen)
}

func TestClientClocks(t *testing.T) {
	steady := acked{{0, 0, 9.8}, {1, 0, 9.85}, {1, 1, 19.6}, {0, 1, 21.3}, {0, 2, 21.4}, {1, 2, 21.5}}
	t.Run("told by the timeline, the first after the new leader was seen", func(t *testing.T) {
		gap, written := measured(t, killed(fencing()...), Book{Ledger: steady, Zero: zero})
		assert.True(t, gap.Stopped && written.Stopped)
		assert.Equal(t, took(11.4), gap.Took)
		assert.Equal(t, "telemetry-0", gap.Where)
		assert.Equal(t, took(11.3), written.Took)
		require.NoError(t, gap.Err())
		require.NoError(t, written.Err())
	})
	t.Run("told by the log, the first offset of a higher leader epoch", func(t *testing.T) {
		_, written := measured(t, killed(fencing()...), Book{Ledger: steady, Zero: zero, Starts: map[int32]int64{0: 2}})
		assert.Equal(t, took(11.4), written.Took)
	})
	t.Run("right after the loss, is not over and has not stopped", func(t *testing.T) {
		c := killed(look(1, all, whole...), look(10.5, all, whole...))
		c.Now = second(10.6)
		gap, written := measured(t, c, Book{Ledger: steady[:2], Zero: zero})
		for _, r := range []Reading{gap, written} {
			assert.False(t, r.Stopped || r.Over(), r.Clock)
			require.Error(t, r.Err())
		}
	})
	t.Run("a partition never written again, is over in the end", func(t *testing.T) {
		gap, written := measured(t, killed(fencing()...), Book{Ledger: steady[:3], Zero: zero})
		for _, r := range []Reading{gap, written} {
			assert.False(t, r.Stopped, r.Clock)
			require.ErrorContains(t, r.Err(), "not in 50.0 s")
		}
		assert.Equal(t, "telemetry-0", written.Where)
	})
	t.Run("a follower's partition that waits for the ISR, counts as a gap", func(t *testing.T) {
		gap, _ := measured(t, killed(fencing()...), Book{Ledger: acked{{0, 0, 9.9}, {1, 0, 9}, {0, 1, 20}, {1, 1, 31}}, Zero: zero})
		assert.Equal(t, "telemetry-1", gap.Where)
		require.ErrorContains(t, gap.Err(), "seen: 21.1 s (telemetry-1)")
	})
	returned := func(at float64, views ...cluster.View) Case {
		c := killed(views...)
		c.Returned = second(at)
		return c
	}
	t.Run("nobody wrote after the loss, has not stopped though the broker is back", func(t *testing.T) {
		gap, _ := measured(t, returned(40, fencing()...), Book{Ledger: steady[:2], Zero: zero})
		assert.False(t, gap.Stopped)
		require.ErrorContains(t, gap.Err(), "seen: not in 50.0 s (nobody wrote to telemetry after the loss)")
	})
	t.Run("one partition acknowledged nothing after the loss, has not stopped though the broker is back", func(t *testing.T) {
		gap, _ := measured(t, returned(40, fencing()...), Book{Ledger: steady[:3], Zero: zero})
		assert.False(t, gap.Stopped)
		require.ErrorContains(t, gap.Err(), "(telemetry-0 not acknowledged since it left every ISR)")
	})
	t.Run("a last acknowledgement right after the loss, has not stopped though the broker is back", func(t *testing.T) {
		gap, _ := measured(t, returned(15, look(1, all, whole...), look(60, all, whole...)),
			Book{Ledger: acked{{0, 0, 9.8}, {1, 0, 10.1}, {0, 1, 10.2}, {0, 2, 16}}, Zero: zero})
		assert.False(t, gap.Stopped)
		require.ErrorContains(t, gap.Err(), "(telemetry-1 not acknowledged since its return)")
	})
	t.Run("writing went on after the return of a broker that never left, has stopped", func(t *testing.T) {
		gap, _ := measured(t, returned(15, look(1, all, whole...), look(60, all, whole...)),
			Book{Ledger: acked{{0, 0, 9.8}, {1, 0, 10.1}, {0, 1, 16}, {1, 1, 17.1}}, Zero: zero})
		require.NoError(t, gap.Err())
		assert.Equal(t, took(7), gap.Took)
	})
	t.Run("writing went on before the return, has stopped", func(t *testing.T) {
		gap, _ := measured(t, returned(40, fencing()...), Book{Ledger: steady, Zero: zero})
		require.NoError(t, gap.Err())
		assert.Equal(t, took(11.4), gap.Took)
	})
	t.Run("a broker that led nothing, has no partition to be written again", func(t *testing.T) {
		c := killed(fencing()...)
		c.Broker = 3
		assert.Empty(t, c.Led())
	})
	t.Run("a ledger that cannot be read, is an error", func(t *testing.T) {
		_, err := killed(fencing()...).Seen(Book{Ledger: bad{}, Zero: zero})
		require.ErrorContains(t, err, "line 3")
	})
}

func TestReelected(t *testing.T) {
	active := func(at float64, leader int, registered ...int) cluster.View {
		v := look(at, registered, whole...)
		v.Quorum.Leader = leader
		return v
	}
	for name, c := range map[string]struct {
		before int
		views  []cluster.View
		want   float64
	}{
		"another was active and stays":                     {2, []cluster.View{active(1, 2, 1, 2, 3), active(20, 2, 2, 3)}, 0},
		"the lost one was active, its successor is owed":   {1, []cluster.View{active(1, 1, 1, 2, 3), active(12, -1, 1, 2, 3), active(13, 2, 1, 2, 3), active(25, 2, 2, 3)}, 0},
		"a second one after that, is not":                  {1, []cluster.View{active(1, 1, 1, 2, 3), active(13, 2, 1, 2, 3), active(15, 3, 1, 2, 3), active(27, 3, 2, 3)}, 5},
		"another was active and is replaced":               {2, []cluster.View{active(1, 2, 1, 2, 3), active(14, 3, 1, 2, 3), active(25, 3, 2, 3)}, 4},
		"replaced when the broker was fenced, delayed nil": {2, []cluster.View{active(1, 2, 1, 2, 3), active(20, 2, 2, 3), active(22, 3, 2, 3)}, 0},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, took(c.want), killed(c.views...).Reelected(c.before)) })
	}
}

type bad struct{}

func (bad) Each() iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) { yield(nil, errors.New("line 3: bad")) }
}

var _ outage.Ledger = bad{}

func TestCauses(t *testing.T) {
	way := func(w Way, views ...cluster.View) Case {
		c := killed(views...)
		c.Loss.Way = w
		return c
	}
	lagging := []cluster.Partition{part(0, 1, 1, 2, 3), part(1, 2, 2, 3)} // it leads its own still
	for name, c := range map[string]struct {
		loss Case
		want map[Cause][]int
	}{
		"killed, missed and fenced":                         {way(Missed, fencing()...), map[Cause][]int{Fenced: {0, 1}}},
		"paused, missed and fenced":                         {way(Frozen, fencing()...), map[Cause][]int{Fenced: {0, 1}}},
		"shut down, out of the ISR while registered":        {way(HandsOver, look(1, all, whole...), look(9.95, all, left...), look(11, []int{2, 3}, left...)), map[Cause][]int{ShutDown: {0, 1}}},
		"shut down, all seen in one look across the exit":   {way(HandsOver, look(9, all, whole...), look(10.5, []int{2, 3}, left...), look(11, []int{2, 3}, left...)), map[Cause][]int{ShutDown: {0, 1}}},
		"shut down, nobody answers around the exit":         {way(HandsOver, look(9.95, all, whole...), dark(10.1), look(12, []int{2, 3}, left...)), map[Cause][]int{ShutDown: {0, 1}}},
		"shut down, nothing handed over, fenced later":      {way(HandsOver, fencing()...), map[Cause][]int{Fenced: {0, 1}}},
		"paused, behind, registered and leading":            {way(Frozen, look(1, all, whole...), look(14, all, lagging...), look(15, all, lagging...)), map[Cause][]int{Lagged: {1}}},
		"paused, behind in one, fenced out of the other":    {way(Frozen, look(1, all, whole...), look(14, all, lagging...), look(19.5, []int{2, 3}, left...), look(20, []int{2, 3}, left...)), map[Cause][]int{Lagged: {1}, Fenced: {0}}},
		"shutting down, behind in one while it leads still": {way(HandsOver, look(1, all, whole...), look(9.95, all, lagging...), look(9.99, all, left...), look(10.5, all, left...)), map[Cause][]int{Lagged: {1}, ShutDown: {0}}},
		"not lost at all":                                   {way(Frozen, look(1, all, whole...), look(60, all, whole...)), map[Cause][]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			causes, err := c.loss.Causes()
			require.NoError(t, err)
			assert.Equal(t, c.want, causes)
		})
	}
	t.Run("brokers that tell different things of who is registered, is an error", func(t *testing.T) {
		split := look(19.5, []int{2, 3}, left...)
		split.Brokers[3] = cluster.BrokerView{Registered: all, Topics: split.Brokers[2].Topics}
		_, err := way(Missed, look(1, all, whole...), split, look(20, all, left...)).Causes()
		require.ErrorContains(t, err, "why broker 1 left is not known: broker 2 sees brokers [2 3], broker 3 sees [1 2 3]")
	})
	c := Case{Broker: 1, Topic: "telemetry"}
	assert.Equal(t, "left the ISR of telemetry-0,3 because it was fenced; left the ISR of telemetry-1 because it lagged",
		c.Tell(map[Cause][]int{Fenced: {0, 3}, Lagged: {1}}))
	assert.Equal(t, "left no ISR", c.Tell(nil))
	c.Before = whole
	assert.Equal(t, "left every ISR because it was shut down", c.Tell(map[Cause][]int{ShutDown: {0, 1}}))
	assert.Equal(t, "left the ISR of telemetry-1 because it lagged", c.Tell(map[Cause][]int{Lagged: {1}}))
}
