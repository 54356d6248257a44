package steps

import (
	"context"
	"fmt"
	"time"

	"kafka-ha/fixtures/trace"
	"kafka-ha/fixtures/traffic"
)

func (w *World) produceSentences(s *sentences) {
	s.action(`a producer is writing `+perSecond+` with `+acks, w.isWriting)
	s.action(`a producer with a buffer of `+count+` records that (waits|refuses) when full is writing `+perSecond+` with `+acks,
		w.isBuffering)
	s.action(`a producer starts to send the whole trace at `+perSecond+` with `+acks, w.sendsTrace)
	s.action(`a producer starts to send the whole trace in real time, `+count+` times as fast, with `+acks, w.sendsInRealTime)
	s.action(`a producer starts to send `+count+` events of `+count+` vehicles as fast as it can with `+acks, w.sendsFast)
	s.action(count+`(?: more)? events are acknowledged`, w.acknowledged)
}

// start starts a producer for the topic in use.
func (w *World) start(ctx context.Context, cfg traffic.Config, source traffic.Source) (*traffic.Producer, *topic, error) {
	t, err := w.topicInUse()
	if err != nil {
		return nil, nil, err
	}
	if cfg.Ledger, err = w.book(t); err != nil {
		return nil, nil, err
	}
	if cfg.Topic = t.spec.Name; cfg.Bootstrap == nil {
		cfg.Bootstrap = w.bootstrap()
	}
	// The producer outlives the step, and the scenario stops it: the step's context must not.
	p, err := traffic.Start(context.WithoutCancel(ctx), cfg, source)
	return p, t, err
}

// isWriting starts a producer that goes on until the scenario ends or counts; it is seen to write to every partition.
func (w *World) isWriting(ctx context.Context, rate, how string) error {
	return w.writes(ctx, traffic.Config{Name: "writer"}, rate, how)
}

func (w *World) isBuffering(ctx context.Context, buffer, whenFull, rate, how string) error {
	records, err := parseCount(buffer)
	if err != nil {
		return err
	}
	return w.writes(ctx, traffic.Config{Name: "writer", MaxBuffered: records, RefuseWhenFull: whenFull == "refuses"}, rate, how)
}

func (w *World) writes(ctx context.Context, cfg traffic.Config, rate, how string) error {
	n, err := parseCount(rate)
	if err != nil {
		return err
	}
	cfg.Pace, cfg.Acks, cfg.DisableIdempotence = traffic.PerSecond(float64(n)), acksOf(how), !idempotent(how)
	p, t, err := w.start(ctx, cfg, trace.Endless())
	if err != nil {
		return err
	}
	t.writers = append(t.writers, p)
	return w.awaitAcks(ctx, t, time.Time{}, firstAcksWithin, []*traffic.Producer{p})
}

// firstAcksWithin is in seconds; a new client needs metadata, a producer id and a connection to each leader.
const firstAcksWithin = 20

func (w *World) sendsTrace(ctx context.Context, rate, how string) error {
	n, err := parseCount(rate)
	if err != nil {
		return err
	}
	source, err := trace.Embedded()
	if err != nil {
		return err
	}
	return w.sends(ctx, traffic.Config{Name: "whole trace", Pace: traffic.PerSecond(float64(n))}, how, source)
}

func (w *World) sendsInRealTime(ctx context.Context, times, how string) error {
	n, err := parseCount(times)
	if err != nil {
		return err
	}
	source, err := trace.Embedded()
	if err != nil {
		return err
	}
	return w.sends(ctx, traffic.Config{Name: "whole trace", Pace: traffic.RealTime(float64(n))}, how, source)
}

func (w *World) sendsFast(ctx context.Context, events, vehicles, how string) error {
	n, err := parseCount(events)
	if err != nil {
		return err
	}
	m, err := parseCount(vehicles)
	if err != nil {
		return err
	}
	if m%trace.Vehicles != 0 {
		return fmt.Errorf("%s vehicles: the trace has %d, which can be multiplied; name a multiple of that", vehicles, trace.Vehicles)
	}
	source := trace.First(trace.Multiply(trace.Endless(), m/trace.Vehicles), n)
	return w.sends(ctx, traffic.Config{Name: "load"}, how, source)
}

// sends starts a producer that ends by itself.
func (w *World) sends(ctx context.Context, cfg traffic.Config, how string, source traffic.Source) error {
	cfg.Acks, cfg.DisableIdempotence = acksOf(how), !idempotent(how)
	p, t, err := w.start(ctx, cfg, source)
	if err != nil {
		return err
	}
	t.senders = append(t.senders, p)
	return w.awaitAcks(ctx, t, time.Time{}, firstAcksWithin, []*traffic.Producer{p})
}

// acknowledged sends so many events as fast as the client goes and waits until each is acknowledged.
func (w *World) acknowledged(ctx context.Context, count string) error {
	return w.batch(ctx, count, traffic.Config{Name: "batch"})
}

// batch does so with a producer that is set in some way.
func (w *World) batch(ctx context.Context, count string, cfg traffic.Config) error {
	n, err := parseCount(count)
	if err != nil {
		return err
	}
	return w.sending(func() error {
		p, t, err := w.start(ctx, cfg, trace.First(trace.Endless(), n))
		if err != nil {
			return err
		}
		t.senders = append(t.senders, p)
		bounded, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		if err := p.Wait(bounded); err != nil {
			return fmt.Errorf("wanted: %d events of a producer of their own, with acks=all, acknowledged within %s (delivery.timeout.ms); "+
				"seen: %w", n, sendWithin, err)
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
