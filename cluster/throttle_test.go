package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestThrottle(t *testing.T) {
	c, _ := fakeBrokers(t, func(*kmsg.DescribeQuorumResponseTopicPartition) {})
	require.NoError(t, c.CreateTopic(t.Context(), "here", 1, 3, nil))
	b, err := c.Broker(3)
	require.NoError(t, err)
	require.NoError(t, b.Throttle(t.Context(), "here", 10_000))
	rate, err := b.Setting(t.Context(), throttledRate)
	require.NoError(t, err)
	assert.Equal(t, "10000", rate)
	which, err := c.TopicSetting(t.Context(), "here", throttledReplicas)
	require.NoError(t, err)
	assert.Equal(t, "*", which)
	require.NoError(t, b.Unthrottle(t.Context()))
	require.NoError(t, b.Unthrottle(t.Context()), "not throttled")
	_, err = b.Setting(t.Context(), throttledRate)
	require.Error(t, err, "it is gone")
	require.ErrorContains(t, b.Throttle(t.Context(), "nowhere", 10_000), "UNKNOWN_TOPIC_OR_PARTITION")
}
