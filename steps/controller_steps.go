package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kafka-ha/cluster/fault"
)

// Sentences about controllers apart from the brokers, which have ids from 101 on. A controller in the same process as a
// broker is lost with it.
func (w *World) controllerSentences(s *sentences) {
	ways := "(" + strings.Join(fault.Kinds, "|") + ")"
	s.action(`controller (\d+) is lost by `+ways, func(ctx context.Context, id int, how string) error {
		if err := w.isController(id); err != nil {
			return err
		}
		return w.loseNode(ctx, id, how)
	})
	s.action(`controller (\d+) returns`, func(ctx context.Context, id int) error {
		if err := w.isController(id); err != nil {
			return err
		}
		return w.nodeReturns(ctx, id)
	})
}

// isController returns an error that names the controllers there are, unless the node is one apart from the brokers.
func (w *World) isController(id int) error {
	if ids := w.cluster.Topology().Controllers(); !slices.Contains(ids, id) {
		return fmt.Errorf("controller %d: the cluster, %s, has separate controllers %v", id, w.need.Topology, ids)
	}
	return nil
}
