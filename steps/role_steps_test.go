package steps

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

func TestCast(t *testing.T) {
	view := seen(part(0, 2, 2, 3, 1), part(1, -1, 1, 2, 3))
	view.Quorum.Leader = 3
	for role, want := range map[string]int{
		"broker 3":                  3,
		"the leader of partition 0": 2,
		"a follower of partition 0": 1,
		"the active controller":     3,
	} {
		t.Run(role+", has it now, and keeps it", func(t *testing.T) {
			w := watching(t, view)
			id, err := w.cast(t.Context(), role)
			require.NoError(t, err)
			assert.Equal(t, want, id)
			_, err = w.whoWas(role)
			require.EqualError(t, err, role+" was not lost in this scenario")
			w.losses[id] = &loss{}
			was, err := w.whoWas(role)
			require.NoError(t, err)
			assert.Equal(t, want, was)
		})
	}
	for role, says := range map[string]string{
		"the leader of partition 1":      "the partition is offline",
		"the leader of partition 9":      "has no partition 9",
		"a follower of partition 77777":  "has no partition 77777",
		"the coordinator of group \"1\"": "group",
		"the cook":                       "no role of a broker",
	} {
		t.Run(role+", nobody has, is told", func(t *testing.T) {
			_, err := watching(t, view).cast(t.Context(), role)
			require.ErrorContains(t, err, says)
		})
	}
	t.Run("the active controller, there is none, is told", func(t *testing.T) {
		none := view
		none.Quorum.Leader = -1
		_, err := watching(t, none).cast(t.Context(), "the active controller")
		require.ErrorContains(t, err, "has no active controller")
	})
	t.Run("a role that nobody was lost in, is told", func(t *testing.T) {
		_, err := world(t).whoWas("the active controller")
		require.EqualError(t, err, "the active controller was not lost in this scenario")
	})
}

func TestParseAnyBrokers(t *testing.T) {
	w := world(t)
	read := func(text string) []int {
		ids, err := w.parseAnyBrokers(text)
		require.NoError(t, err)
		return ids
	}
	_, err := w.parseAnyBrokers("the lost broker")
	require.EqualError(t, err, "the lost broker: no broker was lost in this scenario")
	assert.Equal(t, []int{1, 3}, read("brokers 1 and 3"))
	for _, id := range []int{2, 3} {
		_, err := w.faults.Inject(t.Context(), lostBroker(id))
		require.NoError(t, err)
	}
	assert.Equal(t, []int{2, 3}, read("the lost brokers"))
	assert.Equal(t, []int{1}, read("the other brokers"))
	require.NoError(t, w.faults.Heal(t.Context(), 2))
	assert.Equal(t, []int{3}, read("the lost broker"), "the other one has returned")
	require.NoError(t, w.faults.HealAll(t.Context()))
	assert.Equal(t, []int{2, 3}, read("the lost brokers"), "all have returned")
}

// lostBroker is a fault on a broker that is no more than a number.
type lostBroker int

var _ fault.Fault = lostBroker(0)

func (lostBroker) Name() string                                     { return "lost" }
func (b lostBroker) Node() int                                      { return int(b) }
func (lostBroker) Inject(context.Context) (time.Time, error)        { return time.Now(), nil }
func (lostBroker) AwaitEffect(context.Context) error                { return nil }
func (lostBroker) Heal(context.Context) error                       { return nil }
func (lostBroker) AwaitRecovery(context.Context) (time.Time, error) { return time.Now(), nil }

func TestStatesOfBrokers(t *testing.T) {
	view := cluster.View{Brokers: map[int]cluster.BrokerView{1: {Registered: []int{1, 3}}, 3: {Registered: []int{1, 3}}}}
	view.Quorum.Leader = 1
	w := watching(t, view).World
	require.NoError(t, run(w, "Then brokers 1 and 3 are registered"))
	require.NoError(t, run(w, "Then broker 2 is fenced"))
	require.Error(t, run(w, "Then brokers 1 and 2 are registered"))
	require.Error(t, run(w, "Then brokers 1 and 2 are fenced"))
	require.ErrorContains(t, run(w, "Then another broker is the active controller"), "was not lost")
	w.played["the active controller"] = 1
	require.Error(t, run(w, "Then another broker is the active controller"))
	w.played["the active controller"] = 2
	require.NoError(t, run(w, "Then another broker is the active controller"))
}
