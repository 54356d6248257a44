package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) ackSentences(s *sentences) {
	s.action(count+` more events of the running producers are acknowledged`, w.moreAcknowledged)
	s.then(within+`every partition acknowledges a new record`, w.writingGoesOn)
	s.then(`for `+amount+` seconds no partition that the lost broker led acknowledges a record`, w.staysUnwritten)
	s.then(within+`the producer has sent (?:the whole trace|all its events)`, w.hasSentAll)
	s.then(`all `+count+` events are acknowledged`, w.allAcknowledged)
}

// moreAcknowledged waits until the producers that are running have so many more acknowledgements than now, from whichever
// partitions still give them.
func (w *World) moreAcknowledged(ctx context.Context, count string) error {
	more, err := parseCount(count)
	if err != nil {
		return err
	}
	_, t, err := w.producerInUse()
	if err != nil {
		return err
	}
	want := t.ledger.Snapshot().Acknowledged + uint64(more) // not negative
	what := fmt.Sprintf("%d events of %s acknowledged (delivery.timeout.ms)", want, t.spec.Name)
	return w.sending(func() error {
		_, err := wait.Until(ctx, what, sendWithin, func(context.Context) (ledger.Counts, bool, error) {
			now := t.ledger.Snapshot().Counts
			return now, now.Acknowledged >= want, nil
		})
		return err
	})
}

// writingGoesOn demands of each partition a record that was acknowledged after this sentence was read. While a broker
// is lost this is the proof of writes during the fault, and the recount demands it of the ledger too.
func (w *World) writingGoesOn(ctx context.Context, within int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if len(t.producers()) == 0 {
		return errors.New(`nobody writes; begin with "Given a producer is writing 500 events per second with acks=all"`)
	}
	if err := w.awaitAcks(ctx, t, time.Now(), within, t.producers()); err != nil {
		return err
	}
	for _, l := range w.faults.Open() {
		if err := w.losses[l.Fault.Node()].demand(t, ledger.Expect{During: true}); err != nil {
			return err
		}
	}
	return nil
}

// awaitAcks waits until every partition has an acknowledgement newer than a moment, and until an event that one of the
// producers sent after this call is acknowledged: what is acknowledged now may have been sent long ago.
func (w *World) awaitAcks(ctx context.Context, t *topic, since time.Time, within int, from []*traffic.Producer) error {
	if t.spec.Partitions == 0 {
		return fmt.Errorf("topic %s was not made by this scenario, so that its partitions are not known", t.spec.Name)
	}
	open := make([]uint64, len(from)) // events of each producer that were under way or to be acknowledged when this began
	for i, p := range from {
		before := p.Snapshot()
		open[i] = before.Sent - before.Rejected - before.Indeterminate
	}
	return w.kafka(func() error {
		what := fmt.Sprintf("each of the %d partitions of %s acknowledges a record sent by a running producer",
			t.spec.Partitions, t.spec.Name)
		_, err := wait.Until(ctx, what, seconds(within), func(context.Context) (string, bool, error) {
			acked, fresh := map[int32]bool{}, false
			for i, p := range from {
				if err := p.Err(); err != nil {
					return "", false, wait.Stop(err)
				}
				now := p.Snapshot()
				fresh = fresh || now.Acknowledged > open[i]
				for _, partition := range now.AckedSince(since) {
					acked[partition] = true
				}
			}
			waiting := t.without(acked)
			seen := fmt.Sprintf("no acknowledgement from partitions %v; a new event acknowledged: %t; %s",
				waiting, fresh, t.ledger.Snapshot().Counts)
			return seen, len(waiting) == 0 && fresh, nil
		})
		return err
	})
}

// staysUnwritten demands that no write which a partition of the lost broker's acknowledged came after this call.
func (w *World) staysUnwritten(ctx context.Context, during int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	led, err := w.ledByLost(t)
	if err != nil {
		return err
	}
	since := time.Now()
	what := fmt.Sprintf("no record acknowledged by partitions %v of %s", led, t.spec.Name)
	return w.kafka(func() error {
		return wait.Stays(ctx, what, seconds(during), func(context.Context) (string, bool, error) {
			for _, p := range t.producers() {
				for _, partition := range p.Snapshot().AckedSince(since) {
					if slices.Contains(led, int(partition)) {
						return fmt.Sprintf("partition %d acknowledged one", partition), false, nil
					}
				}
			}
			return "none", true, nil
		})
	})
}

// ledByLost returns the partitions that the brokers lost now led before. Without one, and without a producer that would
// write to it, silence would prove nothing.
func (w *World) ledByLost(t *topic) ([]int, error) {
	var led []int
	for _, l := range w.faults.Open() {
		partitions, err := w.losses[l.Fault.Node()].before.Topic(t.spec.Name)
		if err != nil {
			return nil, err
		}
		for _, p := range partitions {
			if p.LedBy(l.Fault.Node()) {
				led = append(led, p.ID)
			}
		}
	}
	if len(led) == 0 || len(t.writers) == 0 {
		return nil, errors.New("wanted: a lost broker that led partitions, and a producer that is writing; there is none")
	}
	return led, nil
}

// without returns the topic's partitions that are not in a set, ascending.
func (t *topic) without(set map[int32]bool) []int32 {
	var rest []int32
	for partition := range t.spec.Partitions {
		if !set[partition] {
			rest = append(rest, partition)
		}
	}
	return rest
}

// hasSentAll waits until the source is exhausted and each event has its outcome.
func (w *World) hasSentAll(ctx context.Context, within int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if len(t.senders) == 0 {
		return errors.New(`nobody sends a given number of events; begin with ` +
			`"Given a producer starts to send the whole trace at 600 events per second with acks=all"`)
	}
	p := t.senders[len(t.senders)-1]
	return w.sending(func() error {
		bounded, cancel := context.WithTimeout(ctx, seconds(within))
		defer cancel()
		if err := p.Wait(bounded); err != nil {
			return err
		}
		w.suite.Print("%s", p.Latency())
		return nil
	})
}

func (w *World) allAcknowledged(count string) error {
	n, err := parseCount(count)
	if err != nil {
		return err
	}
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if t.ledger == nil {
		return errors.New("nobody has written to the topic")
	}
	seen := t.ledger.Snapshot().Counts
	if seen.Sent != uint64(n) || seen.Acknowledged != uint64(n) { // not negative
		return fmt.Errorf("wanted: %d events sent and all acknowledged; seen: %s", n, seen)
	}
	return nil
}
