package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafka-ha/cluster"
)

// paused is a broker, and with it the controller in the same process, that stands still with its connections open: a
// long garbage collection, a stuck disk, a virtual machine that is being moved.
type paused struct {
	cluster *cluster.Cluster
	broker  *cluster.Broker
}

// Name says which broker is paused.
func (f *paused) Name() string { return fmt.Sprintf("%s lost by %s", f.broker, pause) }

// Broker is the id of the paused broker.
func (f *paused) Broker() int { return f.broker.ID }

// Inject freezes the process and returns the moment at which it was frozen.
func (f *paused) Inject(ctx context.Context) (time.Time, error) { return f.broker.Pause(ctx) }

// silence is for how long a paused broker must not have answered to count as silent. One that runs answers in milliseconds.
const silence = 500 * time.Millisecond

// AwaitEffect sees that the process is frozen and answers nobody.
func (f *paused) AwaitEffect(ctx context.Context) error {
	frozen, err := f.broker.Paused(ctx)
	switch {
	case err != nil:
		return err
	case !frozen:
		return fmt.Errorf("%s is not paused", f.broker)
	case f.broker.Answers(ctx, silence):
		return fmt.Errorf("%s still answers", f.broker)
	}
	return nil
}

// Heal lets the process go on.
func (f *paused) Heal(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err == nil && !running {
		err = errors.New("it exited while it was paused")
	}
	if err != nil {
		return err
	}
	return f.broker.Resume(ctx)
}

// AwaitRecovery waits until the broker answers and is registered, and returns the moment that this was seen. A pause of
// less than broker.session.timeout.ms may go by unnoticed.
func (f *paused) AwaitRecovery(ctx context.Context) (time.Time, error) {
	return awaitRegistered(ctx, f.cluster, f.broker)
}
