package steps

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
	"kafka-ha/steps/clock"
)

// killing is a fault as it is when nobody injects it.
type killing struct{}

func (killing) Name() string                                     { return "broker 1 lost by hard kill" }
func (killing) Node() int                                        { return 1 }
func (killing) Inject(context.Context) (time.Time, error)        { return time.Now(), nil }
func (killing) AwaitEffect(context.Context) error                { return nil }
func (killing) Heal(context.Context) error                       { return errors.New("not in this test") }
func (killing) AwaitRecovery(context.Context) (time.Time, error) { return time.Time{}, nil }

// lossOf puts a loss of broker 1 that began some time ago into the world, with default settings, and a look that shows the
// topic's two partitions before and after.
func lossOf(t *testing.T, w *World, ago time.Duration) *clocked {
	t.Helper()
	top := w.use("telemetry", w.spec("telemetry", 2, 3, 2))
	view := func(at time.Time, registered []int, partitions ...cluster.Partition) cluster.View {
		return cluster.View{At: at, Quorum: cluster.Quorum{Leader: 2}, Brokers: map[int]cluster.BrokerView{
			2: {Registered: registered, Topics: map[string][]cluster.Partition{top.spec.Name: partitions}},
		}}
	}
	part := func(id, leader int, isr ...int) cluster.Partition {
		return cluster.Partition{Topic: top.spec.Name, ID: id, Leader: leader, Replicas: []int{1, 2, 3}, ISR: isr}
	}
	at := time.Now().Add(-ago)
	before := view(at.Add(-time.Second), []int{1, 2, 3}, part(0, 1, 1, 2, 3), part(1, 2, 1, 2, 3))
	w.timeline.Add(before)
	w.timeline.Add(view(at.Add(ago/2), []int{1, 2, 3}, part(0, 1, 1, 2, 3), part(1, 2, 1, 2, 3)))
	w.timeline.Add(view(at.Add(ago/2+time.Millisecond), []int{2, 3}, part(0, 2, 2, 3), part(1, 2, 2, 3)))
	w.timeline.Add(view(time.Now(), []int{2, 3}, part(0, 2, 2, 3), part(1, 2, 2, 3)))
	l := &loss{Lost: &fault.Lost{Fault: killing{}, Asked: at.Add(-time.Millisecond), At: at, Seen: at.Add(time.Millisecond)}, before: before}
	w.losses[1] = l
	c := &clocked{loss: l, topic: top, inForce: clock.Settings{Times: clock.Defaults().Times}}
	w.clocked = append(w.clocked, c)
	return c
}

func TestClockSentences(t *testing.T) {
	t.Run("no loss, is red", func(t *testing.T) {
		w := world(t)
		w.use("telemetry", w.spec("telemetry", 2, 3, 2))
		for _, sentence := range []string{
			"no partition went without an acknowledgement for longer than the budget of the loss of broker 1",
			"every partition that broker 1 led was written again within the default budget of its loss",
			"every partition that broker 1 led had a new leader within the budget of its loss",
			"broker 1 was out of every ISR within the budget of its loss",
			"broker 1 was fenced within the default budget of its loss",
			"broker 1 was in every ISR again within the budget of its return",
			"every clock of the loss of broker 1 stopped within its default budget",
			"broker 1 left every ISR because it was fenced",
		} {
			require.EqualError(t, run(w, "Then "+sentence), "broker 1 was not lost in this scenario", sentence)
		}
	})
	t.Run("the latest loss, is that of the broker lost last", func(t *testing.T) {
		w := world(t)
		w.use("telemetry", w.spec("telemetry", 2, 3, 2))
		for _, sentence := range []string{"every clock of the latest loss stopped within its budget", "the lost broker was fenced within the budget of its loss"} {
			require.EqualError(t, run(w, "Then "+sentence), "no broker was lost in this scenario", sentence)
		}
		_, err := w.faults.Inject(t.Context(), killing{})
		require.NoError(t, err)
		id, err := w.lostBroker("the lost broker")
		require.NoError(t, err)
		assert.Equal(t, 1, id)
		id, err = w.lostBroker("the loss of broker 3")
		require.NoError(t, err)
		assert.Equal(t, 3, id)
	})
	t.Run("brokers lost at once, none of them is the latest", func(t *testing.T) {
		w := world(t)
		w.aim = func(_ string, id int) (fault.Fault, error) { return lostBroker(id), nil }
		w.look = func(context.Context) (cluster.View, error) { return seen(part(0, 2, 2, 3, 1)), nil }
		require.NoError(t, w.loseAtOnce(t.Context(), []planned{{2, "hard kill"}, {1, "hard kill"}}))
		for _, sentence := range []string{"every clock of the latest loss stopped within its budget", "the lost broker left every ISR because it was fenced"} {
			require.ErrorContains(t, run(w, "Then "+sentence), "several were lost at once, so name the broker", sentence)
		}
		id, err := w.lostBroker("broker 2")
		require.NoError(t, err)
		assert.Equal(t, 2, id)
		require.NoError(t, w.faults.HealAll(t.Context()))
		require.NoError(t, w.loseAtOnce(t.Context(), []planned{{3, "hard kill"}}))
		id, err = w.lostBroker("the lost broker")
		require.NoError(t, err, "one alone")
		assert.Equal(t, 3, id)
	})
	t.Run("a controller apart from the brokers, is refused", func(t *testing.T) {
		w := world(t)
		w.need.Topology = cluster.ThreeControllers
		w.aim = func(_ string, id int) (fault.Fault, error) { return lostBroker(id), nil }
		w.look = func(context.Context) (cluster.View, error) { return seen(part(0, 2, 2, 3, 1)), nil }
		plan := []planned{{101, "hard kill"}, {2, "hard kill"}}
		require.EqualError(t, w.loseWhenMissed(t.Context(), plan), `controller 101 is in no ISR that could lose it: say "one after the other"`)
		require.Empty(t, w.faults.All(), "nobody was lost yet")
		require.NoError(t, w.lose(t.Context(), plan[:1]))
		for _, sentence := range []string{
			"broker 101 was out of every ISR within the budget of its loss", "broker 101 was fenced within the budget of its loss",
			"broker 101 was in every ISR again within the budget of its return", "every clock of the loss of broker 101 stopped within its budget",
			"every clock of the latest loss stopped within its budget", "the lost broker was fenced within the budget of its loss",
		} {
			require.ErrorContains(t, run(w, "Then "+sentence), "controller 101 is no broker", sentence)
		}
	})
	t.Run("a loss within its budget, holds", func(t *testing.T) {
		w := world(t)
		lossOf(t, w, 16*time.Second)
		require.NoError(t, run(w, "Then broker 1 was fenced within the budget of its loss"))
		require.NoError(t, run(w, "Then every partition that broker 1 led had a new leader within the default budget of its loss"))
		require.NoError(t, run(w, "Then broker 1 left every ISR because it was fenced"))
		require.EqualError(t, run(w, "Then broker 1 left every ISR because it lagged"),
			"wanted: broker 1 left every ISR because it lagged; seen: it left every ISR because it was fenced")
	})
	t.Run("a loss beyond its budget, is red at once and names terms", func(t *testing.T) {
		w := world(t)
		lossOf(t, w, 50*time.Second)
		began := time.Now()
		err := run(w, "Then broker 1 was fenced within the budget of its loss")
		require.ErrorContains(t, err, "wanted: fenced, from the loss within 14.1 s = 9.0 s broker.session.timeout.ms + ")
		require.ErrorContains(t, err, "seen: 25.0 s")
		assert.Less(t, time.Since(began), 5*time.Second)
	})
	t.Run("clients' clocks, where nobody wrote, are red", func(t *testing.T) {
		w := world(t)
		lossOf(t, w, 16*time.Second)
		require.ErrorContains(t, run(w, "Then every clock of the loss of broker 1 stopped within its budget"), "nobody wrote to telemetry")
	})
	t.Run("no return, is red", func(t *testing.T) {
		w := world(t)
		lossOf(t, w, 16*time.Second)
		require.EqualError(t, run(w, "Then broker 1 was in every ISR again within the budget of its return"),
			"broker 1 has not returned in this scenario")
	})
}

func TestKeepClocks(t *testing.T) {
	t.Run("a loss that was timed, leaves its table with the evidence", func(t *testing.T) {
		w := world(t)
		w.dir = t.TempDir()
		lossOf(t, w, 16*time.Second).inForce.Abrupt = true
		w.keepClocks(t.Context(), false)
		text, err := os.ReadFile(filepath.Join(w.dir, "clocks.txt"))
		require.NoError(t, err)
		assert.Contains(t, string(text), "clocks of broker 1 lost by hard kill\n")
		assert.Regexp(t, `fenced, from the loss +8\.0 s +14\.1 s`, string(text))
		assert.Contains(t, string(text), "left every ISR because it was fenced")
		assert.Contains(t, string(text), "in force: controlled.shutdown.enable is false")
	})
	t.Run("no loss, leaves nothing", func(t *testing.T) {
		w := world(t)
		w.dir = t.TempDir()
		w.keepClocks(t.Context(), true)
		assert.NoFileExists(t, filepath.Join(w.dir, "clocks.txt"))
	})
}
