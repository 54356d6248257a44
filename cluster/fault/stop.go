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
	as      func(cluster.Exit) bool // what the exit must be, for the loss to be of its kind
	empty   bool                    // its volume is gone
	forgets bool                    // it comes back as a controller that knows nothing of the quorum

	exit cluster.Exit // once it is injected
}

// Inject ends the process and returns the moment of its exit.
func (f *stopped) Inject(ctx context.Context) (time.Time, error) {
	var err error
	f.exit, err = f.end(ctx)
	return f.exit.At, err
}

// AwaitEffect sees that the process is gone, in the way that it was to go, and its volume with it if that was to be lost.
// What the cluster makes of it, and how fast, is for the steps to see.
func (f *stopped) AwaitEffect(ctx context.Context) error {
	running, err := f.process.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("%s still runs", f.process)
	}
	if !f.as(f.exit) {
		return fmt.Errorf("%s ended in another way: %+v", f.process, f.exit)
	}
	if !f.empty {
		return nil
	}
	formatted, err := f.process.Formatted(ctx)
	if err == nil && formatted {
		err = fmt.Errorf("%s has its former volume still", f.process)
	}
	return err
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
