package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) sentSentences(s *sentences) {
	s.then(within+`the buffer of the producer is full`, w.bufferIsFull)
	s.then(`for `+amount+` seconds the producer sends no more events`, w.sendingWaits)
	s.then(within+`some events are rejected with `+errorName, w.someRejected)
	s.then(`the longest latency is no shorter than the loss of broker (\d+)`, w.latencyShowsLoss)
}

// producerInUse returns the latest producer of the topic in use.
func (w *World) producerInUse() (*traffic.Producer, *topic, error) {
	t, err := w.topicInUse()
	if err != nil {
		return nil, nil, err
	}
	all := t.producers()
	if len(all) == 0 {
		return nil, nil, errors.New(`nobody writes; begin with "Given a producer is writing 500 events per second with acks=all"`)
	}
	return all[len(all)-1], t, nil
}

// bufferIsFull waits until the client holds as many records as it may.
func (w *World) bufferIsFull(ctx context.Context, within int) error {
	p, _, err := w.producerInUse()
	if err != nil {
		return err
	}
	_, err = wait.Until(ctx, "a full buffer", seconds(within), func(context.Context) (ledger.Counts, bool, error) {
		return p.Snapshot().Counts, p.Full(), nil
	})
	return err
}

// sendingWaits demands that no event is attempted for a time because the buffer is full: the source is held back.
func (w *World) sendingWaits(ctx context.Context, during int) error {
	p, t, err := w.producerInUse()
	if err != nil {
		return err
	}
	if !slices.Contains(t.writers, p) {
		return errors.New("the producer has ended or ends by itself, so that it proves nothing when it sends no more")
	}
	before := p.Snapshot().Sent
	what := fmt.Sprintf("no event sent after the first %d, because the buffer is full", before)
	return wait.Stays(ctx, what, seconds(during), func(context.Context) (ledger.Counts, bool, error) {
		now := p.Snapshot().Counts
		return now, now.Sent == before && p.Full(), p.Err()
	})
}

func (w *World) someRejected(ctx context.Context, within int, name string) error {
	_, t, err := w.producerInUse()
	if err == nil {
		err = knownError(name)
	}
	if err != nil {
		return err
	}
	what := "events of " + t.spec.Name + " rejected with " + name
	_, err = wait.Until(ctx, what, seconds(within), func(context.Context) (string, bool, error) {
		now := t.ledger.Snapshot()
		return fmt.Sprintf("%s; rejections %v", now.Counts, now.Rejections), now.Rejections[name] > 0, nil
	})
	return err
}

// latencyShowsLoss wants an event that was acknowledged since the loss began and took at least as long as the loss. What was
// due while a broker was lost counts from then, also when it was sent only afterwards.
func (w *World) latencyShowsLoss(_ context.Context, id int) error {
	p, t, err := w.producerInUse()
	if err != nil {
		return err
	}
	l := w.losses[id]
	if l == nil || l.Lost == nil || l.Healed.IsZero() {
		return fmt.Errorf("broker %d was not lost and back in this scenario", id)
	}
	before, there := l.latency[p]
	if !there || !slices.Contains(t.writers, p) {
		return fmt.Errorf("no producer was writing at a set rate from before the loss of broker %d until now", id)
	}
	lost, latency := l.Healed.Sub(l.At), p.Latency()
	w.suite.Print("%s", latency)
	if latency.Over(lost-earlyBy) <= before.Over(lost-earlyBy) {
		return fmt.Errorf("wanted: an event with a latency of at least %s, for as long was broker %d lost; seen: %s", lost, id, latency)
	}
	return nil
}

// latencies returns the latencies of every producer as they are now.
func (w *World) latencies() map[*traffic.Producer]traffic.Latency {
	now := map[*traffic.Producer]traffic.Latency{}
	for _, t := range w.topics {
		for _, p := range t.producers() {
			now[p] = p.Latency()
		}
	}
	return now
}
