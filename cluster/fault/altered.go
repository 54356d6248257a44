package fault

import (
	"context"
	"slices"
	"time"

	"kafka-ha/cluster"
)

// alterable is a broker that can be made anew as something else than it was.
type alterable interface {
	node
	Alter(ctx context.Context, as cluster.Alteration) error
	Altered() cluster.Alteration
	Carries(ctx context.Context) error
}

// altered is a broker that goes down cleanly and comes back as something else: with another volume, under another id or
// address, with another configuration. Its name says what. Its own volume stays as it was.
type altered struct {
	target
	broker   alterable
	as, then cluster.Alteration // while it is broken, and once it is healed
}

// Altered returns the fault of a broker that is restarted as something else, "restarted" and so on in words. Healed it
// is what it should be.
func Altered(c *cluster.Cluster, broker int, words string, as cluster.Alteration) (Fault, error) {
	return alter(c, broker, words, as, cluster.Alteration{})
}

// Moved returns the fault of a broker that comes back under new names and addresses, with a configuration that has the
// former ones. Healed, its own configuration is right: it stays where it moved to, and the others are told nothing.
func Moved(c *cluster.Cluster, broker int, words string) (Fault, error) {
	as := cluster.Alteration{Move: cluster.Renamed, Stale: true}
	return alter(c, broker, words, as, cluster.Alteration{Move: cluster.Renamed})
}

// Reconfigured returns the loss of a broker by clean shutdown, from which it comes back with a configuration that is up
// to date: with the names that others have now.
func Reconfigured(c *cluster.Cluster, broker int, words string) (Fault, error) {
	t, b, err := aimAlone(c, broker, words)
	if err != nil {
		return nil, err
	}
	return &stopped{hit: &t, process: b, as: cluster.Exit.Clean, end: func(ctx context.Context) (cluster.Exit, error) {
		exit, err := b.Shutdown(ctx)
		if err != nil {
			return exit, err
		}
		return exit, b.Alter(ctx, b.Altered())
	}}, nil
}

// aimAlone is aim for such a fault, which to the others is a clean shutdown at first, with the broker itself.
func aimAlone(c *cluster.Cluster, broker int, words string) (target, *cluster.Broker, error) {
	t, err := aim(cleanShutdown+", "+words, c, broker)
	if err != nil {
		return target{}, nil, err
	}
	b, err := c.Broker(broker)
	return t, b, err
}

func alter(c *cluster.Cluster, broker int, words string, as, then cluster.Alteration) (Fault, error) {
	t, b, err := aimAlone(c, broker, words)
	if err != nil {
		return nil, err
	}
	return &altered{target: t, broker: b, as: as, then: then}, nil
}

// Inject restarts the broker altered, and returns the moment at which it had exited.
func (f *altered) Inject(ctx context.Context) (time.Time, error) {
	exit, err := f.broker.Shutdown(ctx)
	if err != nil {
		return exit.At, err
	}
	if err := f.broker.Alter(ctx, f.as); err != nil {
		return exit.At, err
	}
	return exit.At, f.broker.Start(ctx)
}

// AwaitEffect sees that the engine has given the broker what it was to be given. What Kafka makes of it is for the steps
// to see.
func (f *altered) AwaitEffect(ctx context.Context) error { return f.broker.Carries(ctx) }

// Heal ends the broker, cleanly where the others take it for one of them, and starts it as what it is to be.
func (f *altered) Heal(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		end := f.broker.Kill
		if f.registered(ctx) {
			end = f.broker.Shutdown
		}
		if _, err := end(ctx); err != nil {
			return err
		}
	}
	if err := f.broker.Alter(ctx, f.then); err != nil {
		return err
	}
	return f.broker.Start(ctx)
}

func (f *altered) registered(ctx context.Context) bool {
	view, err := f.view(ctx)
	if err != nil {
		return false
	}
	registered, err := view.Registered()
	return err == nil && slices.Contains(registered, f.id)
}
