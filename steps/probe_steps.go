package steps

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/fixtures"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) probeSentences(s *sentences) {
	s.action(`one record is sent to every partition, without retries`, w.probeAll)
	s.action(`one record is sent to every partition that the lost broker leads, through it alone, without retries`, w.probeLost)
	s.action(`a client that asks for topic creation writes to a topic "([^"]+)"`, w.probeUnknown)
	s.then(`(?:the write|each of these writes) is acknowledged`, func() error {
		return w.eachAnswer("acknowledged", func(a traffic.Answer) bool { return a.Outcome == ledger.KindAcknowledged })
	})
	s.then(`(?:the write|each of these writes) is rejected with `+errorName, func(name string) error {
		return w.eachNamed(name, "rejected with "+name, func(a traffic.Answer) bool {
			return a.Outcome == ledger.KindRejected && hasCode(a, name)
		})
	})
	s.then(`none of these writes is acknowledged`, func() error {
		return w.eachAnswer("not acknowledged", func(a traffic.Answer) bool { return a.Outcome != ledger.KindAcknowledged })
	})
	s.then(`none of these writes is rejected with `+errorName, func(name string) error {
		return w.eachNamed(name, "not rejected with "+name, func(a traffic.Answer) bool { return !hasCode(a, name) })
	})
	s.then(`exactly `+amount+` of these writes are acknowledged`, w.someAcknowledged)
	s.then(`some of these writes are indeterminate`, w.someIndeterminate)
}

// hasCode compares the error code that the broker sent on the wire.
func hasCode(a traffic.Answer, name string) bool {
	var code *kerr.Error
	return errors.As(a.Err, &code) && code.Message == name
}

// probeWithin bounds one write that is not retried: request.timeout.ms of the client, and a little for connections.
const probeWithin = 8 * time.Second

func (w *World) probeAll(ctx context.Context) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	return w.probeEach(ctx, t, w.bootstrap(), t.without(nil))
}

// probeLost writes to the partitions that a broker leads which is cut off from the controllers and reachable for clients:
// by its own word, since it has not heard of other leaders.
func (w *World) probeLost(ctx context.Context) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	for id, seen := range view.Apart {
		b, err := w.cluster.Broker(id)
		if err != nil {
			return err
		}
		var led []int32
		for _, p := range seen.Topics[t.spec.Name] {
			if p.LedBy(id) {
				led = append(led, int32(p.ID)) // ids of partitions fit
			}
		}
		return w.probeEach(ctx, t, []string{b.Address()}, led)
	}
	return errors.New("no broker that answers is cut off from the controllers, so none leads against the others' will")
}

func (w *World) probeEach(ctx context.Context, t *topic, through []string, partitions []int32) error {
	probe, err := w.probe(t, through, false)
	if err != nil {
		return err
	}
	return w.sendEach(ctx, probe, t, partitions)
}

// sendEach sends one record to each of some partitions of the probe's topic, all at once.
func (w *World) sendEach(ctx context.Context, probe *traffic.Probe, t *topic, partitions []int32) error {
	return w.sending(func() error {
		answers := make([]traffic.Answer, len(partitions))
		problems := make([]error, len(partitions))
		var all sync.WaitGroup
		for i, partition := range partitions {
			all.Go(func() { answers[i], problems[i] = probe.SendTo(ctx, partition) })
		}
		all.Wait()
		w.answers, w.answered = answers, t
		return errors.Join(problems...)
	})
}

// probeUnknown writes to a topic that nobody made, through a client that would have it made.
func (w *World) probeUnknown(ctx context.Context, called string) error {
	t := w.use(called, fixtures.TopicSpec{})
	probe, err := w.probe(t, w.bootstrap(), true)
	if err != nil {
		return err
	}
	return w.sending(func() error {
		answer, err := probe.Send(ctx, "veh0")
		w.answers, w.answered = []traffic.Answer{answer}, t
		return err
	})
}

func (w *World) probe(t *topic, through []string, create bool) (*traffic.Probe, error) {
	book, err := w.book(t)
	if err != nil {
		return nil, err
	}
	return traffic.NewProbe(traffic.ProbeConfig{
		Bootstrap: through, Topic: t.spec.Name, Ledger: book, Timeout: probeWithin, AllowAutoTopicCreation: create,
	})
}

// eachNamed is for sentences with the name of an error.
func (w *World) eachNamed(name, want string, ok func(traffic.Answer) bool) error {
	if err := knownError(name); err != nil {
		return err
	}
	return w.eachAnswer(want, ok)
}

var errNoWrites = errors.New(`no write to look at; send some with "When one record is sent to every partition, without retries"`)

func (w *World) eachAnswer(want string, ok func(traffic.Answer) bool) error {
	if len(w.answers) == 0 {
		return errNoWrites
	}
	var problems []error
	for _, a := range w.answers {
		if !ok(a) {
			problems = append(problems, errors.New(a.String()))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("wanted: each of %d writes %s; seen: %w", len(w.answers), want, errors.Join(problems...))
	}
	return nil
}

func (w *World) someIndeterminate() error {
	for _, a := range w.answers {
		if a.Outcome == ledger.KindIndeterminate {
			return nil
		}
	}
	return fmt.Errorf("wanted: some of %d writes indeterminate; seen: %v", len(w.answers), w.answers)
}

func (w *World) someAcknowledged(want int) error {
	acknowledged := 0
	for _, a := range w.answers {
		if a.Outcome == ledger.KindAcknowledged {
			acknowledged++
		}
	}
	if acknowledged != want {
		return fmt.Errorf("wanted: exactly %d of %d writes acknowledged; seen: %d, %v", want, len(w.answers), acknowledged, w.answers)
	}
	return nil
}
