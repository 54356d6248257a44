package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
)

// witness watches what a child makes in the engine, by the label that names its process, so that what it leaves is
// found under its own name also when the label is lost: an engine that creates a missing volume gives it none.
type witness struct {
	docker *engine.Engine
	owner  string // end of the owner label before the start time: "/4711/"
	stop   context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	clusters []string
}

func watch(t *testing.T, pid int) *witness {
	t.Helper()
	docker, err := engine.Connect(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	w := &witness{docker: docker, owner: fmt.Sprintf("/%d/", pid), stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		wait.Watch(ctx, 200*time.Millisecond, func(ctx context.Context) { _, _ = w.standing(ctx) })
	}()
	t.Cleanup(func() {
		cancel()
		<-w.done
		_ = docker.Close()
	})
	return w
}

// nothingLeft sees that nothing stands of the child, under its label or under the names of its clusters.
func (w *witness) nothingLeft(t *testing.T, within time.Duration) {
	t.Helper()
	w.stop()
	<-w.done
	_, err := wait.Until(context.Background(), "nothing is left of the run", within, func(ctx context.Context) ([]string, bool, error) {
		left, err := w.standing(ctx)
		return left, len(left) == 0, err
	})
	require.NoError(t, err)
}

// standing lists what stands of the child, and remembers its clusters.
func (w *witness) standing(ctx context.Context) ([]string, error) {
	var found []string
	labelled := make(client.Filters).Add("label", engine.LabelOwner)
	containers, err := w.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: labelled})
	if err != nil {
		return nil, err
	}
	for _, c := range containers.Items {
		found = w.note(found, "container "+strings.Join(c.Names, ","), c.Labels)
	}
	networks, err := w.docker.NetworkList(ctx, client.NetworkListOptions{Filters: labelled})
	if err != nil {
		return nil, err
	}
	for _, n := range networks.Items {
		found = w.note(found, "network "+n.Name, n.Labels)
	}
	volumes, err := w.docker.VolumeList(ctx, client.VolumeListOptions{})
	if err != nil {
		return nil, err
	}
	for _, v := range volumes.Items {
		labels := v.Labels
		if labels[engine.LabelOwner] == "" && w.owns(v.Name) {
			labels = map[string]string{engine.LabelOwner: w.owner}
		}
		found = w.note(found, "volume "+v.Name, labels)
	}
	return found, nil
}

func (w *witness) owns(volume string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.clusters, func(id string) bool { return strings.Contains(volume, id) })
}

func (w *witness) note(found []string, what string, labels map[string]string) []string {
	if !strings.Contains(labels[engine.LabelOwner], w.owner) {
		return found
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := labels[engine.LabelCluster]; id != "" && !slices.Contains(w.clusters, id) {
		w.clusters = append(w.clusters, id)
	}
	return append(found, what)
}

// marked returns the processes that carry a child's mark in their environment.
func marked(mark string) ([]string, error) {
	all, err := process.Processes()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, p := range all {
		env, err := p.Environ()
		if err != nil || !slices.Contains(env, markEnv+"="+mark) {
			continue // it has ended meanwhile, or is none of ours to look into
		}
		name, _ := p.Cmdline()
		found = append(found, fmt.Sprintf("%d %s", p.Pid, name))
	}
	return found, nil
}
