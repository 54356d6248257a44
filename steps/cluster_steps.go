package steps

import (
	"context"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

func (w *World) clusterSentences(s *sentences) {
	s.given(`three brokers, all in sync`, w.allInSync)
	s.given(`a new cluster of three brokers on empty volumes`, w.newCluster)
}

// inSyncWithin is in seconds. The Before hook has seen the cluster healthy a moment ago; a look may come between a
// heartbeat and its answer.
const inSyncWithin = 10

// allInSync states what every scenario begins with: the Before hook has seen to it, this sees it once more.
func (w *World) allInSync(ctx context.Context) error {
	return w.kafka(func() error {
		what := "three brokers registered, an active controller, and every replica in its ISR"
		_, err := wait.Until(ctx, what, seconds(inSyncWithin), func(ctx context.Context) (cluster.View, bool, error) {
			view, err := w.view(ctx)
			if err != nil {
				return view, false, err
			}
			registered, err := view.Registered()
			if err != nil || len(view.Brokers) != 3 || len(registered) != 3 || view.Quorum.Leader < 0 {
				return view, false, err
			}
			synced, err := view.InSync(view.Topics(true)...)
			return view, synced, err
		})
		return err
	})
}

func (w *World) newCluster(ctx context.Context) error {
	return w.kafka(func() error { return w.suite.Cluster.Renew(ctx) })
}
