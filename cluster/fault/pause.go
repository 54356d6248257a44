package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafka-ha/cluster"
)

// paused is a node, a broker with the controller in the same process among them, that stands still with its connections open: a
// long garbage collection, a stuck disk, a virtual machine that is being moved.
type paused struct {
	cluster *cluster.Cluster
	node    *cluster.Node
}

// Name says which node is paused.
func (f *paused) Name() string { return fmt.Sprintf("%s lost by %s", f.node, pause) }

// Node is the id of the paused node.
func (f *paused) Node() int { return f.node.ID }

// Inject freezes the process and returns the moment at which it was frozen.
func (f *paused) Inject(ctx context.Context) (time.Time, error) { return f.node.Pause(ctx) }

// silence is for how long a paused broker must not have answered to count as silent. One that runs answers in milliseconds.
const silence = 500 * time.Millisecond

// AwaitEffect sees that the process is frozen and answers nobody: a broker no client, a controller not the quorum.
func (f *paused) AwaitEffect(ctx context.Context) error {
	frozen, err := f.node.Paused(ctx)
	if err == nil && !frozen {
		err = fmt.Errorf("%s is not paused", f.node)
	}
	if err != nil {
		return err
	}
	if !f.node.IsBroker() {
		return awaitMissed(ctx, f.cluster, f.node)
	}
	b, err := f.cluster.Broker(f.node.ID)
	if err == nil && b.Answers(ctx, silence) {
		err = fmt.Errorf("%s still answers", b)
	}
	return err
}

// Heal lets the process go on.
func (f *paused) Heal(ctx context.Context) error {
	running, err := f.node.Running(ctx)
	if err == nil && !running {
		err = errors.New("it exited while it was paused")
	}
	if err != nil {
		return err
	}
	return f.node.Resume(ctx)
}

// AwaitRecovery waits until the node is back, and returns the moment that this was seen. A pause of less than
// broker.session.timeout.ms may go by unnoticed.
func (f *paused) AwaitRecovery(ctx context.Context) (time.Time, error) {
	return awaitBack(ctx, f.cluster, f.node)
}
