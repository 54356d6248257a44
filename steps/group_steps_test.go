package steps

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

func TestGroupSentencesNeedAGroup(t *testing.T) {
	for _, line := range []string{
		"When another consumer joins every group", "When the consumers of every group leave",
		"Then within 1 seconds every group commits new offsets", "Then within 1 seconds every group has all offsets that it committed",
		"Then within 1 seconds every group has committed every record of the topic",
		"Then every group has processed every acknowledged event at least once",
		"Then every group has processed every acknowledged event exactly once",
		"Then every broker coordinates exactly 2 groups", "Then every group is coordinated by brokers 2 and 3",
		"Then every partition of __consumer_offsets has the offsets of a group",
	} {
		require.ErrorContains(t, run(world(t), line), "no consumer group yet; begin with", line)
	}
	assert.ErrorContains(t, run(world(t), `When another consumer joins group "billing"`), `no consumer group "billing"`)
}

func TestSpreadOut(t *testing.T) {
	offsets := make([]cluster.Partition, 6)
	for i := range offsets {
		offsets[i] = cluster.Partition{ID: i, Leader: i/2 + 1}
	}
	var groups []*group
	leaders := map[int]int{}
	for range 12 {
		g := &group{partition: spreadOut(groups, offsets)}
		groups = append(groups, g)
		leaders[offsets[g.partition].Leader]++
		if len(groups) == 3 {
			assert.Equal(t, map[int]int{1: 1, 2: 1, 3: 1}, leaders, "three groups, one on each broker")
		}
		if len(groups) == 6 {
			used := map[int]bool{}
			for _, g := range groups {
				used[g.partition] = true
			}
			assert.Len(t, used, 6, "six groups, one on each partition")
			assert.Equal(t, map[int]int{1: 2, 2: 2, 3: 2}, leaders)
		}
	}
	assert.Equal(t, map[int]int{1: 4, 2: 4, 3: 4}, leaders, "with more groups than partitions some are shared")
}

func TestApart(t *testing.T) {
	offsets := make([]cluster.Partition, 6)
	for i := range offsets {
		offsets[i] = cluster.Partition{ID: i, Leader: i/2 + 1}
	}
	require.NoError(t, apart(nil, 6, offsets))
	began := time.Now()
	require.EqualError(t, apart(nil, 20_000, offsets), "__consumer_offsets has fewer than 20000 partitions "+
		`(offsets.topic.num.partitions), so that groups "1" and "7" share one`)
	assert.Less(t, time.Since(began), time.Second)
	one := []*group{{called: "billing", partition: 2}}
	require.NoError(t, apart(one, 5, offsets))
	require.ErrorContains(t, apart(one, 6, offsets), `groups "1" and "6" share one`)
	assert.Len(t, one, 1)
}

func TestStateOfCoordinators(t *testing.T) {
	w := world(t)
	w.groups.all = []*group{{called: "1", partition: 0}, {called: "2", partition: 1}}
	led := func(leaders ...int) cluster.View {
		var ps []cluster.Partition
		for i, leader := range leaders {
			ps = append(ps, cluster.Partition{Topic: traffic.OffsetsTopic, ID: i, Leader: leader})
		}
		return cluster.View{Brokers: map[int]cluster.BrokerView{2: {Topics: map[string][]cluster.Partition{traffic.OffsetsTopic: ps}}}}
	}
	for name, c := range map[string]struct {
		view  cluster.View
		holds bool
	}{
		"all elsewhere, holds":                {led(2, 3), true},
		"one still there, does not":           {led(2, 1), false},
		"another partition's, does not count": {led(2, 3, 1), true},
		"one without a leader, does not":      {led(2, -1), false},
	} {
		t.Run(name, func(t *testing.T) {
			st, err := w.coordinatedBy("2 and 3")
			require.NoError(t, err)
			ok, err := st.holds(c.view)
			require.NoError(t, err)
			assert.Equal(t, c.holds, ok)
		})
	}
}

// lostFault stands for the loss of a broker that nothing is known of.
type lostFault struct{ fault.Fault }

func (lostFault) Node() int                                 { return 1 }
func (lostFault) Name() string                              { return "broker 1 lost" }
func (lostFault) Inject(context.Context) (time.Time, error) { return time.Now(), nil }
func (lostFault) AwaitEffect(context.Context) error         { return nil }

func TestConsumersKept(t *testing.T) {
	w := world(t)
	book, err := ledger.Create(t.TempDir(), ledger.NewRunID(), "t")
	require.NoError(t, err)
	log, err := book.CreateGroup("1", ledger.GroupInfo{Name: "1", Commits: ledger.CommitsAfter})
	require.NoError(t, err)
	g := &group{called: "1", log: log, topic: &topic{}}
	w.groups.all = []*group{g}
	t.Cleanup(func() { require.NoError(t, w.groups.stop(context.Background())) })
	join := func() { // it finds no broker, and joins in vain
		made, err := traffic.Join(t.Context(), traffic.ConsumerConfig{Bootstrap: []string{"127.0.0.1:1"}, Topic: "t", Log: log})
		require.NoError(t, err)
		g.consumers = append(g.consumers, &consumer{Consumer: made, joined: time.Now()})
	}
	join()
	require.ErrorContains(t, w.consumersKept(), "no broker was lost")
	_, err = w.faults.Inject(t.Context(), lostFault{})
	require.NoError(t, err)
	require.NoError(t, w.consumersKept(), "one consumer, before and after")
	join()
	require.ErrorContains(t, w.consumersKept(), "consumer 1 joined", "a second one, after the loss")
	g.consumers = g.consumers[:1]
	require.NoError(t, g.leave(t.Context()))
	require.ErrorContains(t, w.consumersKept(), "consumer 0 joined", "one that was made to leave")
}

// TestLostUnprocessed sees that the contrast is green for its own damage only.
func TestLostUnprocessed(t *testing.T) {
	d := func(result verdict.Result, found map[verdict.Rule]uint64, reasons ...string) verdict.Delivery {
		return verdict.Delivery{Result: result, Found: found, Reasons: reasons}
	}
	g := &group{}
	require.Error(t, lostUnprocessed(g, d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7})), "nobody died")
	require.Error(t, againUncommitted(g, d(verdict.Holds, map[verdict.Rule]uint64{})), "nobody died")
	for name, c := range map[string]struct {
		delivery verdict.Delivery
		lost     bool
		again    bool
	}{
		"its damage":            {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7}), true, false},
		"more than its damage":  {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 8}), false, false},
		"less than its damage":  {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 6}), false, false},
		"another damage too":    {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7, verdict.Moved: 1}), false, false},
		"a redelivery too":      {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7, verdict.Redelivered: 1}), false, false},
		"absent ones too":       {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7, verdict.Absent: 1}), true, false},
		"unproven besides":      {d(verdict.Broken, map[verdict.Rule]uint64{verdict.LostToGroup: 7}, "cut off"), false, false},
		"redelivered":           {d(verdict.Holds, map[verdict.Rule]uint64{verdict.Redelivered: 7}), false, true},
		"redelivered too few":   {d(verdict.Holds, map[verdict.Rule]uint64{verdict.Redelivered: 6}), false, false},
		"redelivered, unproven": {d(verdict.Unproven, map[verdict.Rule]uint64{verdict.Redelivered: 7}), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.lost, lostOf(7, c.delivery) == nil)
			assert.Equal(t, c.again, againOf(7, c.delivery) == nil)
		})
	}
}
