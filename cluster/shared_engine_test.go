package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
)

// One cluster for all that needs brokers that answer. Each part leaves it as it found it.
func TestLiveCluster(t *testing.T) {
	session := begin(t)
	c, err := Start(t.Context(), On(session))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		nothingLeft(t, c)
	})
	t.Run("another cluster in the same session is another one", func(t *testing.T) { startAnother(t, session, c) })
	t.Run("a port taken while the broker was away is named", func(t *testing.T) { comeBackToTakenPort(t, c) })
	t.Run("records outlive the process, not the volume", func(t *testing.T) { loseProcessThenVolume(t, c) })
	t.Run("a broker killed behind the suite's back ends the wait", func(t *testing.T) { killFromOutside(t, c) })
	t.Run("a paused broker answers nobody until it is resumed", func(t *testing.T) { pauseAndResume(t, c) })
	t.Run("a broker is cut off from clients alone, and from its peers alone", func(t *testing.T) { cutOffAndReconnect(t, c) })
	t.Run("a broker that is restarted from outside is told at the end of a scenario", func(t *testing.T) { restartFromOutside(t, c) })
	t.Run("a broker of another cluster is named, and no scenario after it has that cluster", func(t *testing.T) { alterAndReset(t, c) })
}

// startAnother starts a second cluster beside the first and removes it; the first does not notice.
func startAnother(t *testing.T, session *engine.Session, c *Cluster) {
	second, err := Start(t.Context(), On(session))
	require.NoError(t, err)
	assert.NotEqual(t, c.ID, second.ID)
	assert.NotEqual(t, c.KafkaID, second.KafkaID)
	for _, address := range second.Bootstrap() {
		assert.NotContains(t, c.Bootstrap(), address)
	}
	require.NoError(t, second.Close(t.Context()))
	nothingLeft(t, second)
	view, err := c.View(t.Context())
	require.NoError(t, err)
	assert.Len(t, view.Brokers, 3)
}

func comeBackToTakenPort(t *testing.T, c *Cluster) {
	b, err := c.Broker(3)
	require.NoError(t, err)
	exit, err := b.Shutdown(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Exit{Code: terminated, At: exit.At}, exit)
	assert.True(t, exit.Clean())
	assert.False(t, exit.Killed())
	release := hold(t, b.port)
	err = b.Start(t.Context())
	problem := new(engine.Problem)
	require.ErrorAs(t, err, &problem)
	require.EqualError(t, err, "broker 3 cannot come back: its port "+b.Address()[len("127.0.0.1:"):]+
		" on 127.0.0.1 was taken meanwhile; end the process that holds it and run again")
	release()
	require.NoError(t, b.Start(t.Context()))
	require.NoError(t, c.AwaitReady(t.Context()))
}

func loseProcessThenVolume(t *testing.T, c *Cluster) {
	const topic, records = "outlive", 100
	require.NoError(t, c.CreateTopic(t.Context(), topic, 1, 3, nil))
	_, err := c.AwaitSync(t.Context(), topic)
	require.NoError(t, err)
	write(t, c, topic, records)
	b, err := c.Broker(1)
	require.NoError(t, err)
	formatted := func() bool {
		found, err := b.Formatted(t.Context())
		require.NoError(t, err)
		return found
	}
	stored := func() int64 {
		counted, err := b.Stored(t.Context(), topic, 1)
		require.NoError(t, err)
		return counted[0]
	}

	exit, err := b.Kill(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Exit{Code: killed, At: exit.At}, exit)
	assert.True(t, exit.Killed())
	assert.False(t, exit.Clean())
	assert.WithinDuration(t, time.Now(), exit.At, killWithin)
	require.NoError(t, b.Start(t.Context()))
	back(t, c, topic)
	assert.EqualValues(t, records, stored(), "after a restart")

	_, err = b.Kill(t.Context())
	require.NoError(t, err)
	assert.True(t, formatted(), "the former volume")
	require.NoError(t, b.ReplaceVolume(t.Context()))
	assert.False(t, formatted(), "the new volume")
	assert.Zero(t, stored(), "on the new volume")
	require.NoError(t, b.Start(t.Context()))
	back(t, c, topic)
	assert.EqualValues(t, records, stored(), "copied from the leader")
	require.NoError(t, c.DeleteTopics(t.Context(), topic))
}

// back waits until all brokers are back, in the topic's ISR too.
func back(t *testing.T, c *Cluster, topic string) {
	t.Helper()
	require.NoError(t, c.AwaitReady(t.Context()))
	_, err := c.AwaitSync(t.Context(), topic)
	require.NoError(t, err)
}

func write(t *testing.T, c *Cluster, topic string, n int) {
	t.Helper()
	session, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.DefaultProduceTopic(topic))
	require.NoError(t, err)
	defer session.Close()
	for range n {
		session.Produce(t.Context(), kgo.StringRecord("x"), func(_ *kgo.Record, err error) { assert.NoError(t, err) })
	}
	require.NoError(t, session.Flush(t.Context()))
}

// killFromOutside kills broker 2 without the suite's knowing. A wait for something else says so at
// once, and the reset that ends each scenario says so too, also when nothing waited: it is no scenario's fault.
func killFromOutside(t *testing.T, c *Cluster) {
	const says = "broker 2 was killed, and not by the suite (code 137)"
	b, err := c.Broker(2)
	require.NoError(t, err)
	_, err = c.engine.ContainerKill(t.Context(), b.container, client.ContainerKillOptions{Signal: "SIGKILL"})
	require.NoError(t, err)
	began := time.Now()
	_, err = wait.Until(t.Context(), "something else", readyWithin, func(ctx context.Context) (View, bool, error) {
		view, err := c.View(ctx)
		return view, false, err
	})
	require.ErrorContains(t, err, says)
	require.ErrorContains(t, err, "last log lines")
	assert.Less(t, time.Since(began), readyWithin/2)
	require.ErrorContains(t, c.Reset(t.Context()), says)
	require.NoError(t, c.Reset(t.Context()), "the broker was started again")
}

// restartFromOutside restarts broker 3 without the suite's knowing: nothing that waits would see it.
func restartFromOutside(t *testing.T, c *Cluster) {
	b, err := c.Broker(3)
	require.NoError(t, err)
	_, err = c.engine.ContainerRestart(t.Context(), b.container, client.ContainerRestartOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, c.Reset(t.Context()), "broker 3 was restarted, and not by the suite")
	require.NoError(t, c.Reset(t.Context()), "it is told once")
}

// pauseAndResume freezes broker 1, by the suite and from outside.
func pauseAndResume(t *testing.T, c *Cluster) {
	b, err := c.Broker(1)
	require.NoError(t, err)
	require.True(t, b.Answers(t.Context(), time.Second))
	_, err = b.Pause(t.Context())
	require.NoError(t, err)
	assert.False(t, b.Answers(t.Context(), time.Second))
	require.NoError(t, b.Resume(t.Context()))
	require.NoError(t, b.Resume(t.Context()), "it runs already")
	require.NoError(t, c.Reset(t.Context()))

	_, err = c.engine.ContainerPause(t.Context(), b.container, client.ContainerPauseOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, c.Reset(t.Context()), "broker 1 was paused, and not by the suite")
	assert.True(t, b.Answers(t.Context(), time.Second))
}
