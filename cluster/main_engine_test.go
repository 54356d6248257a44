package cluster

import (
	"context"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
)

func TestMain(m *testing.M) {
	engine.BeJanitor()
	os.Exit(m.Run())
}

// begin begins a session that ends with the test, which must leave nothing then.
func begin(t *testing.T) *engine.Session {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a container engine; run without -short")
	}
	session, err := engine.Begin(t.Context(), false, func(line string) { t.Log(line) })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.End(context.Background(), false)) })
	return session
}

// lone prepares a cluster of which only broker 1 exists. It never becomes a cluster, having no quorum, but everything
// that can go wrong with one container goes wrong with it as well, and in a tenth of the time.
func lone(t *testing.T, opts ...Option) *Broker {
	t.Helper()
	session := begin(t)
	c, err := prepare(t.Context(), append([]Option{On(session)}, opts...))
	require.NoError(t, err)
	c.brokers = c.brokers[:1]
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		nothingLeft(t, c)
	})
	return c.brokers[0]
}

// create makes a lone broker's networks and container.
func create(t *testing.T, b *Broker) error {
	t.Helper()
	c := b.cluster
	require.NoError(t, c.createNetworks(t.Context()))
	ports, err := c.ports(1)
	require.NoError(t, err)
	b.port = ports[0]
	return b.create(t.Context())
}

func nothingLeft(t *testing.T, c *Cluster) {
	t.Helper()
	left, err := c.engine.Left(context.Background(), engine.OfCluster(c.ID))
	require.NoError(t, err)
	require.True(t, left.Empty(), "left: %s", left)
	volumes, err := c.engine.VolumeList(context.Background(), client.VolumeListOptions{Filters: make(client.Filters).Add("name", c.network())})
	require.NoError(t, err)
	require.Empty(t, volumes.Items, "volumes by name")
}

// held returns a port that somebody listens on until the test ends or release is called.
func held(t *testing.T) (port int, release func()) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().(*net.TCPAddr).Port, func() { require.NoError(t, listener.Close()) }
}

// hold listens on a port until release is called.
func hold(t *testing.T, port int) (release func()) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return func() { require.NoError(t, listener.Close()) }
}

// withPorts offers these ports one after the other, the last one for ever.
func withPorts(offered ...int) Option {
	return func(c *Cluster) {
		c.ports = func(int) ([]int, error) {
			next := offered[0]
			offered = slices.Delete(offered, 0, min(1, len(offered)-1))
			return []int{next}, nil
		}
	}
}

func withLimits(l limits) Option { return func(c *Cluster) { c.limits = l } }
