package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
)

// startsWithin is what a node may take to find out that it cannot run: much less than the bound of the start.
const startsWithin = readyWithin / 2

func TestPortTakenBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	port, _ := held(t)
	free := func() int {
		ports, err := freePorts(1)
		require.NoError(t, err)
		return ports[0]
	}

	t.Run("once, takes another one and says so", func(t *testing.T) {
		var told []string
		b := lone(t, withPorts(port, free()), WithProgress(func(line string) { told = append(told, line) }))
		require.NoError(t, create(t, b))
		assert.NotEqual(t, port, b.port)
		assert.Contains(t, told, fmt.Sprintf("broker 1: port %d was taken meanwhile, using %d", port, b.port))
		running, err := b.Running(t.Context())
		require.NoError(t, err)
		assert.True(t, running)
	})
	t.Run("always, ends with one line", func(t *testing.T) {
		b := lone(t, withPorts(port))
		err := create(t, b)
		problem := new(engine.Problem)
		require.ErrorAs(t, err, &problem)
		assert.Contains(t, err.Error(), "broker 1 gets no port: 5 ports of 127.0.0.1 were free and taken a moment later")
		assert.Contains(t, err.Error(), "end what opens so many ports and run again")
		assert.NotContains(t, err.Error(), "\n")
	})
}

// What ends a node while it starts ends the start, named, long before its bound.
func TestNodeThatCannotStart(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		opt   Option
		words []string
	}{
		{"memory, named as such", withLimits(limits{memory: 48 << 20}), []string{"broker 1 was killed for memory (exit code 137)", "give it more"}},
		{
			"disk, named as such",
			withLimits(limits{volume: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": "size=16k"}}),
			[]string{"broker 1 exited, its disk is full (code 1)", "free space and run again", "No space left on device"},
		},
		{
			"a class that is not there, with its log's last lines",
			WithOverlay(Overlay{All: Properties{"authorizer.class.name": "no.such.Authorizer"}}),
			[]string{"broker 1 exited by itself (code 1)", "no.such.Authorizer"},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			b := lone(t, tc.opt)
			began := time.Now()
			err := b.cluster.boot(t.Context())
			for _, word := range tc.words {
				require.ErrorContains(t, err, word)
			}
			assert.Less(t, time.Since(began), startsWithin)
		})
	}
}

// A process that takes no notice of SIGTERM is killed in the end, and that is an error.
func TestShutdownThatHasToBeForced(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Second
	b := lone(t, func(c *Cluster) { c.patience = patience })
	require.NoError(t, create(t, b))
	_, err := b.cluster.engine.ContainerKill(t.Context(), b.container, client.ContainerKillOptions{Signal: "SIGSTOP"})
	require.NoError(t, err)
	began := time.Now()
	exit, err := b.Shutdown(t.Context())
	require.ErrorContains(t, err, "broker 1 did not shut down cleanly and was killed")
	require.ErrorContains(t, err, "of 2s")
	assert.True(t, exit.Forced)
	assert.Equal(t, killed, exit.Code)
	assert.False(t, exit.OOM)
	assert.Less(t, time.Since(began), patience+killWithin)
	running, err := b.Running(t.Context())
	require.NoError(t, err)
	assert.False(t, running)
}
