package steps

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures"
)

// initialiser is a topic initialiser at work, or what came of it.
type initialiser struct {
	waited atomic.Int64 // looks at which too few brokers were registered
	done   chan struct{}
	result fixtures.Initialised
	err    error
	cancel context.CancelFunc
}

func (w *World) initialiserSentences(s *sentences) {
	s.action(`the topic initialiser is started for a topic "([^"]+)" with `+settings, w.startInitialiser)
	s.then(within+`the initialiser ends, having created the topic`, func(ctx context.Context, n int) error {
		return w.initialiserEnds(ctx, n, fixtures.Created)
	})
	s.then(within+`the initialiser ends, having found the topic there`, func(ctx context.Context, n int) error {
		return w.initialiserEnds(ctx, n, fixtures.AlreadyThere)
	})
	s.then(within+`the initialiser ends, reporting that (\S+) is (\S+) and should be (\S+)`, w.initialiserReports)
	s.then(`the initialiser has waited for brokers`, w.initialiserWaited)
}

// startInitialiser runs it beside the scenario, as a container of its own would run beside the brokers. It has been
// seen to look for brokers when the step ends.
func (w *World) startInitialiser(ctx context.Context, called string, partitions, factor, minISR int) error {
	wanted := w.spec(called, partitions, factor, minISR)
	w.use(called, wanted).refused = false // it is to be there from now on
	w.refusal = nil                       // of an earlier request
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	i := &initialiser{done: make(chan struct{}), cancel: cancel}
	looked := make(chan struct{}, 1)
	w.stopInitialiser()
	w.initialiser = i
	go func() {
		defer close(i.done)
		i.result, i.err = fixtures.Initialise(run, w.bootstrap(), wanted, func(registered, want int, _ error) {
			if registered < want {
				i.waited.Add(1)
			}
			select {
			case looked <- struct{}{}:
			default:
			}
		})
	}()
	select {
	case <-looked:
	case <-i.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (w *World) initialiserEnds(ctx context.Context, within int, want fixtures.Initialised) error {
	i, err := w.awaitInitialiser(ctx, within)
	if err != nil {
		return err
	}
	if i.err != nil || i.result != want {
		return fmt.Errorf("wanted: the initialiser reports %q; seen: %w", want, i.report())
	}
	return nil
}

func (w *World) initialiserReports(ctx context.Context, within int, setting, found, want string) error {
	i, err := w.awaitInitialiser(ctx, within)
	if err != nil {
		return err
	}
	var different *fixtures.DifferentTopicError
	if !errors.As(i.err, &different) {
		return fmt.Errorf("wanted: the initialiser reports other settings; seen: %w", i.report())
	}
	for _, d := range different.Differences {
		if d.Setting == setting && d.Found == found && d.Want == want {
			return nil
		}
	}
	return fmt.Errorf("wanted: the initialiser reports that %s is %s and should be %s; seen: %w", setting, found, want, i.err)
}

// report is what the initialiser ended with, as an error.
func (i *initialiser) report() error {
	if i.err != nil {
		return i.err
	}
	return fmt.Errorf("%q", i.result)
}

func (w *World) awaitInitialiser(ctx context.Context, within int) (*initialiser, error) {
	if w.initialiser == nil {
		return nil, errors.New("no initialiser was started in this scenario")
	}
	i := w.initialiser
	err := w.kafka(func() error {
		_, err := wait.Until(ctx, "the topic initialiser has ended", seconds(within), func(context.Context) (string, bool, error) {
			select {
			case <-i.done:
				return "ended", true, nil
			default:
				return fmt.Sprintf("still waiting, %d looks without enough brokers", i.waited.Load()), false, nil
			}
		})
		return err
	})
	return i, err
}

func (w *World) initialiserWaited() error {
	if w.initialiser == nil || w.initialiser.waited.Load() == 0 {
		return errors.New("wanted: the initialiser looked at least once while too few brokers were registered; seen: it never had to wait")
	}
	return nil
}

// stopInitialiser ends one that is still waiting, and waits for its end.
func (w *World) stopInitialiser() {
	if w.initialiser != nil {
		w.initialiser.cancel()
		<-w.initialiser.done
	}
}
