package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestMemberArgs(t *testing.T) {
	c := node(t, OneVoter, 1).cluster
	first, second := &c.brokers[0].Node, &c.brokers[1].Node
	first.directory = "Z2J2pVfTaQyKhx5cB1nW8g"
	t.Run("founder, before there is a quorum, is formatted as its only voter", func(t *testing.T) {
		assert.Equal(t, []string{"--initial-controllers", "1@controller-1:9094:Z2J2pVfTaQyKhx5cB1nW8g"}, first.formatArgs())
	})
	t.Run("another node, joins", func(t *testing.T) {
		assert.Equal(t, []string{"--no-initial-controllers"}, second.formatArgs())
	})
	t.Run("founder, with a new volume later, joins what it founded", func(t *testing.T) {
		c.founded = true
		assert.Equal(t, []string{"--no-initial-controllers"}, first.formatArgs())
	})
	t.Run("format, of a dynamic quorum, is never that of an earlier start", func(t *testing.T) {
		assert.Empty(t, c.checkpointFile())
	})
	t.Run("node of a static quorum, is formatted as nothing of the kind", func(t *testing.T) {
		assert.Empty(t, node(t, Combined, 1).formatArgs())
	})
}

func TestMembersOfAQuorum(t *testing.T) {
	t.Run("volume, lost before the quorum is founded, alters nothing", func(t *testing.T) {
		c := node(t, ThreeVoters, 1).cluster
		c.memberLost()
		assert.False(t, c.Altered())
		c.founded = true
		c.memberLost()
		assert.True(t, c.Altered())
	})
	t.Run("voters, added and removed, are kept in order", func(t *testing.T) {
		c := node(t, OneVoter, 1).cluster
		assert.Equal(t, []int{1}, c.Voters())
		for _, id := range []int{3, 2, 2} {
			c.noteVoter(id, true)
		}
		assert.Equal(t, []int{1, 2, 3}, c.Voters())
		c.noteVoter(1, false)
		assert.Equal(t, []int{2, 3}, c.Voters())
	})
	t.Run("directory id, as the tools print it, is read and written", func(t *testing.T) {
		id, err := parseDirectory("4cGzGJbzTnqPuGYUyDbLrQ")
		require.NoError(t, err)
		assert.Equal(t, "4cGzGJbzTnqPuGYUyDbLrQ", directoryID(id))
		assert.Empty(t, directoryID([16]byte{}))
	})
	for _, text := range []string{"", "abc", "4cGzGJbzTnqPuGYUyDbLr!"} {
		t.Run("directory id "+text+", that is none, is refused", func(t *testing.T) {
			_, err := parseDirectory(text)
			require.ErrorContains(t, err, "is no directory id")
		})
	}
}

func TestQuorumOf(t *testing.T) {
	replica := func(id int32, directory byte, end, fetched int64) kmsg.DescribeQuorumResponseTopicPartitionReplicaState {
		state := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
		state.ReplicaID, state.LogEndOffset, state.LastFetchTimestamp = id, end, fetched
		state.ReplicaDirectoryID[0] = directory
		return state
	}
	listener := kmsg.NewDescribeQuorumResponseNodeListener()
	listener.Name, listener.Host, listener.Port = "CONTROLLER", "controller-1", 9094
	q := quorumOf(kmsg.DescribeQuorumResponseTopicPartition{
		LeaderID: 1, LeaderEpoch: 4, HighWatermark: 90,
		CurrentVoters: []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{replica(2, 2, 97, 9_000), replica(1, 1, 100, 10_000)},
		Observers: []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{
			replica(3, 9, 100, 9_900), replica(3, 3, 12, 4_000), replica(7, 7, -1, -1),
		},
	}, []kmsg.DescribeQuorumResponseNode{{NodeID: 1, Listeners: []kmsg.DescribeQuorumResponseNodeListener{listener}}})
	assert.Equal(t, []int{1, 2}, idsOf(q.Voters), "in order")
	assert.Equal(t, []string{"CONTROLLER://controller-1:9094"}, q.Voters[0].Endpoints)
	assert.Equal(t, time.Second, q.Voters[1].Silent)
	assert.Equal(t, int64(3), q.Behind(q.Voters[1]), "behind the leader's log, not the high watermark")
	assert.Equal(t, []int{3, 7}, idsOf(q.Present()), "the one that left six seconds ago is gone; one of unknown age may be there")
	here, ok := q.Observer(3)
	assert.True(t, ok)
	assert.Equal(t, byte('C'), here.Directory[0], "the directory that it observes from now")
	_, ok = q.Voter(3)
	assert.False(t, ok)
	assert.Equal(t, "quorum: active controller 1, epoch 4, voters [1 2], observers [3 7]", q.String())
	assert.Equal(t, "2", QuorumReplica{ID: 2}.String())
	assert.Equal(t, "2 in abc", QuorumReplica{ID: 2, Directory: "abc"}.String())
}

func TestMembersLack(t *testing.T) {
	replicas := func(ids ...int) (all []QuorumReplica) {
		for _, id := range ids {
			all = append(all, QuorumReplica{ID: id, LogEndOffset: 100, Directory: "d"})
		}
		return all
	}
	quorum := func(voters, observers []QuorumReplica) Quorum {
		return Quorum{Leader: 1, HighWatermark: 100, Voters: voters, Observers: observers}
	}
	shared := replicas(1, 2, 3)
	shared[0].Endpoints, shared[1].Endpoints, shared[2].Endpoints = []string{"C://a:1"}, []string{"C://b:1"}, []string{"C://b:1"}
	gone := replicas(2, 3, 9)
	gone[2].Silent = time.Minute
	twice := append(replicas(2, 3), QuorumReplica{ID: 3, Directory: "e"})
	for name, c := range map[string]struct {
		topology Topology
		quorum   Quorum
		want     []string
	}{
		"one voter and two observers, as they should be, lack nothing": {OneVoter, quorum(replicas(1), replicas(2, 3)), nil},
		"three voters, as they should be, lack nothing":                {ThreeVoters, quorum(replicas(1, 2, 3), nil), nil},
		"a foreign observer that has left, is nobody any more":         {OneVoter, quorum(replicas(1), gone), nil},
		"brokers that observe controllers, are none of it":             {OneController, Quorum{Leader: 101, HighWatermark: 100, Voters: replicas(101), Observers: replicas(1, 2, 3)}, nil},
		"one voter, extended, is not what it was":                      {OneVoter, quorum(replicas(1, 2), replicas(3)), []string{"quorum: voters [1 2], want [1]"}},
		"observers, one missing, is told":                              {OneVoter, quorum(replicas(1), replicas(2)), []string{"quorum: node 3 observes nothing"}},
		"three voters, never extended, are told":                       {ThreeVoters, quorum(replicas(1), replicas(2, 3)), []string{"quorum: voters [1], want [1 2 3]", "quorum: node 2 is an observer and should be a voter", "quorum: node 3 is an observer and should be a voter"}},
		"an observer that is no node, is told":                         {Combined, quorum(replicas(1, 2, 3), replicas(9)), []string{"quorum: observer 9 in d is no node of this cluster"}},
		"a voter that observes with another directory, is told":        {ThreeVoters, quorum(replicas(1, 2, 3), []QuorumReplica{{ID: 2, Directory: "e"}}), []string{"quorum: node 2 votes from directory d and observes from e"}},
		"an observer twice, is told":                                   {OneVoter, quorum(replicas(1), twice), []string{"quorum: node 3 observes from two directories, d and e"}},
		"two voters of one endpoint, are told":                         {ThreeVoters, quorum(shared, nil), []string{"quorum: voters [2 3] have one endpoint, C://b:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			view := View{Brokers: map[int]BrokerView{1: sees(), 2: sees(), 3: sees()}, Quorum: c.quorum}
			assert.Equal(t, c.want, c.topology.Lacks(view))
		})
	}
	t.Run("brokers at one address, are told by who sees it", func(t *testing.T) {
		seen := sees()
		seen.Advertised = map[int]string{1: "127.0.0.1:20001", 2: "127.0.0.1:20002", 3: "127.0.0.1:20001"}
		view := View{Brokers: map[int]BrokerView{1: seen, 2: sees(), 3: sees()}, Quorum: quorum(replicas(1, 2, 3), nil)}
		assert.Equal(t, []string{"broker 1 sees brokers [1 3] at one address, 127.0.0.1:20001"}, Combined.Lacks(view))
	})
}
