package steps

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) faultSentences(s *sentences) {
	s.action(oneBroker+` is lost by (`+strings.Join(fault.Kinds, "|")+`)`, func(ctx context.Context, role, how string) error {
		return w.withRole(ctx, role, func(id int) error { return w.lose(ctx, []planned{{id, how}}) })
	})
	s.action(nodeList+` are lost by `+ways+`, one after the other`, w.planned(w.lose))
	s.action(nodeList+` are lost by `+ways+`, each when no ISR contains the one before`, w.planned(w.loseWhenMissed))
	s.action(nodeList+` are lost by `+ways+` at once`, w.planned(w.loseAtOnce))
	s.action(`broker (\d+) returns`, func(ctx context.Context, id int) error { return w.brokersReturn(ctx, id) })
	s.action(`broker (\d+) returns to every ISR`, func(ctx context.Context, id int) error {
		return errors.Join(w.brokersReturn(ctx, id), w.awaitSync(ctx))
	})
	// Two combined nodes are the least that has a quorum: one that comes back alone could not register.
	s.action(brokerList+` return`, func(ctx context.Context, ids string) error {
		return w.withBrokers(ids, func(ids []int) error { return w.brokersReturn(ctx, ids...) })
	})
	s.action(`controller (\d+) returns`, w.controllerReturns)
	s.action(`the lost (?:broker returns|brokers return)`, w.lostReturn)
	s.action(`the lost (?:broker returns|brokers return) to every ISR`, func(ctx context.Context) error {
		return errors.Join(w.lostReturn(ctx), w.awaitSync(ctx))
	})
	s.action(`the brokers are restarted one after the other by (clean shutdown|hard kill), `+
		`each when (every ISR is full|the one before is registered)`, w.rollingRestart)
}

func (w *World) withRole(ctx context.Context, role string, do func(id int) error) error {
	id, err := w.cast(ctx, role)
	if err != nil {
		return err
	}
	return do(id)
}

// rollingRestart is what an upgrade does. Careful operators let a broker go only when the one before it has caught up.
func (w *World) rollingRestart(ctx context.Context, how, when string) error {
	for _, id := range brokerIDs {
		var err error
		if when == "every ISR is full" {
			err = w.awaitSync(ctx)
		}
		if err == nil {
			err = w.lose(ctx, []planned{{id, how}})
		}
		if err == nil {
			err = w.brokersReturn(ctx, id) // it is registered then
		}
		if err != nil {
			return err
		}
	}
	return w.awaitSync(ctx)
}

func (w *World) withBrokers(list string, do func(ids []int) error) error {
	ids, err := parseBrokers(list)
	if err != nil {
		return err
	}
	return do(ids)
}

// prepareLoss keeps what stands before the fault: the view, the end offsets, and a mark in each ledger in use.
func (w *World) prepareLoss(ctx context.Context, id int, how string) (*loss, fault.Fault, error) {
	f, err := w.aim(how, id)
	if err != nil {
		return nil, nil, err
	}
	l, err := w.noteLossBy(ctx, id, how)
	return l, f, err
}

func (w *World) noteLossBy(ctx context.Context, id int, how string) (*loss, error) {
	var err error
	w.forget()
	l := &loss{marks: map[*topic]*ledger.Mark{}, expect: map[*topic]ledger.Expect{}, latency: w.latencies()}
	if l.before, err = w.agreedView(ctx); err != nil {
		return nil, err
	}
	if len(w.faults.Open()) == 0 { // with a broker lost already, some leaders may be missing
		if l.from, err = w.endOffsets(ctx); err != nil {
			return nil, err
		}
	}
	for _, t := range w.topics {
		if t.ledger == nil {
			continue
		}
		mark, err := t.ledger.Mark(how, w.called(id))
		if err != nil {
			return nil, err
		}
		l.marks[t] = mark
		if err := l.demand(t, ledger.Expect{Before: true}); err != nil {
			return nil, err
		}
	}
	w.losses[id] = l
	return l, nil
}

// agreedView is a look in which the brokers tell the same of every topic that any of them knows. With a broker lost already
// they need not: then it is any look, and so it is when they do not come to agree.
func (w *World) agreedView(ctx context.Context) (cluster.View, error) {
	view, err := w.view(ctx)
	if err != nil || len(w.faults.Open()) > 0 {
		return view, err
	}
	const what = "the brokers tell the same of every topic"
	agreed, err := wait.Until(ctx, what, w.agree, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		for _, name := range view.Topics(true) {
			if err == nil {
				_, err = view.Topic(name)
			}
		}
		return view, err == nil, err
	})
	if err == nil {
		view = agreed
	}
	return view, ctx.Err()
}

// endOffsets returns the end offsets of the topics that were written to.
func (w *World) endOffsets(ctx context.Context) (map[string]map[int32]int64, error) {
	all := map[string]map[int32]int64{}
	for _, t := range w.topics {
		if t.ledger == nil {
			continue
		}
		ends, err := w.endOffsetsOf(ctx, t)
		if err != nil {
			return nil, err
		}
		all[t.spec.Name] = ends
	}
	return all, nil
}

func (w *World) endOffsetsOf(ctx context.Context, t *topic) (map[int32]int64, error) {
	bounds, err := traffic.Offsets(ctx, w.bootstrap(), t.spec.Name)
	if err != nil {
		return nil, err
	}
	ends := make(map[int32]int64, len(bounds))
	for _, b := range bounds {
		ends[b.Partition] = b.End
	}
	return ends, nil
}

// controllerReturns is for controllers apart from the brokers.
func (w *World) controllerReturns(ctx context.Context, text string) error {
	id, err := w.node("controller", text)
	if err != nil {
		return err
	}
	return w.nodesReturn(ctx, id)
}

func (w *World) brokersReturn(ctx context.Context, ids ...int) error {
	for _, id := range ids {
		if _, err := w.node("broker", strconv.Itoa(id)); err != nil {
			return err
		}
	}
	return w.nodesReturn(ctx, ids...)
}

func (w *World) nodesReturn(ctx context.Context, ids ...int) error {
	return w.kafka(func() error { return errors.Join(w.faults.Heal(ctx, ids...), w.noteReturn(ctx)) })
}

func (w *World) lostReturn(ctx context.Context) error {
	if len(w.faults.Open()) == 0 {
		return errors.New("no broker is lost")
	}
	return w.kafka(func() error { return errors.Join(w.faults.HealAll(ctx), w.noteReturn(ctx)) })
}

// noteReturn ends the marks, prints how long the node took to come back, and keeps the end offsets at the return,
// unless another broker is still lost: some leaders may be missing.
func (w *World) noteReturn(ctx context.Context) error {
	w.forget()
	for _, l := range w.losses {
		if l.Lost == nil || l.Returned.IsZero() || l.noted {
			continue
		}
		l.noted = true
		if len(w.faults.Open()) == 0 {
			var err error
			l.to, err = w.endOffsets(ctx)
			if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) { // where all volumes are lost, so are the topics
				return err
			}
		}
		for _, mark := range l.marks {
			if err := mark.End(); err != nil {
				return err
			}
		}
		w.suite.Print("%s", l.Lost)
	}
	return nil
}

func (w *World) awaitSync(ctx context.Context) error {
	return w.kafka(func() error {
		names := make([]string, 0, len(w.topics))
		for _, t := range w.topics {
			if !t.refused {
				names = append(names, t.spec.Name)
			}
		}
		return w.sync(ctx, names...)
	})
}
