package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A controller apart from the brokers is a node like any other: bounded, started, killed, noticed and removed.
func TestSeparateController(t *testing.T) {
	t.Parallel() // beside single nodes: it waits most of the time
	session := begin(t)
	settings, err := ParseSettings(map[string]string{"broker.session.timeout.ms": "6000", "eligible.leader.replicas.version": "0"})
	require.NoError(t, err)
	c, err := Start(t.Context(), On(session), WithTopology(OneController), WithSettings(settings))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		nothingLeft(t, c)
	})
	t.Run("the cluster is what was asked for", func(t *testing.T) { asAskedFor(t, c) })
	t.Run("a controller killed behind the suite's back ends the wait", func(t *testing.T) { loseOnlyController(t, c) })
}

func asAskedFor(t *testing.T, c *Cluster) {
	view, err := c.View(t.Context())
	require.NoError(t, err)
	assert.Empty(t, c.topology.Lacks(view))
	assert.Equal(t, 101, view.Quorum.Leader)
	value, err := c.brokers[0].SettingMillis(t.Context(), "broker.session.timeout.ms")
	require.NoError(t, err)
	assert.Equal(t, 6*time.Second, value)
	assert.Zero(t, c.Head.Features["eligible.leader.replicas.version"])
	assert.Contains(t, c.Head.Features, "metadata.version")
	for _, n := range c.Nodes() {
		inspected, err := c.engine.ContainerInspect(t.Context(), n.container, client.ContainerInspectOptions{})
		require.NoError(t, err)
		assert.Equal(t, n.size().memory, inspected.Container.HostConfig.Memory, "%s", n)
		assert.True(t, slices.ContainsFunc(inspected.Container.Config.Env, func(one string) bool {
			return strings.HasSuffix(one, n.size().heapOptions())
		}), "%s", n)
		assert.Len(t, inspected.Container.HostConfig.PortBindings, map[bool]int{true: 1, false: 0}[n.IsBroker()], "%s", n)
	}
	logs, err := c.controllers[0].Logs(t.Context(), time.Time{})
	require.NoError(t, err)
	assert.True(t, strings.Contains(logs, "[ControllerServer id=101]") && !strings.Contains(logs, "[BrokerServer"), "it is a controller only")
}

func loseOnlyController(t *testing.T, c *Cluster) {
	controller := c.controllers[0]
	_, err := c.engine.ContainerKill(t.Context(), controller.container, client.ContainerKillOptions{Signal: "SIGKILL"})
	require.NoError(t, err)
	const says = "controller 101 was killed, and not by the suite (code 137)"
	require.ErrorContains(t, c.AwaitReady(t.Context()), says)
	require.ErrorContains(t, c.Reset(t.Context()), says)
	require.NoError(t, c.Reset(t.Context()), "the controller was started again")
}
