package fault

import (
	"context"
	"fmt"
	"time"

	"kafka-ha/cluster"
)

// stopped is the loss of a node's process: of a broker, of a controller, or of both in one.
type stopped struct {
	hit
	process process
	end     func(context.Context) (cluster.Exit, error)
	forgets bool // it comes back as a controller that knows nothing of the quorum
}

// Inject ends the process and returns the moment of its exit.
func (f *stopped) Inject(ctx context.Context) (time.Time, error) {
	exit, err := f.end(ctx)
	return exit.At, err
}

// AwaitEffect sees that the process is gone. What the cluster makes of it, and how fast, is for the steps to see.
func (f *stopped) AwaitEffect(ctx context.Context) error {
	running, err := f.process.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("%s still runs", f.process)
	}
	return nil
}

// Heal starts the process again, unless it runs. A controller that comes back empty while the others still take it for
// their leader ends with a fatal error ("received request or response with leader … which is inconsistent with current
// leader", seen on Kafka 4.3.1): it cannot know of the epoch that it led. So it comes back when they do without it.
func (f *stopped) Heal(ctx context.Context) error {
	running, err := f.process.Running(ctx)
	if err != nil || running {
		return err
	}
	if f.forgets {
		if err := f.awaitForgotten(ctx); err != nil {
			return err
		}
	}
	return f.process.Start(ctx)
}
