package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// Kinds are the words that features use for ways to lose a node.
var Kinds = []string{cleanShutdown, hardKill, volumeLoss, pause}

const (
	cleanShutdown = "clean shutdown"
	hardKill      = "hard kill"
	volumeLoss    = "loss of its volume"
	pause         = "a pause"
)

// Of returns the fault of a kind, one of Kinds, for a node: a broker or a separate controller.
func Of(kind string, c *cluster.Cluster, node int) (Fault, error) {
	n, err := c.Node(node)
	if err != nil {
		return nil, err
	}
	return way(kind, c, n)
}

func way(kind string, c *cluster.Cluster, n *cluster.Node) (Fault, error) {
	stopped := stopped{kind: kind, cluster: c, node: n, end: n.Kill}
	switch kind {
	case pause:
		return &paused{cluster: c, node: n}, nil
	case hardKill:
	case cleanShutdown:
		stopped.end = n.Shutdown
	case volumeLoss:
		if stopped.forgets = c.Topology().IsVoter(n.ID); stopped.forgets && len(c.Topology().Voters()) == 1 {
			return nil, fmt.Errorf("%s is the only controller: with its volume the metadata of the whole cluster would be lost for good", n)
		}
		stopped.end = func(ctx context.Context) (cluster.Exit, error) {
			exit, err := n.Kill(ctx)
			if err != nil {
				return exit, err
			}
			return exit, n.ReplaceVolume(ctx)
		}
	default:
		return nil, fmt.Errorf("%q is no way to lose a node; use one of %q", kind, Kinds)
	}
	return &stopped, nil
}

// returnWithin bounds the return of a broker: its start, and its registration, which the controller refuses for
// broker.session.timeout.ms (9 s) while it still takes the former process for alive, and which the broker tries for
// initial.broker.registration.timeout.ms (60 s).
const returnWithin = 75 * time.Second

// stopped is the loss of a node's process: of a broker, of a controller, or of both in one.
type stopped struct {
	kind    string
	cluster *cluster.Cluster
	node    *cluster.Node
	end     func(context.Context) (cluster.Exit, error)
	forgets bool // it comes back as a controller that knows nothing of the quorum
}

// Name says which node is lost and in which way.
func (f *stopped) Name() string { return fmt.Sprintf("%s lost by %s", f.node, f.kind) }

// Node is the id of the lost node.
func (f *stopped) Node() int { return f.node.ID }

// Inject ends the process and returns the moment of its exit.
func (f *stopped) Inject(ctx context.Context) (time.Time, error) {
	exit, err := f.end(ctx)
	return exit.At, err
}

// AwaitEffect sees that the process is gone. What the cluster makes of it, and how fast, is for the steps to see.
func (f *stopped) AwaitEffect(ctx context.Context) error {
	running, err := f.node.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("%s still runs", f.node)
	}
	return nil
}

// Heal starts the process again, unless it runs.
func (f *stopped) Heal(ctx context.Context) error {
	running, err := f.node.Running(ctx)
	if err != nil || running {
		return err
	}
	if f.forgets {
		if err := f.awaitForgotten(ctx); err != nil {
			return err
		}
	}
	return f.node.Start(ctx)
}

// awaitForgotten waits until the other controllers, if there is a majority of them, do without this one. A controller
// that comes back empty while the others still take it for their leader ends with a fatal error ("received request or
// response with leader … which is inconsistent with current leader", seen on Kafka 4.3.1): it cannot know of the epoch
// that it led.
func (f *stopped) awaitForgotten(ctx context.Context) error {
	running := 0
	for _, n := range f.cluster.Controllers() {
		runs, err := n.Running(ctx)
		if err != nil {
			return err
		}
		if runs {
			running++
		}
	}
	switch {
	case running <= len(f.cluster.Controllers())/2:
		return nil // no majority, so no leader
	case f.node.IsBroker():
		return f.awaitFenced(ctx)
	}
	return awaitLedByOthers(ctx, f.cluster, f.node)
}

// fencedAfter is what the two other controllers may take, beside broker.session.timeout.ms, to fence a broker that led
// them: controller.quorum.fetch.timeout.ms (2 s) until they miss it, and rounds of an election.
const fencedAfter = 15 * time.Second

// awaitFenced waits until the other brokers have fenced this one, which shows that they have an active controller without
// it.
func (f *stopped) awaitFenced(ctx context.Context) error {
	session, err := f.cluster.SettingMillis(ctx, "broker.session.timeout.ms")
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s fenced by the others (broker.session.timeout.ms %s and an election)", f.node, session)
	_, err = wait.Until(ctx, what, session+fencedAfter, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := f.cluster.View(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		return view, err == nil && !slices.Contains(registered, f.node.ID), err
	})
	return err
}

// AwaitRecovery waits until the node is back, and returns the moment that this was seen.
func (f *stopped) AwaitRecovery(ctx context.Context) (time.Time, error) {
	return awaitBack(ctx, f.cluster, f.node)
}

// awaitBack waits until a broker answers and is registered, or until a separate controller is one of the quorum again.
func awaitBack(ctx context.Context, c *cluster.Cluster, n *cluster.Node) (time.Time, error) {
	if n.IsBroker() {
		return awaitRegistered(ctx, c, n)
	}
	return awaitFollows(ctx, c, n)
}

func awaitRegistered(ctx context.Context, c *cluster.Cluster, n *cluster.Node) (time.Time, error) {
	what := fmt.Sprintf("%s registered and unfenced (initial.broker.registration.timeout.ms 60s)", n)
	view, err := wait.Until(ctx, what, returnWithin, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := c.View(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		_, answers := view.Brokers[n.ID]
		return view, answers && slices.Contains(registered, n.ID), err
	})
	return view.At, err
}
