package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// fakes is a pool of clusters that only say what is asked of them, and what stands of them.
type fakes struct {
	*Pool[*fakeCluster]
	said     []string
	standing []string
	start    error
}

type fakeCluster struct {
	of                  *fakes
	name                string
	reset, renew, close error
}

func (c *fakeCluster) say(what string) { c.of.said = append(c.of.said, what+" "+c.name) }

func (c *fakeCluster) Reset(context.Context) error {
	c.say("reset")
	return c.reset
}

func (c *fakeCluster) Renew(context.Context) error {
	c.say("renew")
	return c.renew
}

func (c *fakeCluster) Close(context.Context) error {
	c.say("close")
	c.of.standing = slices.DeleteFunc(c.of.standing, func(name string) bool { return name == c.name })
	return c.close
}

func newFakes() *fakes {
	f := &fakes{}
	f.Pool = NewPool(func(_ context.Context, need Need) (*fakeCluster, error) {
		c := &fakeCluster{of: f, name: fmt.Sprintf("%d", need.Topology.Voters()[0])}
		if !need.Settings.Empty() {
			c.name += need.Settings.String()
		}
		c.say("start")
		if f.start != nil {
			return nil, f.start
		}
		f.standing = append(f.standing, c.name)
		return c, nil
	}, func(format string, a ...any) { f.said = append(f.said, "told: "+fmt.Sprintf(format, a...)) })
	return f
}

func TestPool(t *testing.T) {
	combined, one := Need{}, Need{Topology: cluster.OneController}
	set := Need{Settings: cluster.Settings{Properties: cluster.Properties{"a": "1"}}}
	acquire := func(t *testing.T, f *fakes, need Need) *fakeCluster {
		t.Helper()
		c, err := f.Acquire(t.Context(), need)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(f.standing), atMost)
		return c
	}
	t.Run("need, met already, is reset and reused", func(t *testing.T) {
		f := newFakes()
		first := acquire(t, f, combined)
		assert.Same(t, first, acquire(t, f, combined))
		assert.Equal(t, []string{"start 1", "reset 1"}, f.said)
		starts, _ := f.Started()
		assert.Equal(t, 1, starts)
	})
	t.Run("two needs, in turns, start two clusters and no more", func(t *testing.T) {
		f := newFakes()
		for range 3 {
			acquire(t, f, combined)
			acquire(t, f, one)
		}
		assert.Equal(t, []string{"start 1", "start 101", "reset 1", "reset 101", "reset 1", "reset 101"}, f.said)
	})
	t.Run("a third need, closes the one used least recently, before it starts", func(t *testing.T) {
		f := newFakes()
		acquire(t, f, combined)
		acquire(t, f, one)
		acquire(t, f, combined)
		acquire(t, f, set)
		assert.Equal(t, []string{
			"start 1", "start 101", "reset 1",
			"told: closing the cluster of three brokers with one separate controller: 2 at once are enough", "close 101", "start 1a=1",
		}, f.said)
		assert.Equal(t, []string{"1", "1a=1"}, f.standing)
	})
	t.Run("same topology, other settings, is another cluster", func(t *testing.T) {
		f := newFakes()
		assert.NotSame(t, acquire(t, f, combined), acquire(t, f, set))
	})
	t.Run("failed reset, is made anew and used", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		c.reset = errors.New("broker 2 is gone")
		assert.Same(t, c, acquire(t, f, combined))
		assert.Equal(t, []string{"start 1", "reset 1", "told: the cluster could not be brought back to its start state, making a new one: broker 2 is gone", "renew 1"}, f.said)
		starts, _ := f.Started()
		assert.Equal(t, 2, starts)
	})
	t.Run("failed reset and failed renewal, is closed and replaced at once", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		c.reset, c.renew = errors.New("gone"), errors.New("port taken")
		f.said = nil
		assert.NotSame(t, c, acquire(t, f, combined))
		assert.Equal(t, []string{
			"reset 1", "told: the cluster could not be brought back to its start state, making a new one: gone", "renew 1",
			"told: closing the cluster of three brokers: it could not be made anew: port taken", "close 1", "start 1",
		}, f.said)
		assert.Equal(t, []string{"1"}, f.standing)
	})
	t.Run("failed renewal and failed start, tell both", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		c.reset, c.renew, f.start = errors.New("gone"), errors.New("port taken"), errors.New("no memory")
		_, err := f.Acquire(t.Context(), combined)
		require.EqualError(t, err, "port taken\nno memory")
		assert.Empty(t, f.standing)
	})
	t.Run("failed renewal and failed closing, tell both and start nothing", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		c.reset, c.renew, c.close = errors.New("gone"), errors.New("port taken"), errors.New("engine is gone")
		got, err := f.Acquire(t.Context(), combined)
		require.EqualError(t, err, "port taken\nengine is gone")
		assert.Same(t, c, got, "for its logs")
		assert.Equal(t, "close 1", f.said[len(f.said)-1])
	})
	t.Run("failed renewal of a run that was stopped, starts nothing", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		c.reset, c.renew = errors.New("gone"), errors.New("stopped")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got, err := f.Acquire(ctx, combined)
		require.EqualError(t, err, "stopped")
		assert.Same(t, c, got)
		assert.Equal(t, "renew 1", f.said[len(f.said)-1])
	})
	t.Run("failed start, is told and tried again the next time", func(t *testing.T) {
		f := newFakes()
		f.start = errors.New("no memory")
		_, err := f.Acquire(t.Context(), combined)
		require.EqualError(t, err, "no memory")
		f.start = nil
		acquire(t, f, combined)
		assert.Equal(t, []string{"start 1", "start 1"}, f.said)
	})
	t.Run("failed closing, is told and starts nothing", func(t *testing.T) {
		f := newFakes()
		acquire(t, f, combined).close = errors.New("engine is gone")
		acquire(t, f, one)
		_, err := f.Acquire(t.Context(), set)
		require.EqualError(t, err, "engine is gone")
		assert.NotContains(t, f.said, "start 1a=1")
	})
	t.Run("discarded, is closed at once and started anew for the next", func(t *testing.T) {
		f := newFakes()
		first := acquire(t, f, one)
		acquire(t, f, combined)
		require.NoError(t, f.Discard(t.Context(), one, "it was changed"))
		assert.Equal(t, []string{"1"}, f.standing)
		assert.NotSame(t, first, acquire(t, f, one))
		assert.Equal(t, []string{
			"start 101", "start 1", "told: closing the cluster of three brokers with one separate controller: it was changed", "close 101", "start 101",
		}, f.said)
		require.NoError(t, f.Discard(t.Context(), set, "it was changed"), "nobody has one")
	})
	t.Run("closing, closes all", func(t *testing.T) {
		f := newFakes()
		acquire(t, f, combined)
		acquire(t, f, one)
		require.NoError(t, f.Close(t.Context()))
		assert.Empty(t, f.standing)
		_, some, err := f.CloseOthers(t.Context())
		require.NoError(t, err)
		assert.False(t, some)
	})
	t.Run("closing the others, keeps the one used last", func(t *testing.T) {
		f := newFakes()
		c := acquire(t, f, combined)
		acquire(t, f, one)
		acquire(t, f, combined)
		last, some, err := f.CloseOthers(t.Context())
		require.NoError(t, err)
		assert.True(t, some)
		assert.Same(t, c, last)
		assert.Equal(t, []string{"1"}, f.standing)
	})
	t.Run("added cluster, is used for its need", func(t *testing.T) {
		f := newFakes()
		c := &fakeCluster{of: f, name: "mine"}
		f.Add(one, c)
		assert.Same(t, c, acquire(t, f, one))
	})
}
