package cluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fakeBrokers is a Cluster of brokers 1 to 3 that package kfake plays, beside its broker 0, the controller. Their
// quorum is told by the function: kfake has none.
func fakeBrokers(t *testing.T, quorum func(*kmsg.DescribeQuorumResponseTopicPartition)) (*Cluster, *kfake.Cluster) {
	t.Helper()
	fake, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	c := &Cluster{topology: Combined}
	for _, id := range Combined.Brokers() {
		_, port, err := fake.AddNode(int32(id), 0)
		require.NoError(t, err)
		b := &Broker{Node: Node{ID: id, cluster: c, port: port, wanted: true}}
		t.Cleanup(b.disconnect)
		c.brokers = append(c.brokers, b)
	}
	offerQuorum(t, fake)
	fake.ControlKey(int16(kmsg.DescribeQuorum), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		response := req.ResponseKind().(*kmsg.DescribeQuorumResponse)
		topic := kmsg.NewDescribeQuorumResponseTopic()
		partition := kmsg.NewDescribeQuorumResponseTopicPartition()
		quorum(&partition)
		topic.Partitions = append(topic.Partitions, partition)
		response.Topics = append(response.Topics, topic)
		return response, nil, true
	})
	return c, fake
}

// fakeCluster is a Cluster of brokers 1 to 3 alone.
func fakeCluster(t *testing.T, quorum func(*kmsg.DescribeQuorumResponseTopicPartition)) (*Cluster, *kfake.Cluster) {
	t.Helper()
	c, fake := fakeBrokers(t, quorum)
	require.NoError(t, fake.RemoveNode(0))
	return c, fake
}

// offerQuorum makes the fake say that it answers DescribeQuorum; clients would not ask it otherwise.
func offerQuorum(t *testing.T, fake *kfake.Cluster) {
	t.Helper()
	session, err := kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()[0]))
	require.NoError(t, err)
	defer session.Close()
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "test", "1"
	offered, err := req.RequestWith(t.Context(), session)
	require.NoError(t, err)
	quorum := kmsg.NewApiVersionsResponseApiKey()
	quorum.ApiKey, quorum.MaxVersion = int16(kmsg.DescribeQuorum), 2
	keys := slices.Concat(offered.ApiKeys, []kmsg.ApiVersionsResponseApiKey{quorum})
	fake.ControlKey(int16(kmsg.ApiVersions), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		response := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		response.ApiKeys = keys
		return response, nil, true
	})
}

// ledBy3 is a quorum of three voters, told in no order.
func ledBy3(p *kmsg.DescribeQuorumResponseTopicPartition) {
	p.LeaderID, p.LeaderEpoch, p.HighWatermark = 3, 7, 100
	for _, id := range []int32{3, 1, 2} {
		voter := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
		voter.ReplicaID, voter.LogEndOffset = id, 100+int64(id)
		p.CurrentVoters = append(p.CurrentVoters, voter)
	}
}
