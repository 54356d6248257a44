package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster/wait"
)

// readyWithin bounds the start of all nodes: the registration of a starting broker alone may take
// initial.broker.registration.timeout.ms (60 s).
const readyWithin = 90 * time.Second

// AwaitReady waits until the cluster is what it should be: every broker answers on its advertised address with its
// own id, sees all brokers registered and unfenced, and the quorum has an active controller and all nodes as voters.
// A node that exits ends the wait at once with its last log lines; a deadline names what is missing and of whom.
func (c *Cluster) AwaitReady(ctx context.Context) error {
	proven := map[int]bool{} // brokers that have answered with their own id since the wait began
	_, err := wait.Until(ctx, "three brokers ready (initial.broker.registration.timeout.ms 60s and their start)", readyWithin,
		func(ctx context.Context) (missing, bool, error) {
			lacks, err := c.lacks(ctx, proven)
			return lacks, err == nil && len(lacks) == 0, err
		})
	if gone := new(exited); errors.As(err, &gone) {
		return gone // what the others lack is of no interest then
	}
	return err
}

// missing is what a cluster lacks to be ready, a line each.
type missing []string

// String joins the lines.
func (m missing) String() string { return strings.Join(m, "\n") }

func (c *Cluster) lacks(ctx context.Context, proven map[int]bool) (missing, error) {
	var lacks missing
	view, err := c.View(ctx)
	if isStop(err) {
		return nil, err
	}
	for _, b := range c.brokers {
		seen, answers := view.Brokers[b.ID]
		switch {
		case !answers:
			lacks = append(lacks, fmt.Sprintf("broker %d: %v", b.ID, view.Silent[b.ID]))
		case !slices.Equal(seen.Registered, nodes):
			lacks = append(lacks, fmt.Sprintf("broker %d sees brokers %v registered and unfenced, want %v", b.ID, seen.Registered, nodes))
		case !proven[b.ID]:
			if _, err := b.settings(ctx, "node.id"); err != nil {
				lacks = append(lacks, fmt.Sprintf("broker %d: what answers on %s is not it: %v", b.ID, b.Address(), err))
				continue
			}
			proven[b.ID] = true
		}
	}
	if view.Quorum.Leader < 0 {
		return append(lacks, "quorum: no active controller"), nil
	}
	voters := make([]int, 0, len(nodes))
	for _, voter := range view.Quorum.Voters {
		voters = append(voters, voter.ID)
	}
	if !slices.Equal(voters, nodes) {
		lacks = append(lacks, fmt.Sprintf("quorum: voters %v, want %v", voters, nodes))
	}
	return lacks, nil
}

// isStop reports an error that no further look can mend.
func isStop(err error) bool { return wait.IsStop(err) }
