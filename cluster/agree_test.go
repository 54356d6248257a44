package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// at is a partition of "telemetry" with replicas 1, 2, 3.
func at(id, leader int, isr ...int) Partition {
	return Partition{Topic: "telemetry", ID: id, Leader: leader, Epoch: 1, Replicas: []int{1, 2, 3}, ISR: isr}
}

// sees is what one broker tells: all three registered, and the partitions of "telemetry".
func sees(partitions ...Partition) BrokerView {
	return BrokerView{Registered: []int{1, 2, 3}, Topics: map[string][]Partition{"telemetry": partitions}}
}

func TestViewTopic(t *testing.T) {
	healthy, shrunk := at(0, 2, 1, 2, 3), at(0, 2, 2, 3)
	newer := healthy
	newer.Epoch++
	for name, c := range map[string]struct {
		brokers map[int]BrokerView
		want    []Partition
		err     string
	}{
		"three brokers, agree, tell":                       {map[int]BrokerView{1: sees(healthy), 2: sees(healthy), 3: sees(healthy)}, []Partition{healthy}, ""},
		"one broker, alone, tells":                         {map[int]BrokerView{3: sees(shrunk)}, []Partition{shrunk}, ""},
		"brokers, of different ISR, are named":             {map[int]BrokerView{1: sees(healthy), 3: sees(shrunk)}, nil, "brokers 1 and 3 tell different things of topic telemetry"},
		"brokers, of different leader epoch, are named":    {map[int]BrokerView{1: sees(healthy), 2: sees(newer)}, nil, "brokers 1 and 2 tell different things of topic telemetry"},
		"brokers, of different partition count, are named": {map[int]BrokerView{1: sees(healthy), 2: sees(healthy, at(1, 1, 1))}, nil, "brokers 1 and 2 tell different things of topic telemetry"},
		"a broker, that does not know the topic, is named": {map[int]BrokerView{1: sees(healthy), 2: {}}, nil, "broker 2 does not know topic telemetry"},
		"no broker, is an error":                           {nil, nil, "no broker answers"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := View{Brokers: c.brokers}.Topic("telemetry")
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestViewRegistered(t *testing.T) {
	saw := func(ids ...int) BrokerView { return BrokerView{Registered: ids} }
	for name, c := range map[string]struct {
		brokers map[int]BrokerView
		want    []int
		err     string
	}{
		"three brokers, agree, tell":        {map[int]BrokerView{1: saw(1, 2, 3), 2: saw(1, 2, 3), 3: saw(1, 2, 3)}, []int{1, 2, 3}, ""},
		"two brokers, agree on two, tell":   {map[int]BrokerView{2: saw(2, 3), 3: saw(2, 3)}, []int{2, 3}, ""},
		"the last broker, differs, is told": {map[int]BrokerView{1: saw(1, 2, 3), 2: saw(1, 2, 3), 3: saw(2, 3)}, nil, "broker 2 sees brokers [1 2 3], broker 3 sees [2 3]"},
		"no broker, is an error":            {nil, nil, "no broker answers"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := View{Brokers: c.brokers}.Registered()
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestViewTopics(t *testing.T) {
	view := View{Brokers: map[int]BrokerView{
		1: {Topics: map[string][]Partition{"b": nil, "__consumer_offsets": nil}},
		2: {Topics: map[string][]Partition{"a": nil, "_mine": nil}},
	}}
	assert.Equal(t, []string{"_mine", "a", "b"}, view.Topics(false), "known to any broker, internal left out")
	assert.Equal(t, []string{"__consumer_offsets", "_mine", "a", "b"}, view.Topics(true), "internal too")
	assert.Empty(t, View{}.Topics(true), "nobody answers")
}

func TestTable(t *testing.T) {
	table := Table([]Partition{at(0, 1, 1, 2, 3), at(1, 2, 1, 2, 3), at(2, -1, 3), at(3, 1, 1, 2, 3)})
	assert.Equal(t, ""+
		"  telemetry-0,3  leader 1  replicas [1 2 3]  ISR [1 2 3]\n"+
		"  telemetry-1    leader 2  replicas [1 2 3]  ISR [1 2 3]\n"+
		"  telemetry-2    offline   replicas [1 2 3]  ISR [3]\n", table)
	assert.Empty(t, Table(nil))
}

func TestViewString(t *testing.T) {
	view := View{
		At:      time.Date(2026, 11, 29, 17, 3, 21, 5e6, time.UTC),
		Brokers: map[int]BrokerView{2: sees(at(0, 2, 2, 3)), 3: sees(at(0, 2, 2, 3))},
		Silent:  map[int]error{1: errors.New("broker 1 is stopped")},
		Quorum:  Quorum{Leader: 3, Epoch: 7, Voters: []QuorumReplica{{ID: 1}, {ID: 2}, {ID: 3}}},
	}
	assert.Equal(t, `cluster at 17:03:21.005
  broker 2 answers, sees brokers [1 2 3]
  broker 3 answers, sees brokers [1 2 3]
  broker 1 is silent: broker 1 is stopped
  quorum: active controller 3, epoch 7, voters [1 2 3]
  telemetry-0  leader 2  replicas [1 2 3]  ISR [2 3]`, view.String())
	view.Brokers[3], view.Quorum.Leader = sees(at(0, 3, 3)), -1
	assert.Contains(t, view.String(), "brokers 2 and 3 tell different things of topic telemetry")
	assert.Contains(t, view.String(), "quorum: no active controller")
}

func TestPartition(t *testing.T) {
	p := at(3, 2, 1, 2)
	assert.Equal(t, "telemetry-3", p.Name())
	assert.Equal(t, 1, p.PreferredLeader())
	assert.False(t, p.InSync())
	assert.True(t, at(3, 2, 3, 2, 1).InSync())
	assert.True(t, p.LedBy(2))
	assert.False(t, p.FollowedBy(2), "the leader")
	assert.True(t, p.FollowedBy(3), "a replica out of the ISR follows too")
	assert.False(t, p.FollowedBy(4), "no replica")
}

func TestViewSynced(t *testing.T) {
	for name, c := range map[string]struct {
		partitions  []Partition
		synced, led bool
	}{
		"preferred leaders and full ISR, is both":      {[]Partition{at(0, 1, 1, 2, 3), at(1, 1, 3, 2, 1)}, true, true},
		"another leader, is synced only":               {[]Partition{at(0, 1, 1, 2, 3), at(1, 2, 1, 2, 3)}, true, false},
		"a replica out of the ISR, is led only":        {[]Partition{at(0, 1, 1, 3), at(1, 1, 1, 2, 3)}, false, true},
		"no partition, has nothing to be out of order": {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synced, led, err := View{Brokers: map[int]BrokerView{1: sees(c.partitions...)}}.synced()
			require.NoError(t, err)
			assert.Equal(t, []bool{c.synced, c.led}, []bool{synced, led})
		})
	}
}
