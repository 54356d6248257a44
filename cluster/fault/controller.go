package fault

import (
	"context"
	"fmt"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// A separate controller has no listener for clients. That it is gone or back shows in what the brokers learn of the
// quorum from the active controller (DescribeQuorum): how far each voter has got in the metadata log, to which the active
// controller adds a record at least each metadata.max.idle.interval.ms (500 ms).

// missedWithin bounds the time until the quorum goes on without a controller, or stands still for want of it:
// controller.quorum.fetch.timeout.ms (2 s) if it was the active one, rounds of an election, and two idle records.
const missedWithin = 20 * time.Second

// missed is how many records the others must have committed that the controller has not, since one may be under way to
// it, and how many looks in a row must have found no active controller, since one may have come at a bad moment.
const missed = 2

// awaitMissed waits until the quorum has no active controller, or has another one and goes on without this controller.
func awaitMissed(ctx context.Context, c *cluster.Cluster, n *cluster.Node) error {
	what := fmt.Sprintf("the quorum goes on without %s, or has no active controller (controller.quorum.fetch.timeout.ms 2s and an election)", n)
	silent := 0
	return awaitQuorum(ctx, c, what, missedWithin, func(q cluster.Quorum) bool {
		if q.Leader < 0 {
			silent++
			return silent >= missed
		}
		silent = 0
		return q.Leader != n.ID && q.HighWatermark-reached(q, n) >= missed
	})
}

// awaitLedByOthers waits until another controller is the active one.
func awaitLedByOthers(ctx context.Context, c *cluster.Cluster, n *cluster.Node) error {
	what := fmt.Sprintf("another active controller than %s (controller.quorum.fetch.timeout.ms 2s and an election)", n)
	return awaitQuorum(ctx, c, what, missedWithin, func(q cluster.Quorum) bool { return q.Leader >= 0 && q.Leader != n.ID })
}

// awaitFollows waits until the controller has got further in the metadata log than the quorum was when the wait began,
// as a follower or as the active controller, and returns the moment that this was seen.
func awaitFollows(ctx context.Context, c *cluster.Cluster, n *cluster.Node) (time.Time, error) {
	var seen time.Time
	was := int64(-1)
	what := fmt.Sprintf("%s follows or leads the quorum (its start and an election)", n)
	err := awaitQuorum(ctx, c, what, returnWithin, func(q cluster.Quorum) bool {
		if q.Leader < 0 {
			return false
		}
		if was < 0 {
			was = q.HighWatermark
		}
		seen = time.Now()
		return reached(q, n) > was
	})
	return seen, err
}

func awaitQuorum(ctx context.Context, c *cluster.Cluster, what string, within time.Duration, holds func(cluster.Quorum) bool) error {
	_, err := wait.Until(ctx, what, within, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := c.View(ctx)
		return view, err == nil && holds(view.Quorum), err
	})
	return err
}

// reached is the end of the controller's metadata log as the active controller knows it, -1 when it does not.
func reached(q cluster.Quorum, n *cluster.Node) int64 {
	for _, voter := range q.Voters {
		if voter.ID == n.ID {
			return voter.LogEndOffset
		}
	}
	return -1
}
