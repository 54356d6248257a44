package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/trace"
	"kafka-ha/fixtures/traffic"
)

func (w *World) produceSentences(s *sentences) {
	s.action(`a producer is writing `+count+` events per second with acks=all`, w.isWriting)
	s.action(`a producer starts to send the whole trace at `+count+` events per second with acks=all`, w.sendsTrace)
	s.action(count+`(?: more)? events are acknowledged`, w.acknowledged)
	s.then(within+`every partition acknowledges a new record`, w.writingGoesOn)
	s.then(within+`the producer has sent the whole trace`, w.hasSentAll)
	s.then(`all `+count+` events are acknowledged`, w.allAcknowledged)
}

// start starts a producer for the topic in use.
func (w *World) start(ctx context.Context, name string, pace traffic.Pace, source traffic.Source) (*traffic.Producer, *topic, error) {
	t, err := w.topicInUse()
	if err != nil {
		return nil, nil, err
	}
	book, err := w.book(t)
	if err != nil {
		return nil, nil, err
	}
	// The producer outlives the step, and the scenario stops it: the step's context must not.
	p, err := traffic.Start(context.WithoutCancel(ctx), traffic.Config{
		Bootstrap: w.bootstrap(), Topic: t.spec.Name, Ledger: book, Name: name, Pace: pace,
	}, source)
	if err != nil {
		return nil, nil, err
	}
	return p, t, nil
}

// isWriting starts a producer that goes on until the scenario ends or counts; it is seen to write to every partition.
func (w *World) isWriting(ctx context.Context, perSecond string) error {
	n, err := parseCount(perSecond)
	if err != nil {
		return err
	}
	p, t, err := w.start(ctx, "writer", traffic.PerSecond(float64(n)), trace.Endless())
	if err != nil {
		return err
	}
	t.writers = append(t.writers, p)
	return w.awaitAcks(ctx, t, time.Time{}, firstAcksWithin, []*traffic.Producer{p})
}

// firstAcksWithin is in seconds; a new client needs metadata, a producer id and a connection to each leader.
const firstAcksWithin = 20

func (w *World) sendsTrace(ctx context.Context, perSecond string) error {
	n, err := parseCount(perSecond)
	if err != nil {
		return err
	}
	source, err := trace.Embedded()
	if err != nil {
		return err
	}
	p, t, err := w.start(ctx, "whole trace", traffic.PerSecond(float64(n)), source)
	if err != nil {
		return err
	}
	t.senders = append(t.senders, p)
	return w.awaitAcks(ctx, t, time.Time{}, firstAcksWithin, []*traffic.Producer{p})
}

// acknowledged sends so many events as fast as the client goes and waits until each is acknowledged.
func (w *World) acknowledged(ctx context.Context, count string) error {
	n, err := parseCount(count)
	if err != nil {
		return err
	}
	return w.sending(func() error {
		p, t, err := w.start(ctx, "batch", traffic.AsFastAsPossible(), &firstOf{n: n, source: trace.Endless()})
		if err != nil {
			return err
		}
		t.senders = append(t.senders, p)
		bounded, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		if err := p.Wait(bounded); err != nil {
			return err
		}
		seen, err := p.Stop(ctx)
		if err == nil && seen.Acknowledged != uint64(n) { // not negative
			err = fmt.Errorf("wanted: %d events acknowledged; seen: %s", n, seen.Counts)
		}
		return err
	})
}

// sendWithin bounds a batch: Kafka's delivery.timeout.ms gives each of its records as long.
const sendWithin = 120 * time.Second

// firstOf yields the first n positions of a source.
type firstOf struct {
	n      int
	source traffic.Source
}

// Next is the source's next position, and io.EOF after the first n.
func (f *firstOf) Next() (trace.Position, error) {
	if f.n == 0 {
		return trace.Position{}, io.EOF
	}
	f.n--
	return f.source.Next()
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
		if err := w.losses[l.Fault.Broker()].demand(t, ledger.Expect{During: true}); err != nil {
			return err
		}
	}
	return nil
}

// awaitAcks waits until every partition has an acknowledgement newer than a moment, and until an event that one of the
// producers sent after this call is acknowledged: what is acknowledged now may have been sent long ago.
func (w *World) awaitAcks(ctx context.Context, t *topic, since time.Time, within int, from []*traffic.Producer) error {
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
		return errors.New(`nobody sends the trace; begin with ` +
			`"Given a producer starts to send the whole trace at 600 events per second with acks=all"`)
	}
	return w.sending(func() error {
		bounded, cancel := context.WithTimeout(ctx, seconds(within))
		defer cancel()
		return t.senders[len(t.senders)-1].Wait(bounded)
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
