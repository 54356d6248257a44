package steps

import (
	"context"
	"fmt"
)

func (w *World) clusterSentences(s *sentences) {
	s.given(`three brokers, all in sync`, w.allInSync)
	s.given(`a new cluster of three brokers on empty volumes`, w.newCluster)
}

// allInSync states what every scenario begins with: the Before hook has seen to it, this sees it once more.
func (w *World) allInSync(ctx context.Context) error {
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	registered, err := view.Registered()
	if err != nil {
		return err
	}
	if len(view.Brokers) != 3 || len(registered) != 3 || view.Quorum.Leader < 0 {
		return fmt.Errorf("wanted: three brokers registered and an active controller; seen:\n%s", view)
	}
	for _, name := range view.Topics(true) {
		partitions, err := view.Topic(name)
		if err != nil {
			return err
		}
		for _, p := range partitions {
			if !p.InSync() {
				return fmt.Errorf("%s ISR %v, want %v; seen:\n%s", p.Name(), p.ISR, p.Replicas, view)
			}
		}
	}
	return nil
}

func (w *World) newCluster(ctx context.Context) error {
	return w.kafka(func() error { return w.suite.Cluster.Renew(ctx) })
}
