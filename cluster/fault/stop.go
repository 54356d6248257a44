package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// Kinds are the words that features use for ways to lose a broker.
var Kinds = []string{cleanShutdown, hardKill, volumeLoss, pause}

const (
	cleanShutdown = "clean shutdown"
	hardKill      = "hard kill"
	volumeLoss    = "loss of its volume"
	pause         = "a pause"
)

// Of returns the fault of a kind, one of Kinds, for a broker.
func Of(kind string, c *cluster.Cluster, broker int) (Fault, error) {
	b, err := c.Broker(broker)
	if err != nil {
		return nil, err
	}
	return way(kind, c, b)
}

func way(kind string, c *cluster.Cluster, b *cluster.Broker) (Fault, error) {
	stopped := stopped{kind: kind, cluster: c, broker: b}
	switch kind {
	case pause:
		return &paused{cluster: c, broker: b}, nil
	case cleanShutdown:
		stopped.end = b.Shutdown
	case hardKill:
		stopped.end = b.Kill
	case volumeLoss:
		stopped.forgets = true
		stopped.end = func(ctx context.Context) (cluster.Exit, error) {
			exit, err := b.Kill(ctx)
			if err != nil {
				return exit, err
			}
			return exit, b.ReplaceVolume(ctx)
		}
	default:
		return nil, fmt.Errorf("%q is no way to lose a broker; use one of %q", kind, Kinds)
	}
	return &stopped, nil
}

// returnWithin bounds the return of a broker: its start, and its registration, which the controller refuses for
// broker.session.timeout.ms (9 s) while it still takes the former process for alive, and which the broker tries for
// initial.broker.registration.timeout.ms (60 s).
const returnWithin = 75 * time.Second

// stopped is the loss of a broker's process, and with it of the controller in the same process.
type stopped struct {
	kind    string
	cluster *cluster.Cluster
	broker  *cluster.Broker
	end     func(context.Context) (cluster.Exit, error)
	forgets bool // it comes back as a controller that knows nothing of the quorum
}

// Name says which broker is lost and in which way.
func (f *stopped) Name() string { return fmt.Sprintf("%s lost by %s", f.broker, f.kind) }

// Broker is the id of the lost broker.
func (f *stopped) Broker() int { return f.broker.ID }

// Inject ends the process and returns the moment of its exit.
func (f *stopped) Inject(ctx context.Context) (time.Time, error) {
	exit, err := f.end(ctx)
	return exit.At, err
}

// AwaitEffect sees that the process is gone. What the cluster makes of it, and how fast, is for the steps to see.
func (f *stopped) AwaitEffect(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("%s still runs", f.broker)
	}
	return nil
}

// Heal starts the process again, unless it runs.
func (f *stopped) Heal(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err != nil || running {
		return err
	}
	if f.forgets {
		if err := f.awaitFenced(ctx); err != nil {
			return err
		}
	}
	return f.broker.Start(ctx)
}

// fencedAfter is what the two other controllers may take, beside broker.session.timeout.ms, to fence a broker that led
// them: controller.quorum.fetch.timeout.ms (2 s) until they miss it, and rounds of an election.
const fencedAfter = 15 * time.Second

// awaitFenced waits until the two other brokers, if they are there, have fenced this one, which shows that they have an
// active controller without it. A controller that comes back empty while the others still take it for their leader ends
// with a fatal error ("received request or response with leader … which is inconsistent with current leader", seen on
// Kafka 4.3.1): it cannot know of the epoch that it led.
func (f *stopped) awaitFenced(ctx context.Context) error {
	var others []*cluster.Broker
	for _, b := range f.cluster.Brokers() {
		running, err := b.Running(ctx)
		if err != nil {
			return err
		}
		if running {
			others = append(others, b)
		}
	}
	if len(others) < 2 {
		return nil // no majority, so no leader and nobody to fence it
	}
	session, err := others[0].SettingMillis(ctx, "broker.session.timeout.ms")
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s fenced by the others (broker.session.timeout.ms %s and an election)", f.broker, session)
	_, err = wait.Until(ctx, what, session+fencedAfter, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := f.cluster.View(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		return view, err == nil && !slices.Contains(registered, f.broker.ID), err
	})
	return err
}

// AwaitRecovery waits until the broker answers and is registered, and returns the moment that this was seen.
func (f *stopped) AwaitRecovery(ctx context.Context) (time.Time, error) {
	return awaitRegistered(ctx, f.cluster, f.broker)
}

func awaitRegistered(ctx context.Context, c *cluster.Cluster, b *cluster.Broker) (time.Time, error) {
	what := fmt.Sprintf("%s registered and unfenced (initial.broker.registration.timeout.ms 60s)", b)
	view, err := wait.Until(ctx, what, returnWithin, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := c.View(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		_, answers := view.Brokers[b.ID]
		return view, answers && slices.Contains(registered, b.ID), err
	})
	return view.At, err
}
