package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/steps/clock"
)

// budget says whether a feature demands what the settings in force allow or what Kafka's defaults do.
const budget = `(budget|default budget)`

func (w *World) clockSentences(s *sentences) {
	s.then(`no partition went without an acknowledgement for longer than the `+budget+` of the loss of broker (\d+)`,
		func(ctx context.Context, of string, id int) error { return w.inTime(ctx, id, of, gapClock) })
	s.then(`every partition that broker (\d+) led was written again within the `+budget+` of its loss`, w.inTimeBy(writtenClock))
	s.then(`every partition that broker (\d+) led had a new leader within the `+budget+` of its loss`, w.inTimeBy(movedClock))
	s.then(`broker (\d+) was out of every ISR within the `+budget+` of its loss`, w.inTimeBy(shrunkClock))
	s.then(`broker (\d+) was fenced within the `+budget+` of its loss`, w.inTimeBy(fencedClock))
	s.then(`broker (\d+) was in every ISR again within the `+budget+` of its return`, w.inTimeBy(refilledClock))
	s.then(`every clock of the loss of broker (\d+) stopped within its `+budget, w.inTimeBy(allClocks...))
	s.then(`broker (\d+) left every ISR because it (was shut down|was fenced|lagged)`, w.leftBecause)
}

// clocks are what can be timed of a loss.
const (
	gapClock = iota
	writtenClock
	movedClock
	shrunkClock
	fencedClock
	refilledClock
)

var allClocks = []int{gapClock, writtenClock, movedClock, shrunkClock, fencedClock, refilledClock}

// clocked is a loss that a sentence timed: its table is printed when the scenario ends.
type clocked struct {
	loss     *loss
	topic    *topic
	inForce  clock.Settings
	defaults bool // the latest sentence demanded Kafka's defaults
}

func (w *World) inTimeBy(clocks ...int) func(context.Context, int, string) error {
	return func(ctx context.Context, id int, of string) error { return w.inTime(ctx, id, of, clocks...) }
}

// inTime waits until clocks have stopped, or until one of them has gone on for longer than its budget.
func (w *World) inTime(ctx context.Context, id int, of string, clocks ...int) error {
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
			if judged != nil && slices.ContainsFunc(readings, clock.Reading.Over) {
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

// leftBecause demands one cause for every ISR that the broker was in.
func (w *World) leftBecause(ctx context.Context, id int, because string) error {
	timed, err := w.timing(ctx, id)
	if err != nil {
		return err
	}
	if err := w.inTime(ctx, id, "budget", shrunkClock); err != nil {
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
		return fmt.Errorf("wanted: broker %d left every ISR because it %s; seen: it %s", id, because, now.Tell(causes))
	}
	return nil
}
