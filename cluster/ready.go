package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kafka-ha/cluster/wait"
)

// readyWithin bounds the start of all nodes: the registration of a starting broker alone may take
// initial.broker.registration.timeout.ms (60 s).
const readyWithin = 90 * time.Second

// AwaitReady waits until the cluster is what its topology says: every broker answers on its advertised address with its
// own id and sees all brokers registered and unfenced, and the quorum has the topology's voters, all of them following
// an active controller (see Topology.Lacks). A node that exits ends the wait at once with its last log lines, and so do
// Refusals: a node that the others turn away, that never votes, or that tells clients of an address where it is not. A
// deadline names what is missing and of whom.
func (c *Cluster) AwaitReady(ctx context.Context) error { return c.awaitShape(ctx, c.topology) }

func (c *Cluster) awaitShape(ctx context.Context, shape Topology) error {
	proven := map[int]bool{} // brokers that have answered with their own id since the wait began
	what := fmt.Sprintf("%s ready (initial.broker.registration.timeout.ms 60s and their start)", shape)
	_, err := wait.Until(ctx, what, readyWithin, func(ctx context.Context) (missing, bool, error) {
		lacks, err := c.lacks(ctx, shape, proven)
		return lacks, err == nil && len(lacks) == 0, err
	})
	if gone := new(exited); errors.As(err, &gone) {
		return gone // what the others lack is of no interest then
	}
	if found, ok := asRefusals(err); ok {
		return found
	}
	return err
}

// missing is what a cluster lacks to be ready, a line each.
type missing []string

// String joins the lines.
func (m missing) String() string { return strings.Join(m, "\n") }

func (c *Cluster) lacks(ctx context.Context, shape Topology, proven map[int]bool) (missing, error) {
	view, err := c.View(ctx)
	if isStop(err) {
		return nil, err
	}
	if err := c.unexpectedExits(ctx); err != nil {
		return nil, err
	}
	if err := c.refused(ctx, view); err != nil {
		return nil, err
	}
	lacks := missing(shape.Lacks(view))
	for _, b := range c.brokers {
		if _, answers := view.Brokers[b.ID]; !answers || proven[b.ID] {
			continue
		}
		told, err := b.settings(ctx, "node.id", "advertised.listeners")
		if err != nil {
			lacks = append(lacks, fmt.Sprintf("broker %d: what answers on %s is not it: %v", b.ID, b.Address(), err))
			continue
		}
		if why := c.notFoundByPeers(b, told["advertised.listeners"].value); why != "" {
			return nil, wait.Stop(Refusals{{ID: b.ID, Why: why}})
		}
		proven[b.ID] = true
	}
	return lacks, nil
}

// isStop reports an error that no further look can mend.
func isStop(err error) bool { return wait.IsStop(err) }
