package steps

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

// part is partition id of "telemetry" with replicas on all brokers.
func part(id, leader int, isr ...int) cluster.Partition {
	return cluster.Partition{Topic: "telemetry", ID: id, Leader: leader, Replicas: []int{1 + id%3, 1 + (id+1)%3, 1 + (id+2)%3}, ISR: isr}
}

// seen is a look, now, at which two brokers tell the same.
func seen(partitions ...cluster.Partition) cluster.View {
	told := cluster.BrokerView{Registered: []int{1, 2, 3}, Topics: map[string][]cluster.Partition{"telemetry": partitions, "__internal": nil}}
	return cluster.View{At: time.Now(), Brokers: map[int]cluster.BrokerView{2: told, 3: told}}
}

// watched is a world with a topic, and what it sees when it looks.
type watched struct {
	*World
	present atomic.Pointer[cluster.View]
}

func watching(t *testing.T, view cluster.View) *watched {
	t.Helper()
	w := &watched{World: world(t)}
	w.use("telemtry", w.spec("telemtry", 3, 3, 2)) // asked for, and not there
	w.use("telemetry", w.spec("telemetry", 3, 3, 2))
	w.present.Store(&view)
	w.look = func(context.Context) (cluster.View, error) { return *w.present.Load(), nil }
	return w
}

func TestStates(t *testing.T) {
	healthy := []cluster.Partition{part(0, 1, 1, 2, 3), part(1, 2, 3, 2, 1), part(2, 3, 1, 2, 3)}
	without1 := []cluster.Partition{part(0, 2, 2, 3), part(1, 2, 2, 3), part(2, 3, 3, 2)}
	oneBehind := []cluster.Partition{part(0, 2, 2, 3), part(1, 2, 1, 2, 3), part(2, 3, 2, 3)}
	offline := []cluster.Partition{part(0, -1, 1), part(1, 2, 2, 3)}
	narrow := []cluster.Partition{{Topic: "telemetry", Leader: 1, Replicas: []int{1, 2}, ISR: []int{1, 2}}}
	for _, c := range []struct {
		sentence   string
		partitions []cluster.Partition
		want       bool
	}{
		{"every partition is led by brokers 2 and 3", without1, true},
		{"every partition is led by brokers 2 and 3", healthy, false},
		{"every partition is led by brokers 1, 2 and 3", offline, false},
		{"every partition is led by broker 1", narrow, true},
		{"every partition is led by broker 1", nil, false},
		{"the ISR of every partition is brokers 1, 2 and 3", healthy, true},
		{"the ISR of every partition is brokers 2 and 3", without1, true},
		{"the ISR of every partition is brokers 2 and 3", oneBehind, false},
		{"the ISR of every partition is brokers 1, 2 and 3", oneBehind, false},
		{"the ISR of every partition is brokers 2 and 3", healthy, false},
		{"the ISR of every partition is brokers 1 and 2", without1, false},
		{"the replicas of every partition are on brokers 1, 2 and 3", without1, true},
		{"the replicas of every partition are on brokers 1, 2 and 3", narrow, false},
		{"no partition is led by broker 1", without1, true},
		{"no partition is led by broker 1", healthy, false},
		{"no partition is led by broker 1", nil, false},
		{"no ISR contains broker 1", without1, true},
		{"no ISR contains broker 1", oneBehind, false},
		{"no ISR contains brokers 1 and 3", without1, false},
		{"every broker leads exactly 1 partitions", healthy, true},
		{"every broker leads exactly 1 partitions", without1, false},
		{"every broker leads exactly 0 partitions", healthy, false},
		{"brokers 1, 2 and 3 lead 1, 1 and 1 partitions", healthy, true},
		{"brokers 1, 2 and 3 lead 0, 2 and 1 partitions", without1, true},
		{"brokers 1, 2 and 3 lead 0, 1 and 2 partitions", without1, false},
		{"brokers 1, 2 and 3 lead 0, 0 and 0 partitions", healthy, false},
		{"every broker follows exactly 2 partitions", healthy, true},
		{"every broker follows exactly 2 partitions", without1, false},
		{`no broker knows the topic "telemetry"`, healthy, false},
		{`no broker knows the topic "telemtry"`, healthy, true},
		{"no broker knows any user topic", healthy, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			err := run(watching(t, seen(c.partitions...)).World, "Then "+c.sentence)
			if c.want {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "wanted: ")
			require.ErrorContains(t, err, "cluster at ", "what was seen instead")
		})
	}
	t.Run("no user topic, internal ones only, holds", func(t *testing.T) {
		view := seen()
		for _, told := range view.Brokers {
			delete(told.Topics, "telemetry")
		}
		require.NoError(t, run(watching(t, view).World, "Then no broker knows any user topic"))
	})
	t.Run("brokers that differ, are told as that", func(t *testing.T) {
		view := seen(healthy...)
		view.Brokers[3] = seen(without1...).Brokers[3]
		require.ErrorContains(t, run(watching(t, view).World, "Then no ISR contains broker 1"), "brokers 2 and 3 tell different things")
	})
	for _, sentence := range []string{`no broker knows the topic "telemtry"`, "no broker knows any user topic", "no ISR contains broker 1", "every broker leads exactly 0 partitions"} {
		t.Run("nobody answers, "+sentence+", proves nothing", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := watching(t, cluster.View{})
				w.timeline.Add(cluster.View{At: time.Now().Add(time.Second)})
				require.ErrorContains(t, run(w.World, "Then "+sentence), "no broker answers")
				require.Error(t, run(w.World, "Then within 3 seconds "+sentence))
			})
		})
	}
	t.Run("broker that there is not, is refused", func(t *testing.T) {
		require.ErrorContains(t, run(watching(t, seen(healthy...)).World, "Then no ISR contains broker 4"), "not 4")
	})
	t.Run("no topic in use, is told", func(t *testing.T) {
		require.ErrorContains(t, run(world(t), "Then no ISR contains broker 1"), "no topic yet")
	})
}

func TestMomentOf(t *testing.T) {
	w, exit := world(t), time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)
	w.losses[2] = &loss{Lost: &fault.Lost{Fault: named("broker 2 lost by hard kill, with another volume"), At: exit, Returned: exit.Add(time.Minute)}}
	for event, want := range map[string]time.Time{"exit": exit, "registration": exit.Add(time.Minute)} {
		moment, err := w.momentOf(event, "broker 2")
		require.NoError(t, err)
		assert.Equal(t, want, moment)
	}
	t.Run("a broker that did not exit, has only a loss", func(t *testing.T) {
		for _, how := range []string{"a pause", "isolation from clients", "isolation from its peers"} {
			w.losses[2].Fault = named("broker 2 lost by " + how)
			_, err := w.momentOf("exit", "broker 2")
			require.EqualError(t, err, "broker 2 was lost by "+how+`: it did not exit; say "of the loss of"`)
			_, err = w.momentOf("loss", "broker 2")
			require.NoError(t, err)
		}
		for _, how := range []string{"clean shutdown", "loss of its volume"} {
			w.losses[2].Fault = named("broker 2 lost by " + how)
			_, err := w.momentOf("exit", "broker 2")
			require.NoError(t, err, how)
		}
	})
	t.Run("a role of a broker that was not lost, is told", func(t *testing.T) {
		w := watching(t, seen(part(0, 2, 2, 3, 1)))
		_, err := w.cast(t.Context(), "the leader of partition 0")
		require.NoError(t, err)
		for _, event := range []string{"exit", "loss", "registration"} {
			_, err = w.momentOf(event, "the leader of partition 0")
			require.EqualError(t, err, "the leader of partition 0 was not lost in this scenario")
		}
		require.EqualError(t, w.directoryIsAnother(t.Context(), "the leader of partition 0"), "the leader of partition 0 was not lost in this scenario")
	})
}

// named is a fault that is no more than its name.
type named string

func (n named) Name() string                                   { return string(n) }
func (named) Node() int                                        { return 2 }
func (named) Inject(context.Context) (time.Time, error)        { return time.Now(), nil }
func (named) AwaitEffect(context.Context) error                { return nil }
func (named) Heal(context.Context) error                       { return nil }
func (named) AwaitRecovery(context.Context) (time.Time, error) { return time.Now(), nil }

func TestGrowthWhileLost(t *testing.T) {
	const sentence = "Then the end offsets grew while broker 2 was lost, by exactly the records acknowledged meanwhile"
	t.Run("broker not lost, is told", func(t *testing.T) {
		require.ErrorContains(t, run(world(t), sentence), "broker 2 was not lost and back in this scenario")
	})
	t.Run("broker lost while another was, has no growth of its own", func(t *testing.T) {
		w := world(t)
		w.losses[2] = &loss{noted: true, to: map[string]map[int32]int64{}}
		require.ErrorContains(t, run(w, sentence), "the end offsets at the loss and the return of broker 2 are not known")
	})
}

// after adds a look to the timeline, and makes it the present view, when some time has passed.
func after(w *watched, d time.Duration, partitions ...cluster.Partition) {
	time.AfterFunc(d, func() {
		view := seen(partitions...)
		w.timeline.Add(view)
		w.present.Store(&view)
	})
}

func TestStateForms(t *testing.T) {
	full, shrunk := part(0, 1, 1, 2, 3), part(0, 2, 2, 3)
	lost := func(w *watched, ago time.Duration) {
		w.losses[1] = &loss{Lost: &fault.Lost{Fault: killing{}, At: time.Now().Add(-ago)}}
	}
	for name, c := range map[string]struct {
		prepare  func(w *watched) // the timeline began with the full ISR 100 seconds ago, and looks on
		sentence string
		took     time.Duration
		err      string
	}{
		"within, comes in time, holds when it comes": {
			func(w *watched) { after(w, 2*time.Second, shrunk) }, "within 5 seconds no ISR contains broker 1", 2 * time.Second, "",
		},
		"within, is so already, holds at the next look": {
			func(w *watched) { after(w, 100*time.Millisecond, full) }, "within 5 seconds every partition is led by broker 1", 100 * time.Millisecond, "",
		},
		"within, comes too late, fails at the end": {
			func(w *watched) { after(w, 6*time.Second, shrunk) }, "within 5 seconds no ISR contains broker 1", 5500 * time.Millisecond, "wanted: no ISR contains broker 1, within 5s of",
		},
		"within, comes within the grace for looking, fails all the same": {
			func(w *watched) { after(w, 5200*time.Millisecond, shrunk) }, "within 5 seconds no ISR contains broker 1", 5200 * time.Millisecond, "it came about only after 5.2s",
		},
		"within of exit, came in time and was read late, holds at once": {
			func(w *watched) {
				lost(w, 0)
				after(w, 3*time.Second, shrunk)
				after(w, 10*time.Second, full)
				<-time.After(20 * time.Second)
			}, "within 5 seconds of the exit of broker 1 no ISR contains broker 1", 0, "",
		},
		"within of exit, came late and was read late, fails at once": {
			func(w *watched) {
				lost(w, 0)
				after(w, 7*time.Second, shrunk)
				<-time.After(20 * time.Second)
			}, "within 5 seconds of the exit of broker 1 no ISR contains broker 1", 0, "it came about only after 7s",
		},
		"within of exit, broker not lost, is told": {
			func(*watched) {}, "within 5 seconds of the exit of broker 2 no ISR contains broker 2", 0, "broker 2 was not lost in this scenario",
		},
		"within of registration, broker not back, is told": {
			func(w *watched) { lost(w, 0) }, "within 5 seconds of the registration of broker 1 no ISR contains broker 2", 0, "broker 1 has not returned in this scenario",
		},
		"within of registration, broker back, counts from there": {
			func(w *watched) {
				lost(w, time.Minute)
				w.losses[1].Returned = time.Now().Add(2 * time.Second)
				after(w, 6*time.Second, shrunk)
			}, "within 5 seconds of the registration of broker 1 no ISR contains broker 1", 6 * time.Second, "",
		},
		"for, stays, holds after the time": {
			func(*watched) {}, "for 4 seconds every partition is led by broker 1", 4 * time.Second, "",
		},
		"for, ends meanwhile, fails at that moment": {
			func(w *watched) { after(w, 1020*time.Millisecond, shrunk) }, "for 4 seconds every partition is led by broker 1", 1050 * time.Millisecond, "wanted for 4s: every partition is led by broker 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := seen(full)
				first.At = first.At.Add(-100 * time.Second)
				w := watching(t, first)
				w.timeline.Add(first)
				c.prepare(w)
				began := time.Now()
				err := run(w.World, "Then "+c.sentence)
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.err)
				}
				assert.InDelta(t, c.took, time.Since(began), float64(50*time.Millisecond))
				<-time.After(time.Minute) // or the bubble ends with views to come
			})
		})
	}
}
