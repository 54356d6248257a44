package main

import (
	"context"
	"fmt"
	"time"

	"kafka-ha/fixtures/ledger"
)

// plan is what is measured and how.
type plan struct {
	rounds int           // each subject's runs; even and odd ones go in opposite order
	length time.Duration // of one run of the plain client, which the number of records is chosen by
	batch  int           // bytes
	linger time.Duration
	only   string // one comparison instead of all
}

var sizes = []int{100, 1024} // of values, in bytes

// all makes the comparisons that are asked for.
func (s *site) all(ctx context.Context) ([]comparison, error) {
	var done []comparison
	for _, one := range []struct {
		name    string
		sizes   []int
		compare func(context.Context, load) (comparison, error)
	}{
		{"producing", sizes, s.compareProducers},
		{"verifiable", []int{len(verifiablePrefix) + len(".123456")}, s.compareWithVerifiable},
		{"reading", sizes, s.compareReaders},
	} {
		if s.only != "" && s.only != one.name {
			continue
		}
		for _, value := range one.sizes {
			l, err := s.calibrate(ctx, load{value: value})
			if err != nil {
				return nil, err
			}
			c, err := one.compare(ctx, l)
			if err != nil {
				return nil, err
			}
			done = append(done, c)
		}
	}
	if len(done) == 0 {
		return nil, fmt.Errorf("there is no comparison %q; use producing, verifiable or reading", s.only)
	}
	return done, nil
}

const (
	oursName  = "with full accounting"
	plainName = "plain kgo"
)

// compareProducers has ours, a plain client and ProducerPerformance send the same load.
func (s *site) compareProducers(ctx context.Context, l load) (comparison, error) {
	c := comparison{what: "producing", value: l.value, subjects: []*subject{
		s.sends(subject{name: oursName}, l, func(ctx context.Context, topic string) (run, error) { return s.ours(ctx, topic, l, nil) }),
		s.sends(subject{name: plainName, goal: 0.95}, l, func(ctx context.Context, topic string) (run, error) { return s.plain(ctx, topic, l) }),
		s.sends(subject{name: "ProducerPerformance", java: true, goal: 1.25}, load{records: s.withWarmUp(l.records)},
			func(ctx context.Context, topic string) (run, error) { return s.producerPerformance(ctx, topic, l) }),
	}}
	return c, c.take(ctx, s.rounds)
}

// compareWithVerifiable is on its own, because VerifiableProducer's records have a size that nobody can set.
func (s *site) compareWithVerifiable(ctx context.Context, l load) (comparison, error) {
	l.records /= 2 // it is slow
	c := comparison{what: "producing", value: l.value, subjects: []*subject{
		s.sends(subject{name: oursName}, l, func(ctx context.Context, topic string) (run, error) { return s.ours(ctx, topic, l, nil) }),
		s.sends(subject{name: "VerifiableProducer", java: true, goal: 1}, l, func(ctx context.Context, topic string) (run, error) { return s.verifiableProducer(ctx, topic, l) }),
	}}
	return c, c.take(ctx, s.rounds)
}

// compareReaders reads one topic again and again.
func (s *site) compareReaders(ctx context.Context, l load) (comparison, error) {
	c := comparison{what: "reading", value: l.value}
	err := s.onTopic(ctx, func(topic string) error {
		_, err := s.ours(ctx, topic, l, func(book *ledger.Ledger) error {
			c.subjects = []*subject{
				{name: "back, and judging", run: func(ctx context.Context) (run, error) { return s.judge(ctx, topic, l, book) }},
				{name: plainName, goal: 0.9, run: func(ctx context.Context) (run, error) { return s.read(ctx, topic, l) }},
				{name: "back, not judging", run: func(ctx context.Context) (run, error) { return s.readBack(ctx, topic, l, book) }},
			}
			for _, one := range c.subjects { // warms the page cache and the fetch sessions
				if _, err := one.run(ctx); err != nil {
					return err
				}
			}
			return c.take(ctx, s.rounds)
		})
		return err
	})
	return c, err
}

// sends is a subject that writes to a new topic in each run; the topic must hold all of it afterwards.
func (s *site) sends(one subject, l load, send func(ctx context.Context, topic string) (run, error)) *subject {
	one.run = func(ctx context.Context) (r run, err error) {
		err = s.onTopic(ctx, func(topic string) error {
			if r, err = send(ctx, topic); err != nil {
				return err
			}
			return s.holds(ctx, topic, l.records)
		})
		return r, err
	}
	return &one
}

// calibrate chooses the number of records so that a plain client sends for about length. It warms the cluster up too.
func (s *site) calibrate(ctx context.Context, l load) (load, error) {
	say("warming up, values of %s", size(l.value))
	l.records = 100_000
	err := s.onTopic(ctx, func(topic string) error {
		if _, err := s.plain(ctx, topic, l); err != nil { // the first one finds cold brokers
			return err
		}
		r, err := s.plain(ctx, topic, l)
		l.records = int(r.rate() * s.length.Seconds())
		return err
	})
	return l, err
}
