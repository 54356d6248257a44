package proof

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
)

// atMost is how many clusters this package has at once. Kafka's own waits take the time of most cases, so that two side by
// side take little more than one, also on two cores; more would make each other wait.
const atMost = 2

var (
	taking   sync.Mutex   // one after the other
	taken    atomic.Int64 // clusters of cases that run
	children sync.Map     // this package's runs: *os.Process by process id
)

// takeClusters lets a case run beside others, with clusters of its own: once there is room for them, until it ends. What
// somebody else has in this engine takes room too, down to one case at a time: go test runs the features at the same
// time, if there are two cores, and those look at the clock.
func takeClusters(t *testing.T, want int64) {
	t.Helper()
	t.Parallel()
	taking.Lock()
	defer taking.Unlock()
	docker, err := engine.Connect(t.Context())
	require.NoError(t, err)
	defer func() { _ = docker.Close() }()
	ctx, enter := context.WithCancel(t.Context())
	defer enter()
	wait.Watch(ctx, 250*time.Millisecond, func(ctx context.Context) {
		if mine := taken.Load(); mine == 0 || mine+want <= atMost && mine+want+elsewhere(ctx, docker) <= atMost {
			enter()
		}
	})
	taken.Add(want)
	t.Cleanup(func() { taken.Add(-want) })
}

// elsewhere counts the clusters of other runs. What cannot be seen takes no room.
func elsewhere(ctx context.Context, docker *engine.Engine) int64 {
	labelled := make(client.Filters).Add("label", engine.LabelOwner)
	running, err := docker.ContainerList(ctx, client.ContainerListOptions{Filters: labelled})
	if err != nil {
		return 0
	}
	others := map[string]bool{}
	for _, c := range running.Items {
		owner := strings.Split(c.Labels[engine.LabelOwner], "/") // place, process, start
		if len(owner) < 2 {
			continue
		}
		if _, ours := children.Load(owner[1]); !ours {
			others[c.Labels[engine.LabelCluster]] = true
		}
	}
	return int64(len(others))
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
