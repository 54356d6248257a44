package steps

import (
	"context"
	"errors"
	"fmt"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

func (w *World) addressSentences(s *sentences) {
	s.action(`broker (\d+) comes back under a new address, with its old configuration`, func(ctx context.Context, id int) error {
		f, err := fault.Moved(w.cluster, id, "restarted under a new address, with its old configuration")
		if err != nil {
			return err
		}
		return w.breakBy(ctx, f)
	})
	s.action(`broker (\d+) comes back under a new address behind its old name`, w.readdress)
	s.action(`the configuration of broker (\d+) is corrected`, w.correct)
	s.action(`the configurations of the other brokers are corrected, one broker after the other`, w.correctOthers)
}

// readdress moves a broker to other addresses behind its names. Nothing is wrong then, so that it is seen back at once.
func (w *World) readdress(ctx context.Context, id int) error {
	moved := cluster.Alteration{Move: cluster.Readdressed}
	f, err := fault.Altered(w.cluster, id, "restarted under a new address behind its old name", moved)
	if err != nil {
		return err
	}
	if err := w.breakBy(ctx, f); err != nil {
		return err
	}
	return w.kafka(func() error { _, err := f.AwaitRecovery(ctx); return err })
}

// correct gives a broker that moved a configuration with its new address.
func (w *World) correct(ctx context.Context, id int) error {
	b, err := w.cluster.Broker(id)
	if err == nil && !b.Altered().Stale {
		err = fmt.Errorf("the configuration of broker %d is not out of date", id)
	}
	if err != nil {
		return err
	}
	return w.nodesReturn(ctx, id)
}

// correctOthers restarts the brokers that did not move, each with a configuration that has the new addresses, and each
// when every ISR is full.
func (w *World) correctOthers(ctx context.Context) error {
	var still []int
	for _, b := range w.cluster.Brokers() {
		if b.Altered().Move != cluster.Renamed {
			still = append(still, b.ID)
		}
	}
	if len(still) == len(w.cluster.Brokers()) {
		return errors.New("no broker has moved in this scenario")
	}
	for _, id := range still {
		if err := w.reconfigure(ctx, id); err != nil {
			return err
		}
	}
	return w.awaitSync(ctx)
}

func (w *World) reconfigure(ctx context.Context, id int) error {
	if err := w.awaitSync(ctx); err != nil {
		return err
	}
	f, err := fault.Reconfigured(w.cluster, id, "restarted with the new addresses")
	if err != nil {
		return err
	}
	if err := w.breakBy(ctx, f); err != nil {
		return err
	}
	return w.brokersReturn(ctx, id)
}
