package steps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
	"kafka-ha/steps/clock"
)

// state is something that a view of the cluster shows or does not show. holds returns an error when the view cannot
// tell, for example because the brokers do not agree yet.
type state struct {
	words string
	holds func(cluster.View) (bool, error)
}

// stateOfText registers the four forms in which a feature may state something of the cluster: now, within a time,
// within a time of a broker's loss or registration, and for a time.
func (w *World) stateOfText(s *sentences, phrase string, make func(arg string) (state, error)) {
	s.then(phrase, func(ctx context.Context, arg string) error {
		return w.check(make(arg))(func(st state) error { return w.isSo(ctx, st) })
	})
	s.then(within+phrase, func(ctx context.Context, n int, arg string) error {
		return w.check(make(arg))(func(st state) error { return w.becomesSo(ctx, st, time.Now(), seconds(n)) })
	})
	afterEvent := within + `of the (exit|loss|registration) of ` + oneBroker + ` `
	s.then(afterEvent+phrase, func(ctx context.Context, n int, event, role, arg string) error {
		return w.check(make(arg))(func(st state) error {
			since, err := w.momentOf(event, role)
			if err != nil {
				return err
			}
			return w.becomesSo(ctx, st, since, seconds(n))
		})
	})
	s.then(`for `+amount+` seconds `+phrase, func(ctx context.Context, n int, arg string) error {
		return w.check(make(arg))(func(st state) error { return w.staysSo(ctx, st, seconds(n)) })
	})
}

// check passes a state on, unless it could not be made.
func (w *World) check(st state, err error) func(func(state) error) error {
	return func(do func(state) error) error {
		if err != nil {
			return err
		}
		return w.kafka(func() error { return do(st) })
	}
}

// isSo judges one look, the first one in which the brokers tell whether the state holds.
func (w *World) isSo(ctx context.Context, st state) error {
	return w.onceTold(ctx, st, "it does not hold")
}

// becomesSo judges by the timeline, so that it matters when the state came about and not when the sentence was read.
func (w *World) becomesSo(ctx context.Context, st state, since time.Time, within time.Duration) error {
	holds := func(v cluster.View) bool {
		ok, err := st.holds(v)
		return err == nil && ok
	}
	left := time.Until(since.Add(within))
	what := fmt.Sprintf("%s, within %s of %s", st.words, within, since.Format("15:04:05.000"))
	_, err := wait.Until(ctx, what, max(left, 0)+graceForLooking, func(ctx context.Context) (cluster.View, bool, error) {
		view, ok := w.timeline.FirstSince(since, holds)
		if ok && view.At.Sub(since) > within {
			return view, false, wait.Stop(fmt.Errorf("it came about only after %s", view.At.Sub(since).Round(10*time.Millisecond)))
		}
		if ok {
			return view, true, nil
		}
		view, err := w.view(ctx)
		return view, false, err
	})
	return err
}

// graceForLooking lets the recorder take the look that falls on the end of a period. It does not lengthen the period.
const graceForLooking = 500 * time.Millisecond

// agreeWithin bounds how long brokers may tell different things: each replays the metadata log on its own, with fetches
// of metadata.max.idle.interval.ms (500 ms) at the most, and a busy machine takes longer.
const agreeWithin = 3*time.Second + clock.Machine

func (w *World) staysSo(ctx context.Context, st state, during time.Duration) error {
	told, unsure := time.Now(), true // when a look last told whether the state holds, and whether the latest did not
	err := wait.Stays(ctx, st.words, during, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		ok, err := st.holds(view)
		if unsure = err != nil; unsure && time.Since(told) < w.agree {
			return view, true, nil
		}
		told = time.Now()
		return view, ok, err
	})
	if err != nil || !unsure {
		return err
	}
	return w.onceTold(ctx, st, "it does not hold any more")
}

// onceTold waits until the brokers agree, and wants the state to hold then.
func (w *World) onceTold(ctx context.Context, st state, otherwise string) error {
	holds := false
	view, err := wait.Until(ctx, st.words, w.agree, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		holds, err = st.holds(view)
		return view, err == nil, err
	})
	if err == nil && !holds {
		err = fmt.Errorf("wanted: %s; %s; seen:\n%s", st.words, otherwise, view)
	}
	return err
}

// momentOf returns when a broker was lost or was registered again, in this scenario.
func (w *World) momentOf(event, role string) (time.Time, error) {
	id, err := w.whoWas(role)
	if err != nil {
		return time.Time{}, err
	}
	l := w.losses[id]
	if l.Lost == nil {
		return time.Time{}, fmt.Errorf("%s was not lost in this scenario", w.called(id))
	}
	if event == "exit" && clock.WayOf(l.kind()) == clock.Frozen {
		return time.Time{}, fmt.Errorf(`%s was lost by %s: it did not exit; say "of the loss of"`, w.called(id), l.kind())
	}
	moment := l.At
	if event == "registration" {
		moment = l.Returned
	}
	if moment.IsZero() {
		return moment, fmt.Errorf("broker %d has not returned in this scenario", id)
	}
	return moment, nil
}

func sameIDs(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
