package fault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// paused is a node, a broker with the controller in the same process among them, that stands still with its connections
// open: a long garbage collection, a stuck disk, a virtual machine that is being moved. A pause of less than
// broker.session.timeout.ms may go by unnoticed.
type paused struct {
	hit
	process process
}

// Inject freezes the process and returns the moment at which it was frozen.
func (f *paused) Inject(ctx context.Context) (time.Time, error) { return f.process.Pause(ctx) }

// silence is for how long a paused broker must not have answered to count as silent. One that runs answers in milliseconds.
const silence = 500 * time.Millisecond

// AwaitEffect sees that the process is frozen and answers nobody: a broker no client, a controller not the quorum.
func (f *paused) AwaitEffect(ctx context.Context) error {
	frozen, err := f.process.Paused(ctx)
	if err == nil && !frozen {
		err = fmt.Errorf("%s is not paused", f.process)
	}
	if err != nil {
		return err
	}
	return f.awaitSilent(ctx)
}

// Heal lets the process go on.
func (f *paused) Heal(ctx context.Context) error {
	running, err := f.process.Running(ctx)
	if err == nil && !running {
		err = errors.New("it exited while it was paused")
	}
	if err != nil {
		return err
	}
	return f.process.Resume(ctx)
}
