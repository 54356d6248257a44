package cluster

import (
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var zero = time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)

func second(n float64) time.Time { return zero.Add(time.Duration(n * float64(time.Second))) }

// ledFrom is a look at a moment at which broker leader leads telemetry-0.
func ledFrom(s float64, leader int) View {
	return View{At: second(s), Brokers: map[int]BrokerView{2: sees(at(0, leader, 2, 3))}}
}

func ledBy(leader int) func(View) bool {
	return func(v View) bool {
		partitions, err := v.Topic("telemetry")
		return err == nil && partitions[0].Leader == leader
	}
}

func TestTimelineFirstSince(t *testing.T) {
	dark := func(s float64) View { return View{At: second(s), Silent: map[int]error{2: errors.New("no")}} }
	change := []View{ledFrom(1, 1), ledFrom(2, 1), ledFrom(5, 2), ledFrom(6, 2)} // leader 1, from second 5 on leader 2
	for name, c := range map[string]struct {
		looks  []View
		moment float64
		leader int
		want   float64 // seconds; 0 when the state must not be found
	}{
		"state, comes after the moment, is found when it came":          {change, 3, 2, 5},
		"state, in force at the moment, counts from the moment":         {change, 3, 1, 3},
		"state, comes exactly at the moment, is found there":            {change, 5, 2, 5},
		"state, ended exactly at the moment, is not found":              {change, 5, 1, 0},
		"state, ended before the moment, is not found":                  {change, 5.5, 1, 0},
		"state, the latest and seen again after the moment, is found":   {change, 5.5, 2, 5.5},
		"state, the latest and seen again at the moment, is found":      {change, 6, 2, 6},
		"state, the latest with no look since the moment, is not known": {change, 6.5, 2, 0},
		"state, never seen, is not found":                               {change, 0, 3, 0},
		"moment, before every look, finds the first look":               {change, 0, 1, 1},
		"state, ended in darkness, is not found":                        {[]View{ledFrom(1, 1), dark(2), dark(3)}, 2.5, 1, 0},
		"state, back after darkness, is found when it is back":          {[]View{ledFrom(1, 1), dark(2), ledFrom(4, 1)}, 2.5, 1, 4},
		"no look at all, finds nothing":                                 {nil, 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			timeline := &Timeline{}
			for _, view := range c.looks {
				timeline.Add(view)
			}
			view, ok := timeline.FirstSince(second(c.moment), ledBy(c.leader))
			assert.Equal(t, c.want != 0, ok)
			if ok {
				assert.Equal(t, second(c.want), view.At)
			}
		})
	}
}

func TestTimelineAdd(t *testing.T) {
	timeline := &Timeline{}
	for _, view := range []View{ledFrom(1, 1), ledFrom(2, 1), ledFrom(3, 2), ledFrom(4, 1)} {
		timeline.Add(view)
	}
	require.Len(t, timeline.views, 3, "a look that shows no change is not kept")
	assert.Contains(t, timeline.String(), "cluster at 17:00:01.000")
	assert.NotContains(t, timeline.String(), "cluster at 17:00:02.000")
}

func TestTimelineLast(t *testing.T) {
	timeline := &Timeline{}
	for _, view := range []View{ledFrom(1, 1), ledFrom(3, 2), ledFrom(4, 1), ledFrom(5, 3)} {
		timeline.Add(view)
	}
	led := func(by int) func(View) bool {
		return func(v View) bool { return reflect.DeepEqual(v.Brokers, ledFrom(0, by).Brokers) }
	}
	view, ok := timeline.Last(led(1))
	assert.True(t, ok)
	assert.Equal(t, second(4), view.At)
	_, ok = timeline.Last(led(7))
	assert.False(t, ok)
}

func TestSameState(t *testing.T) {
	base := func() View {
		v := ledFrom(1, 1)
		v.Silent = map[int]error{1: errors.New("is stopped")}
		v.Quorum = Quorum{Leader: 2, Epoch: 4, HighWatermark: 10, Voters: []QuorumReplica{{ID: 1, LogEndOffset: 10}, {ID: 2, LogEndOffset: 10}, {ID: 3, LogEndOffset: 10}}}
		return v
	}
	for name, c := range map[string]struct {
		change func(*View)
		same   bool
	}{
		"nothing, changed, is the same":                       {func(*View) {}, true},
		"moment, another, is the same":                        {func(v *View) { v.At = second(9) }, true},
		"silent broker, for another reason, is the same":      {func(v *View) { v.Silent[1] = errors.New("refused") }, true},
		"quorum's log, has grown, is the same":                {func(v *View) { v.Quorum.HighWatermark, v.Quorum.Voters[0].LogEndOffset = 11, 11 }, true},
		"leader of a partition, another, is not the same":     {func(v *View) { v.Brokers[2] = sees(at(0, 3, 2, 3)) }, false},
		"ISR, another, is not the same":                       {func(v *View) { v.Brokers[2] = sees(at(0, 1, 3)) }, false},
		"a broker, answers as well, is not the same":          {func(v *View) { v.Brokers[3] = v.Brokers[2] }, false},
		"another broker, silent, is not the same":             {func(v *View) { v.Silent = map[int]error{3: errors.New("is stopped")} }, false},
		"active controller, another, is not the same":         {func(v *View) { v.Quorum.Leader = 3 }, false},
		"a voter, gone, is not the same":                      {func(v *View) { v.Quorum.Voters = v.Quorum.Voters[:2] }, false},
		"a voter, from another directory, is not the same":    {func(v *View) { v.Quorum.Voters[0].Directory = "new" }, false},
		"an observer, there, is not the same":                 {func(v *View) { v.Quorum.Observers = []QuorumReplica{{ID: 4}} }, false},
		"an observer, that left long ago, is the same":        {func(v *View) { v.Quorum.Observers = []QuorumReplica{{ID: 4, Silent: time.Minute}} }, true},
		"registered brokers, one less, is not the same":       {func(v *View) { v.Brokers[2] = BrokerView{Registered: []int{2, 3}, Topics: v.Brokers[2].Topics} }, false},
		"a topic, new without partitions yet, is not as well": {func(v *View) { v.Brokers[2].Topics["new"] = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := base()
			c.change(&changed)
			assert.Equal(t, c.same, sameState(base(), changed))
		})
	}
}

func TestTimelineRecord(t *testing.T) {
	t.Run("zero timeline, stopped and read, is empty", func(t *testing.T) {
		timeline := &Timeline{}
		timeline.Stop()
		assert.Empty(t, timeline.String())
	})
	t.Run("cluster of which nobody answers, is recorded as that", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &Cluster{}
			c.brokers = []*Broker{{Node: Node{ID: 1, cluster: c}}, {Node: Node{ID: 2, cluster: c}}} // stopped both
			timeline := c.Record(t.Context())
			<-time.After(time.Second)
			timeline.Stop()
			assert.Contains(t, timeline.String(), "broker 1 is silent: broker 1 is stopped")
			assert.Len(t, timeline.views, 1)
		})
	})
}
