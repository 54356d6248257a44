package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// A separate controller has no listener for clients. That it is gone or back shows in what the brokers learn of the
// quorum from the active controller (DescribeQuorum): how far each voter has got in the metadata log, to which the active
// controller adds a record at least each metadata.max.idle.interval.ms (500 ms).

// controller is a separate controller that a fault hits, and the rest of its quorum.
type controller struct {
	kind    string
	id      int
	process process
	others  []process
	view    func(context.Context) (cluster.View, error)
}

// ofController returns the fault of a kind for a controller apart from the brokers.
func ofController(kind string, c *cluster.Cluster, n *cluster.Node) (Fault, error) {
	f := &controller{kind: kind, id: n.ID, process: n, view: c.View}
	for _, other := range c.Controllers() {
		if other.ID != n.ID {
			f.others = append(f.others, other)
		}
	}
	return f.way()
}

func (f *controller) way() (Fault, error) {
	ways := []string{cleanShutdown, hardKill, volumeLoss, pause}
	if !slices.Contains(ways, f.kind) {
		return nil, fmt.Errorf("%q is no way to lose %s; use one of %q", f.kind, f.process, ways)
	}
	if f.kind == volumeLoss && len(f.others) == 0 {
		return nil, fmt.Errorf("%s is the only one: with its volume the metadata of the whole cluster would be lost for good", f.process)
	}
	return wayOf(f.kind, f, f.process, true)
}

// Name says which controller is lost and in which way.
func (f *controller) Name() string { return fmt.Sprintf("%s lost by %s", f.process, f.kind) }

// Node is the id of the controller that is hit.
func (f *controller) Node() int { return f.id }

// missedWithin bounds the time until the quorum goes on without a controller, or stands still for want of it:
// controller.quorum.fetch.timeout.ms (2 s) if it was the active one, rounds of an election, and two idle records.
const missedWithin = 20 * time.Second

// missed is how many records the others must have committed that the controller has not, since one may be under way to
// it, and how many looks in a row must have found no active controller, since one may have come at a bad moment.
const missed = 2

// awaitSilent waits until the quorum has no active controller, or has another one and goes on without this controller.
func (f *controller) awaitSilent(ctx context.Context) error {
	what := fmt.Sprintf("the quorum goes on without %s, or has no active controller (controller.quorum.fetch.timeout.ms 2s "+
		"and an election)", f.process)
	silent := 0
	return f.awaitQuorum(ctx, what, missedWithin, func(q cluster.Quorum) bool {
		if q.Leader < 0 {
			silent++
			return silent >= missed
		}
		silent = 0
		return q.Leader != f.id && q.HighWatermark-f.reached(q) >= missed
	})
}

// awaitForgotten waits until another controller is the active one, if there is a majority for that.
func (f *controller) awaitForgotten(ctx context.Context) error {
	running := 0
	for _, other := range f.others {
		runs, err := other.Running(ctx)
		if err != nil {
			return err
		}
		if runs {
			running++
		}
	}
	if running <= (len(f.others)+1)/2 {
		return nil
	}
	what := fmt.Sprintf("another active controller than %s (controller.quorum.fetch.timeout.ms 2s and an election)", f.process)
	return f.awaitQuorum(ctx, what, missedWithin, func(q cluster.Quorum) bool { return q.Leader >= 0 && q.Leader != f.id })
}

// AwaitRecovery waits until the controller has got further in the metadata log than the quorum was when the wait began,
// as a follower or as the active controller, and returns the moment that this was seen.
func (f *controller) AwaitRecovery(ctx context.Context) (time.Time, error) {
	var seen time.Time
	was := int64(-1)
	what := fmt.Sprintf("%s follows or leads the quorum (its start and an election)", f.process)
	err := f.awaitQuorum(ctx, what, returnWithin, func(q cluster.Quorum) bool {
		if q.Leader < 0 {
			return false
		}
		if was < 0 {
			was = q.HighWatermark
		}
		seen = time.Now()
		return f.reached(q) > was
	})
	return seen, err
}

func (f *controller) awaitQuorum(ctx context.Context, what string, within time.Duration, holds func(cluster.Quorum) bool) error {
	_, err := wait.Until(ctx, what, within, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := f.view(ctx)
		return view, err == nil && holds(view.Quorum), err
	})
	return err
}

// reached is the end of the controller's metadata log as the active controller knows it, -1 when it does not.
func (f *controller) reached(q cluster.Quorum) int64 {
	for _, voter := range q.Voters {
		if voter.ID == f.id {
			return voter.LogEndOffset
		}
	}
	return -1
}
