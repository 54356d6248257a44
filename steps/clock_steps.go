package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/steps/clock"
)

const (
	// budget says whether a feature demands what the settings in force allow or what Kafka's defaults do.
	budget = `(budget|default budget)`
	// A loss is named by its broker, or, where a feature names the broker by a role, as the latest.
	lostOne  = `(broker \d+|the lost broker)`
	thatLoss = `(the loss of broker \d+|the latest loss)`
)

func (w *World) clockSentences(s *sentences) {
	s.then(`no partition went without an acknowledgement for longer than the `+budget+` of `+thatLoss,
		func(ctx context.Context, of, which string) error { return w.inTime(ctx, which, of, gapClock) })
	s.then(`every partition that `+lostOne+` led was written again within the `+budget+` of its loss`, w.inTimeBy(writtenClock))
	s.then(`every partition that `+lostOne+` led had a new leader within the `+budget+` of its loss`, w.inTimeBy(movedClock))
	s.then(lostOne+` was out of every ISR within the `+budget+` of its loss`, w.inTimeBy(shrunkClock))
	s.then(`the lost brokers were out of every ISR within the `+budget+` of their loss`, w.inTimeByAll(shrunkClock))
	s.then(lostOne+` was fenced within the `+budget+` of its loss`, w.inTimeBy(fencedClock))
	s.then(lostOne+` was in every ISR again within the `+budget+` of its return`, w.inTimeBy(refilledClock))
	s.then(`every clock of `+thatLoss+` stopped within its `+budget, w.inTimeBy(allClocks...))
	s.then(lostOne+` left every ISR because it (was shut down|was fenced|lagged)`, w.leftBecause)
}

// clocks are what can be timed of a loss.
const (
	gapClock = iota
	writtenClock
	movedClock
	shrunkClock
	fencedClock
	refilledClock
	letGoClock // out of every ISR too, by the budget of a follower that lags
)

var allClocks = []int{gapClock, writtenClock, movedClock, shrunkClock, fencedClock, refilledClock}

// clocked is a loss that a sentence timed: its table is printed when the scenario ends.
type clocked struct {
	loss     *loss
	topic    *topic
	inForce  clock.Settings
	defaults bool // the latest sentence demanded Kafka's defaults
}

func (w *World) inTimeBy(clocks ...int) func(context.Context, string, string) error {
	return func(ctx context.Context, which, of string) error { return w.inTime(ctx, which, of, clocks...) }
}

// inTimeByAll is for every broker that is lost now.
func (w *World) inTimeByAll(clocks ...int) func(context.Context, string) error {
	return func(ctx context.Context, of string) error {
		lost := w.lostNow()
		if len(lost) == 0 {
			return errors.New("no broker is lost")
		}
		for _, id := range lost {
			if err := w.inTime(ctx, fmt.Sprintf("broker %d", id), of, clocks...); err != nil {
				return err
			}
		}
		return nil
	}
}

// inTime waits until each of some clocks has stopped, or has gone on for longer than its budget: one that is over does not
// keep the others from being told.
func (w *World) inTime(ctx context.Context, which, of string, clocks ...int) error {
	id, err := w.lostBroker(which)
	if err != nil {
		return err
	}
	timed, err := w.timing(ctx, id)
	if err != nil {
		return err
	}
	timed.defaults = of == "default budget"
	if slices.Equal(clocks, []int{refilledClock}) && timed.loss.Returned.IsZero() {
		return fmt.Errorf("broker %d has not returned in this scenario", id)
	}
	what := fmt.Sprintf("the clocks of the loss of broker %d stop", id)
	return w.kafka(func() error {
		_, err := wait.Until(ctx, what, longestBudget, func(context.Context) (string, bool, error) {
			readings, err := w.readings(timed, clocks)
			if err != nil {
				return "", false, wait.Stop(err)
			}
			judged := clock.Judge(readings)
			if judged != nil && !slices.ContainsFunc(readings, func(r clock.Reading) bool { return !r.Decided() }) {
				return "", false, wait.Stop(judged)
			}
			return fmt.Sprint(judged), judged == nil, nil
		})
		return bare(err)
	})
}

// longestBudget is beyond every budget: a clock goes over its own before that.
const longestBudget = 5 * time.Minute

// bare takes the wait's words off a finding, which has its own.
func bare(err error) error {
	var waited *wait.Error
	if errors.As(err, &waited) && waited.Cause == nil && waited.Err != nil {
		return waited.Err
	}
	return err
}

// lostBroker is the id in the words of a sentence, or that of the broker that was lost last. A controller apart from the
// brokers is in no ISR, and leads nothing that could be timed.
func (w *World) lostBroker(which string) (int, error) {
	words := strings.Fields(which)
	id, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		if id, err = w.lostLast(which); err != nil {
			return 0, err
		}
	}
	if slices.Contains(w.need.Topology.Controllers(), id) {
		return 0, fmt.Errorf("%s is no broker: it is in no ISR, so name a broker", w.called(id))
	}
	return id, nil
}

// lostLast is the node that was lost last: of those that were lost at once, none was.
func (w *World) lostLast(which string) (int, error) {
	all := w.faults.All()
	if len(all) == 0 {
		return 0, errors.New("no broker was lost in this scenario")
	}
	id := all[len(all)-1].Fault.Node()
	if l := w.losses[id]; l != nil && l.atOnce {
		return 0, fmt.Errorf("%s: several were lost at once, so name the broker", which)
	}
	return id, nil
}

// leftBecause demands one cause for every ISR that the broker was in, and that it was as soon as that cause has it.
func (w *World) leftBecause(ctx context.Context, which, because string) error {
	left := shrunkClock
	if clock.Cause(because) == clock.Lagged {
		left = letGoClock
	}
	if err := w.inTime(ctx, which, "budget", left); err != nil {
		return err
	}
	id, err := w.lostBroker(which)
	if err != nil {
		return err
	}
	timed, err := w.timing(ctx, id)
	if err != nil {
		return err
	}
	now, err := w.at(timed)
	if err != nil {
		return err
	}
	causes, err := now.Causes()
	if err != nil {
		return err
	}
	if found := slices.Collect(maps.Keys(causes)); !slices.Equal(found, []clock.Cause{clock.Cause(because)}) {
		text := fmt.Sprintf("wanted: broker %d left every ISR because it %s; seen: it %s", id, because, now.Tell(causes))
		if changed := timed.inForce.Changed(now.Loss.Cluster(), now.Loss.Lag()); changed != "" {
			text += "; in force: " + changed
		}
		return errors.New(text)
	}
	return nil
}
