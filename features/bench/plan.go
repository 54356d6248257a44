package main

import (
	"context"
	"slices"
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

// kind is a comparison that can be asked for, made once for each size.
type kind struct {
	name    string
	sizes   []int
	compare func(*site, context.Context, load) (comparison, error)
	took    func(plan) time.Duration // as estimate wants it, for one size
}

var comparisons = []kind{
	{"producing", sizes, (*site).compareProducers, plan.producing},
	{"verifiable", []int{len(verifiablePrefix) + len(".123456")}, (*site).compareWithVerifiable, plan.verifiable},
	{"reading", sizes, (*site).compareReaders, plan.reading},
}

// asked returns the comparisons to be made.
func (p plan) asked() []kind {
	return slices.DeleteFunc(slices.Clone(comparisons), func(c kind) bool { return p.only != "" && p.only != c.name })
}

// all makes the comparisons that are asked for.
func (s *site) all(ctx context.Context) ([]comparison, error) {
	var done []comparison
	for _, one := range s.asked() {
		for _, value := range one.sizes {
			l, err := s.calibrate(ctx, load{value: value})
			if err != nil {
				return nil, err
			}
			c, err := one.compare(s, ctx, l)
			if err != nil {
				return nil, err
			}
			done = append(done, c)
		}
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
		s.sends(subject{name: oursName}, l, s.accounted),
		s.sends(subject{name: plainName, goal: 0.95}, l, s.plain),
		s.sends(subject{name: "ProducerPerformance", java: true, goal: 1.25}, l, s.producerPerformance),
	}}
	return c, c.take(ctx, s.rounds)
}

// compareWithVerifiable is on its own, because VerifiableProducer's records have a size that nobody can set.
func (s *site) compareWithVerifiable(ctx context.Context, l load) (comparison, error) {
	l.records /= 2 // it is slow
	c := comparison{what: "producing", value: l.value, subjects: []*subject{
		s.sends(subject{name: oursName}, l, s.accounted),
		s.sends(subject{name: "VerifiableProducer", java: true, goal: 1}, l, s.verifiableProducer),
	}}
	return c, c.take(ctx, s.rounds)
}

// compareReaders reads one topic again and again.
func (s *site) compareReaders(ctx context.Context, l load) (comparison, error) {
	l.records *= 4 // reading takes a fraction of the time that sending takes
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

// sends is a subject that writes the load to a new topic in each run; the topic must hold what it says it has written.
func (s *site) sends(one subject, l load, send func(context.Context, string, load) (run, error)) *subject {
	one.run = func(ctx context.Context) (r run, err error) {
		err = s.onTopic(ctx, func(topic string) error {
			if r, err = send(ctx, topic, l); err != nil {
				return err
			}
			return s.holds(ctx, topic, r.records+r.unmeasured)
		})
		return r, err
	}
	return &one
}

const (
	fewRecords = 100_000 // in a run that warms up
	atLeast    = 50_000  // in a run that counts: with fewer the client's start would count more than its work
)

// calibrate chooses the number of records so that a plain client sends for about as long as planned. It warms the brokers
// up too: the first runs find code that their JVMs have not compiled yet.
func (s *site) calibrate(ctx context.Context, l load) (load, error) {
	say("warming up, values of %s", size(l.value))
	l.records = fewRecords
	err := s.onTopic(ctx, func(topic string) error {
		var last run
		for range 3 {
			var err error
			if last, err = s.plain(ctx, topic, l); err != nil {
				return err
			}
		}
		l.records = max(atLeast, int(last.rate()*s.length.Seconds()))
		return nil
	})
	return l, err
}
