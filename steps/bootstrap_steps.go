package steps

import (
	"context"
	"errors"
	"fmt"

	"kafka-ha/cluster"
	"kafka-ha/fixtures/traffic"
)

func (w *World) bootstrapSentences(s *sentences) {
	s.action(`one record is sent to every partition by clients that name `+brokerList+`(?:, in this order)?, without retries`, w.probeNamed)
	s.action(`a producer that names `+brokerList+` is writing `+perSecond+` with `+acks, w.isWritingNamed)
	s.then(`each of these writes went to the leader of its partition`, w.wentToLeaders)
	s.then(`each of these clients has first tried broker (\d{1,2}) in vain`, w.firstTriedInVain)
}

// probeNamed has a client of its own for each write, which knows no address but those of the brokers named and tries them
// in that order.
func (w *World) probeNamed(ctx context.Context, list string) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	through, err := w.addresses(list)
	if err != nil {
		return err
	}
	book, err := w.book(t)
	if err != nil {
		return err
	}
	probe, err := traffic.NewProbe(traffic.ProbeConfig{
		Bootstrap: through, InOrder: true, Topic: t.spec.Name, Ledger: book, Timeout: probeWithin,
	})
	if err != nil {
		return err
	}
	return w.sendEach(ctx, probe, t, t.without(nil))
}

// isWritingNamed starts a producer that knows no other address than those of the brokers named.
func (w *World) isWritingNamed(ctx context.Context, list, rate, how string) error {
	through, err := w.addresses(list)
	if err != nil {
		return err
	}
	return w.writes(ctx, traffic.Config{Name: "writer", Bootstrap: through}, rate, how)
}

// addresses returns the advertised addresses of brokers, in the order in which the sentence names them.
func (w *World) addresses(list string) ([]string, error) {
	ids, err := parseBrokers(list)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, id := range ids {
		b, err := w.cluster.Broker(id)
		if err != nil {
			return nil, err
		}
		all = append(all, b.Address())
	}
	return all, nil
}

// wentToLeaders compares what each client wrote to with the leaders as all brokers tell them now, by id and by address: a
// client that was told another broker's address would have written to the wrong place. The topic is the one that they wrote
// to, whichever has been named since.
func (w *World) wentToLeaders(ctx context.Context) error {
	if w.answered == nil {
		return errNoWrites
	}
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	partitions, err := view.Topic(w.answered.spec.Name)
	if err != nil {
		return err
	}
	address := map[int]string{}
	for _, b := range w.cluster.Brokers() {
		address[b.ID] = b.Address()
	}
	return compareLeaders(w.answers, partitions, address)
}

func compareLeaders(answers []traffic.Answer, partitions []cluster.Partition, address map[int]string) error {
	if len(answers) == 0 {
		return errNoWrites
	}
	var problems []error
	for _, a := range answers {
		if a.Partition < 0 || int(a.Partition) >= len(partitions) {
			problems = append(problems, fmt.Errorf("%s: the topic has no such partition", a))
			continue
		}
		leader := partitions[a.Partition].Leader
		if int(a.Broker) != leader || a.Address != address[leader] {
			problems = append(problems, fmt.Errorf("partition %d is led by broker %d on %s; the client wrote to broker %d on %q",
				a.Partition, leader, address[leader], a.Broker, a.Address))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("wanted: each of %d writes sent to the leader of its partition; seen: %w", len(answers), errors.Join(problems...))
	}
	return nil
}

// firstTriedInVain is what makes a start although a broker is down worth something: the client did meet it.
func (w *World) firstTriedInVain(id int) error {
	b, err := w.cluster.Broker(id)
	if err != nil {
		return err
	}
	return compareFirst(w.answers, b.Address())
}

func compareFirst(answers []traffic.Answer, address string) error {
	if len(answers) == 0 {
		return errNoWrites
	}
	for _, a := range answers {
		if a.First.Address != address || !a.First.Failed {
			return fmt.Errorf("wanted: clients whose first connection, to %s, could not be opened; seen: one to %q, opened: %t",
				address, a.First.Address, !a.First.Failed)
		}
	}
	return nil
}
