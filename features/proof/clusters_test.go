package proof

import (
	"sync"
	"sync/atomic"
	"testing"
)

// atMost is how many clusters the cases of this package have at once. Kafka's own waits take the time of most of them, so
// that two side by side take little more than one, also on two cores; more would make the waits longer.
const atMost = 2

var (
	clusters = make(chan struct{}, atMost)
	taking   sync.Mutex // who wants several takes them in one go, or two such cases would wait for each other
)

// takeClusters lets a case run beside others, with clusters of its own: once that many of them are free, until it ends.
func takeClusters(t *testing.T, want int) {
	t.Helper()
	t.Parallel()
	taking.Lock()
	defer taking.Unlock()
	for range want {
		clusters <- struct{}{}
		t.Cleanup(func() { <-clusters })
	}
}

// sweeping is held for reading while a run begins, which is when it sweeps, and for writing while a case watches how a run
// ends that was stopped or killed: the sweep of another case's run would do what that run or its janitor must do.
var (
	sweeping sync.RWMutex
	watching atomic.Pointer[testing.T] // who holds it for writing
)

// watchEnd keeps the runs of other cases from beginning until the case ends or calls what is returned.
func watchEnd(t *testing.T) (release func()) {
	t.Helper()
	sweeping.Lock()
	watching.Store(t)
	release = sync.OnceFunc(func() {
		watching.Store(nil)
		sweeping.Unlock()
	})
	t.Cleanup(release)
	return release
}
