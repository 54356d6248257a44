package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alterAndReset gives broker 3 the volume of another cluster. Readiness names it long before its bound, and the end of a
// scenario makes the cluster anew: an altered one is nobody's.
func alterAndReset(t *testing.T, c *Cluster) {
	b, err := c.Broker(3)
	require.NoError(t, err)
	_, err = b.Shutdown(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Alter(t.Context(), ForeignCluster()))
	require.NoError(t, b.Carries(t.Context()))
	require.NoError(t, b.Start(t.Context()))
	began := time.Now()
	err = c.AwaitReady(t.Context())
	found, ok := asRefusals(err)
	require.True(t, ok, "%v", err)
	require.Len(t, found, 1)
	assert.Equal(t, 3, found[0].ID)
	assert.Contains(t, found.Error(), "broker 3 is turned away: its volume is formatted for cluster "+b.Altered().ForeignID)
	assert.Contains(t, found.Error(), "INCONSISTENT_CLUSTER_ID")
	assert.Less(t, time.Since(began), readyWithin)

	was := c.KafkaID
	require.NoError(t, c.Reset(t.Context()))
	assert.NotEqual(t, was, c.KafkaID, "another cluster")
	assert.True(t, b.Altered().None())
	require.NoError(t, b.Carries(t.Context()), "its own volume again")
}
