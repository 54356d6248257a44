package steps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/trace"
	"kafka-ha/fixtures/traffic"
)

func (w *World) sentSentences(s *sentences) {
	s.then(within+`the buffer of the producer is full`, w.bufferIsFull)
	s.then(`for `+amount+` seconds the producer sends no more events`, w.sendingWaits)
	s.then(within+`some events are rejected with `+errorName, w.someRejected)
	s.then(`the events were sent at `+count+` per second`, w.sentAtRate)
	s.then(`the trace was sent in real time, `+count+` times as fast`, w.sentInRealTime)
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

// sendingWaits demands that no event is attempted for a time: the source is held back.
func (w *World) sendingWaits(ctx context.Context, during int) error {
	p, _, err := w.producerInUse()
	if err != nil {
		return err
	}
	before := p.Snapshot().Sent
	what := fmt.Sprintf("no event sent after the first %d", before)
	return wait.Stays(ctx, what, seconds(during), func(context.Context) (ledger.Counts, bool, error) {
		now := p.Snapshot().Counts
		return now, now.Sent == before, nil
	})
}

func (w *World) someRejected(ctx context.Context, within int, name string) error {
	_, t, err := w.producerInUse()
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

// How far an event may be from the moment it is due. An open loop sends late events at once when a stall is over, so
// that only the machine's own hiccups remain.
const (
	earlyBy = 100 * time.Millisecond
	lateBy  = 2 * time.Second
)

// sentAtRate compares each attempt with its place in a steady row.
func (w *World) sentAtRate(_ context.Context, perSecond string) error {
	rate, err := parseCount(perSecond)
	if err != nil {
		return err
	}
	return w.sentOnTime(func(n int) (time.Duration, error) { return time.Duration(n) * time.Second / time.Duration(rate), nil })
}

// sentInRealTime compares each attempt with the time that the trace says.
func (w *World) sentInRealTime(_ context.Context, times string) error {
	speed, err := parseCount(times)
	if err != nil {
		return err
	}
	recorded, err := trace.Embedded()
	if err != nil {
		return err
	}
	return w.sentOnTime(func(int) (time.Duration, error) {
		position, err := recorded.Next()
		return position.Time / time.Duration(speed), err
	})
}

// sentOnTime reads from the ledger when each event of the latest producer was attempted. Moments count from the first.
func (w *World) sentOnTime(due func(n int) (time.Duration, error)) error {
	p, t, err := w.producerInUse()
	if err != nil {
		return err
	}
	if err := t.ledger.Sync(); err != nil {
		return err
	}
	var start, first time.Duration
	n := 0
	for entry, err := range ledger.File(filepath.Join(t.ledger.Dir(), ledger.FileName)).Entries() {
		if err != nil {
			return err
		}
		if entry.Kind != ledger.KindAttempt || entry.Producer != p.Index() {
			continue
		}
		at, err := due(n)
		if err != nil {
			return fmt.Errorf("event %d: %w", n+1, err)
		}
		if n == 0 {
			start, first = entry.At, at
		}
		n++
		if off := (entry.At - start) - (at - first); off < -earlyBy || off > lateBy {
			return fmt.Errorf("wanted: event %d sent %s after the first, at most %s early or %s late; seen: %s after it",
				n, at-first, earlyBy, lateBy, entry.At-start)
		}
	}
	return enough(n)
}

// enough refuses a pace that so few events say nothing about.
func enough(events int) error {
	if events < 100 {
		return fmt.Errorf("wanted: at least 100 events, to tell their pace; seen: %d", events)
	}
	return nil
}

// latencyShowsLoss is for producers that send at a given pace: what was due while a broker was lost counts from then,
// also when it was sent only afterwards.
func (w *World) latencyShowsLoss(_ context.Context, id int) error {
	p, _, err := w.producerInUse()
	if err != nil {
		return err
	}
	l := w.losses[id]
	if l == nil || l.Lost == nil || l.Healed.IsZero() {
		return fmt.Errorf("broker %d was not lost and back in this scenario", id)
	}
	lost, latency := l.Healed.Sub(l.At), p.Latency()
	w.suite.Print("%s", latency)
	if latency.Max < lost-earlyBy {
		return fmt.Errorf("wanted: a latency of at least %s, for as long was broker %d lost; seen: %s", lost, id, latency)
	}
	return nil
}
