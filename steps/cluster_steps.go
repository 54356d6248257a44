package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

func (w *World) clusterSentences(s *sentences) {
	for _, topology := range cluster.Topologies {
		s.given(topology.String()+inSync, w.allInSync)
		s.given(topology.String()+withSettings, w.allInSyncWith)
	}
	s.given(`a new cluster of three brokers on empty volumes`, w.newCluster)
	s.action(`broker (\d{1,2}) is unregistered`, w.unregister)
}

// inSyncWithin is in seconds. The Before hook has seen the cluster healthy a moment ago; a look may come between a
// heartbeat and its answer.
const inSyncWithin = 10

// allInSync states what every scenario begins with: the Before hook has read this sentence and has seen to it (see
// NeedOf), this sees it once more.
func (w *World) allInSync(ctx context.Context) error {
	return w.kafka(func() error {
		what := w.need.Topology.String() + ": all registered, an active controller that the others follow, and every replica in its ISR"
		_, err := wait.Until(ctx, what, seconds(inSyncWithin), func(ctx context.Context) (cluster.View, bool, error) {
			view, err := w.view(ctx)
			if err != nil {
				return view, false, err
			}
			if lacks := w.need.Topology.Lacks(view); len(lacks) > 0 {
				return view, false, errors.New(strings.Join(lacks, "; "))
			}
			synced, err := view.InSync(view.Topics(true)...)
			return view, synced, err
		})
		return err
	})
}

// allInSyncWith sees that each setting of the table is in force in every broker too: a scenario about a value that is
// not so would prove nothing of it.
func (w *World) allInSyncWith(ctx context.Context, _ *godog.Table) error {
	if err := w.allInSync(ctx); err != nil {
		return err
	}
	return w.kafka(func() error {
		wanted := w.need.Settings
		for _, key := range slices.Sorted(maps.Keys(wanted.Properties)) {
			for _, b := range w.cluster.Brokers() {
				value, err := b.Setting(ctx, key)
				if err == nil && !strings.EqualFold(value, wanted.Properties[key]) {
					err = fmt.Errorf("wanted: %s=%s; seen: %s has %s", key, wanted.Properties[key], b, value)
				}
				if err != nil {
					return err
				}
			}
		}
		for name, level := range wanted.Features {
			if seen := w.cluster.Head.Features[name]; int(seen) != level {
				return fmt.Errorf("wanted: %s at level %d; seen: level %d", name, level, seen)
			}
		}
		return nil
	})
}

// noFault is an error while a node is lost: in a new cluster it would not be, and might return all the same.
func (w *World) noFault() error {
	for _, l := range w.faults.Open() {
		return fmt.Errorf("%s: let it return first, a new cluster has every node", l.Fault.Name())
	}
	return nil
}

func (w *World) newCluster(ctx context.Context) error {
	if err := w.noFault(); err != nil {
		return err
	}
	return w.kafka(func() error { return w.cluster.Renew(ctx) })
}

// unregister is for a broker that is lost: the controller would have one that is alive register again at once.
func (w *World) unregister(ctx context.Context, id int) error {
	if !slices.Contains(w.lostNow(), id) {
		return fmt.Errorf("broker %d is not lost, so that it would be registered again at once", id)
	}
	return w.kafka(func() error { return w.cluster.Unregister(ctx, id) })
}
