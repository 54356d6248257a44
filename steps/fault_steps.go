package steps

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"kafka-ha/cluster/fault"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) faultSentences(s *sentences) {
	ways := "(" + strings.Join(fault.Kinds, "|") + ")"
	s.action(oneBroker+` is lost by `+ways, func(ctx context.Context, role, how string) error {
		return w.withRole(ctx, role, func(id int) error { return w.lose(ctx, []int{id}, how) })
	})
	s.action(brokerList+` are lost by `+ways+`, one after the other`, func(ctx context.Context, ids, how string) error {
		return w.withBrokers(ids, func(ids []int) error { return w.lose(ctx, ids, how) })
	})
	s.action(brokerList+` are lost by `+ways+` at once`, func(ctx context.Context, ids, how string) error {
		return w.withBrokers(ids, func(ids []int) error { return w.loseAtOnce(ctx, ids, how) })
	})
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
	s.action(`the brokers are restarted one after the other by (clean shutdown|hard kill), each when every ISR is full`, w.rollingRestart)
}

func (w *World) withRole(ctx context.Context, role string, do func(id int) error) error {
	id, err := w.cast(ctx, role)
	if err != nil {
		return err
	}
	return do(id)
}

// rollingRestart is what an upgrade does: a broker goes only when the one before it has caught up.
func (w *World) rollingRestart(ctx context.Context, how string) error {
	for _, id := range brokerIDs {
		err := w.awaitSync(ctx)
		if err == nil {
			err = w.lose(ctx, []int{id}, how)
		}
		if err == nil {
			err = w.brokersReturn(ctx, id)
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

// lose injects the faults one after the other; each has taken effect before the next.
func (w *World) lose(ctx context.Context, ids []int, how string) error {
	for _, id := range ids {
		l, f, err := w.prepareLoss(ctx, id, how)
		if err != nil {
			return err
		}
		err = w.kafka(func() error {
			l.Lost, err = w.faults.Inject(ctx, f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loseAtOnce injects the faults at the same time.
func (w *World) loseAtOnce(ctx context.Context, ids []int, how string) error {
	var prepared []*loss
	var faults []fault.Fault
	for _, id := range ids {
		l, f, err := w.prepareLoss(ctx, id, how)
		if err != nil {
			return err
		}
		prepared, faults = append(prepared, l), append(faults, f)
	}
	return w.kafka(func() error {
		problems := make([]error, len(ids))
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() { prepared[i].Lost, problems[i] = w.faults.Inject(ctx, faults[i]) })
		}
		all.Wait()
		return errors.Join(problems...)
	})
}

// prepareLoss keeps what stands before the fault: the view, the end offsets, and a mark in each ledger in use.
func (w *World) prepareLoss(ctx context.Context, id int, how string) (*loss, fault.Fault, error) {
	f, err := fault.Of(how, w.cluster, id)
	if err != nil {
		return nil, nil, err
	}
	w.forget()
	l := &loss{marks: map[*topic]*ledger.Mark{}, expect: map[*topic]ledger.Expect{}, latency: w.latencies()}
	if l.before, err = w.view(ctx); err != nil {
		return nil, nil, err
	}
	if len(w.faults.Open()) == 0 { // with a broker lost already, some leaders may be missing
		if l.from, err = w.endOffsets(ctx); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range w.topics {
		if t.ledger == nil {
			continue
		}
		mark, err := t.ledger.Mark(how, w.called(id))
		if err != nil {
			return nil, nil, err
		}
		l.marks[t] = mark
		if err := l.demand(t, ledger.Expect{Before: true}); err != nil {
			return nil, nil, err
		}
	}
	w.losses[id] = l
	return l, f, nil
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
			if l.to, err = w.endOffsets(ctx); err != nil {
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
		_, err := w.cluster.AwaitSync(ctx, names...)
		return err
	})
}
