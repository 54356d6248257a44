package cluster

import (
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestView(t *testing.T) {
	t.Run("three brokers, all answer, tell brokers, topics and quorum", func(t *testing.T) {
		c, fake := fakeCluster(t, ledBy3)
		require.NoError(t, fake.CreateTopic("telemetry", 6, nil))
		view, err := c.View(t.Context())
		require.NoError(t, err)
		registered, err := view.Registered()
		require.NoError(t, err)
		assert.Equal(t, Combined.Brokers(), registered)
		partitions, err := view.Topic("telemetry")
		require.NoError(t, err)
		for i, p := range partitions {
			assert.Equal(t, i, p.ID)
			assert.Equal(t, int(fake.LeaderFor("telemetry", int32(i))), p.Leader)
			assert.Contains(t, Combined.Brokers(), p.PreferredLeader())
		}
		assert.Len(t, partitions, 6)
		assert.Empty(t, view.Silent)
		assert.Equal(t, Quorum{Leader: 3, Epoch: 7, HighWatermark: 100, Voters: []QuorumReplica{{ID: 1, LogEndOffset: 101}, {ID: 2, LogEndOffset: 102}, {ID: 3, LogEndOffset: 103}}, Observers: []QuorumReplica{}}, view.Quorum)
	})
	t.Run("a stopped broker, is silent and not asked", func(t *testing.T) {
		c, _ := fakeCluster(t, ledBy3)
		c.brokers[1].want(false)
		view, err := c.View(t.Context())
		require.NoError(t, err)
		require.EqualError(t, view.Silent[2], "broker 2 is stopped")
		assert.NotContains(t, view.Brokers, 2)
		assert.Len(t, view.Brokers, 2)
	})
	t.Run("all brokers stopped, is an error", func(t *testing.T) {
		c, _ := fakeCluster(t, ledBy3)
		for _, b := range c.brokers {
			b.want(false)
		}
		_, err := c.View(t.Context())
		require.EqualError(t, err, "no broker runs")
	})
	t.Run("quorum, without a leader, is a finding and no error", func(t *testing.T) {
		c, _ := fakeCluster(t, func(p *kmsg.DescribeQuorumResponseTopicPartition) { p.ErrorCode = kerr.LeaderNotAvailable.Code })
		view, err := c.View(t.Context())
		require.NoError(t, err)
		assert.Equal(t, -1, view.Quorum.Leader)
		assert.Len(t, view.Brokers, 3)
	})
}

func TestSettings(t *testing.T) {
	c, _ := fakeCluster(t, ledBy3)
	first := c.brokers[0]
	t.Run("a setting, known, has its value", func(t *testing.T) {
		value, err := first.Setting(t.Context(), "broker.id")
		require.NoError(t, err)
		assert.Equal(t, "1", value)
	})
	t.Run("a setting, unknown, is an error that names it", func(t *testing.T) {
		_, err := first.Setting(t.Context(), "no.such.setting")
		require.EqualError(t, err, "broker 1 has no setting no.such.setting")
	})
	t.Run("a setting in milliseconds, is a duration", func(t *testing.T) {
		within, err := first.SettingMillis(t.Context(), "group.consumer.session.timeout.ms")
		require.NoError(t, err)
		assert.Equal(t, 45*time.Second, within)
	})
	t.Run("a setting, not in milliseconds, is an error that names it", func(t *testing.T) {
		_, err := first.SettingMillis(t.Context(), "sasl.enabled.mechanisms")
		require.ErrorContains(t, err, "broker 1 setting sasl.enabled.mechanisms")
	})
	t.Run("another broker on the address, refuses", func(t *testing.T) {
		mistaken := &Broker{Node: Node{ID: 1, cluster: c, port: c.brokers[1].port}}
		defer mistaken.disconnect()
		_, err := mistaken.settings(t.Context(), "node.id")
		require.ErrorIs(t, err, kerr.InvalidRequest)
		require.ErrorContains(t, err, "broker 1 on 127.0.0.1:")
	})
}

func TestAskNobody(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	b := &Broker{Node: Node{ID: 3}}
	b.port, err = strconv.Atoi(port)
	require.NoError(t, err)
	defer b.disconnect()
	_, err = b.ask(t.Context(), kmsg.NewPtrMetadataRequest())
	require.ErrorContains(t, err, "broker 3 does not answer on 127.0.0.1:"+port)
}

func TestLacks(t *testing.T) {
	t.Run("cluster, whole, lacks nothing and proves every broker", func(t *testing.T) {
		c, _ := fakeCluster(t, ledBy3)
		proven := map[int]bool{}
		lacks, err := c.lacks(t.Context(), c.topology, proven)
		require.NoError(t, err)
		assert.Empty(t, lacks)
		assert.Equal(t, map[int]bool{1: true, 2: true, 3: true}, proven)
	})
	t.Run("two addresses, swapped, are found out", func(t *testing.T) {
		c, _ := fakeCluster(t, ledBy3)
		one, two := c.brokers[1].Address(), c.brokers[0].Address()
		c.brokers[0].port, c.brokers[1].port = c.brokers[1].port, c.brokers[0].port
		_, err := c.lacks(t.Context(), c.topology, map[int]bool{})
		require.EqualError(t, err, "broker 1 advertises "+two+", and is reached on "+one+"\nbroker 2 advertises "+one+", and is reached on "+two)
		assert.True(t, isStop(err))
	})
	t.Run("a broker, stopped, is told as silent", func(t *testing.T) {
		c, _ := fakeCluster(t, ledBy3)
		c.brokers[2].want(false)
		lacks, err := c.lacks(t.Context(), c.topology, map[int]bool{})
		require.NoError(t, err)
		assert.Equal(t, missing{"broker 3: broker 3 is stopped"}, lacks)
	})
	t.Run("a broker, not registered, is told by each", func(t *testing.T) {
		c, fake := fakeCluster(t, ledBy3)
		require.NoError(t, fake.RemoveNode(3))
		c.brokers[2].want(false)
		lacks, err := c.lacks(t.Context(), c.topology, map[int]bool{})
		require.NoError(t, err)
		assert.Contains(t, lacks, "broker 1 sees brokers [1 2] registered and unfenced, want [1 2 3]")
		assert.Contains(t, lacks, "broker 2 sees brokers [1 2] registered and unfenced, want [1 2 3]")
	})
	t.Run("quorum, without active controller, is told", func(t *testing.T) {
		c, _ := fakeCluster(t, func(p *kmsg.DescribeQuorumResponseTopicPartition) { p.LeaderID = -1 })
		lacks, err := c.lacks(t.Context(), c.topology, map[int]bool{})
		require.NoError(t, err)
		assert.Equal(t, missing{"quorum: no active controller"}, lacks)
	})
	t.Run("quorum, with a voter less, is told", func(t *testing.T) {
		c, _ := fakeCluster(t, func(p *kmsg.DescribeQuorumResponseTopicPartition) {
			ledBy3(p)
			p.CurrentVoters = slices.DeleteFunc(p.CurrentVoters, func(v kmsg.DescribeQuorumResponseTopicPartitionReplicaState) bool { return v.ReplicaID == 1 })
		})
		_, err := c.lacks(t.Context(), c.topology, map[int]bool{})
		found, ok := asRefusals(err)
		require.True(t, ok, "%v", err)
		require.Len(t, found, 1)
		assert.Equal(t, 1, found[0].ID)
		require.EqualError(t, found, "broker 1 is no voter: the quorum has voters [2 3], want [1 2 3] (controller.quorum.voters, fixed at the start)")
		assert.True(t, isStop(err))
	})
}

func TestRefuseUnknown(t *testing.T) {
	c, _ := fakeCluster(t, ledBy3)
	t.Run("overlay, empty, is not looked at", func(t *testing.T) {
		require.NoError(t, c.refuseUnknown(t.Context(), "4.3.1"))
	})
	t.Run("overlay, keys that Kafka has, passes", func(t *testing.T) {
		c.overlay = Overlay{Path: "my", All: Properties{"min.insync.replicas": "1"}}
		require.NoError(t, c.refuseUnknown(t.Context(), "4.3.1"))
	})
	t.Run("overlay, misspelt keys of one and of all brokers, names each once", func(t *testing.T) {
		c.overlay = Overlay{Path: "my", All: Properties{"min.insync.replcias": "1"}, Each: map[int]Properties{2: {"a.typo": "1"}}}
		require.EqualError(t, c.refuseUnknown(t.Context(), "4.3.1"),
			"broker settings: my sets a.typo, min.insync.replcias, which Kafka 4.3.1 does not know; correct the spelling or remove it")
	})
	t.Run("wanted of the cluster, a misspelt key, is the scenario's", func(t *testing.T) {
		c.overlay, c.settings = Overlay{}, Settings{Properties: Properties{"min.insync.replicas": "1", "another.typo": "1"}}
		require.EqualError(t, c.refuseUnknown(t.Context(), "4.3.1"),
			"broker settings: the scenario wants another.typo, which Kafka 4.3.1 does not know; correct the spelling or remove it")
	})
}

func TestAdmin(t *testing.T) {
	c, _ := fakeBrokers(t, ledBy3)
	ctx := t.Context()
	require.NoError(t, c.CreateTopic(ctx, "telemetry", 4, 3, map[string]string{"min.insync.replicas": "2"}))
	t.Run("topic, there already, is refused in Kafka's words", func(t *testing.T) {
		require.ErrorIs(t, c.CreateTopic(ctx, "telemetry", 4, 3, nil), kerr.TopicAlreadyExists)
	})
	t.Run("topic setting, in force, is told", func(t *testing.T) {
		value, err := c.TopicSetting(ctx, "telemetry", "min.insync.replicas")
		require.NoError(t, err)
		assert.Equal(t, "2", value)
	})
	t.Run("topic setting, unknown, is an error that names it", func(t *testing.T) {
		_, err := c.TopicSetting(ctx, "telemetry", "no.such")
		require.EqualError(t, err, "topic telemetry has no setting no.such")
	})
	t.Run("partitions, added, are seen by every broker", func(t *testing.T) {
		require.NoError(t, c.AddPartitions(ctx, "telemetry", 2))
		view, err := c.View(ctx)
		require.NoError(t, err)
		partitions, err := view.Topic("telemetry")
		require.NoError(t, err)
		assert.Len(t, partitions, 6)
	})
	t.Run("election, of a topic nobody knows, is an error that names it", func(t *testing.T) {
		require.ErrorContains(t, c.ElectPreferred(ctx, "none"), "elect preferred leaders: broker 1 does not know topic none")
	})
	t.Run("election, leaders are the preferred ones, is no error", func(t *testing.T) {
		require.NoError(t, c.ElectPreferred(ctx, "telemetry"))
		require.NoError(t, c.ElectPreferred(ctx))
	})
	t.Run("topics, deleted twice, are gone", func(t *testing.T) {
		require.NoError(t, c.DeleteTopics(ctx, "telemetry"))
		require.NoError(t, c.DeleteTopics(ctx, "telemetry"))
		require.NoError(t, c.DeleteTopics(ctx))
		view, err := c.View(ctx)
		require.NoError(t, err)
		assert.Empty(t, view.Topics(true))
	})
}
