package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cutOffAndReconnect cuts broker 2 off from clients and, after that, from brokers and controllers. An engine may publish
// its port through another network meanwhile; nothing must answer there.
func cutOffAndReconnect(t *testing.T, c *Cluster) {
	b, err := c.Broker(2)
	require.NoError(t, err)
	_, err = b.Disconnect(t.Context(), Clients)
	require.NoError(t, err)
	on, err := b.Connected(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Network{Brokers, Controllers}, on)
	assert.False(t, b.Answers(t.Context(), time.Second))
	assert.Equal(t, map[Network]bool{Brokers: true, Controllers: true}, reached(t, b))
	view, err := c.View(t.Context())
	require.NoError(t, err)
	registered, err := view.Registered()
	require.NoError(t, err)
	assert.Equal(t, Combined.Brokers(), registered, "the controllers see nothing of it")
	require.NoError(t, b.Reconnect(t.Context()))
	assert.True(t, b.Answers(t.Context(), askWithin), "on the same port")

	_, err = b.Disconnect(t.Context(), Brokers, Controllers)
	require.NoError(t, err)
	assert.True(t, b.Answers(t.Context(), askWithin), "clients reach it still")
	assert.Equal(t, map[Network]bool{Brokers: false, Controllers: false}, reached(t, b))
	view, err = c.View(t.Context())
	require.NoError(t, err)
	assert.Contains(t, view.Apart, 2)
	assert.NotContains(t, view.Brokers, 2, "what it tells counts no more")
	require.NoError(t, b.Reconnect(t.Context()))
	require.NoError(t, b.Reconnect(t.Context()), "it misses none")
	require.NoError(t, c.Reset(t.Context()))
}

// reached says on which networks broker 2 reaches broker 3.
func reached(t *testing.T, b *Broker) map[Network]bool {
	found := map[Network]bool{}
	for _, n := range []Network{Brokers, Controllers} {
		var err error
		found[n], err = b.Reaches(t.Context(), 3, n)
		require.NoError(t, err)
	}
	_, err := b.Reaches(t.Context(), 3, Clients)
	require.ErrorContains(t, err, "broker 2 reaches nobody on the network of the clients")
	return found
}
