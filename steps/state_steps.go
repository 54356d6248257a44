package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// state is something that a view of the cluster shows or does not show. holds returns an error when the view cannot
// tell, for example because the brokers do not agree yet.
type state struct {
	words string
	holds func(cluster.View) (bool, error)
}

// perPartition is a state that holds when each partition of the topic in use is as it should be.
func (w *World) perPartition(words string, ok func(cluster.Partition) bool) (state, error) {
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: words, holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		return len(partitions) > 0 && !slices.ContainsFunc(partitions, func(p cluster.Partition) bool { return !ok(p) }), nil
	}}, nil
}

func (w *World) stateSentences(s *sentences) {
	w.stateOfBrokers(s, `every partition is led by`, func(p cluster.Partition, ids []int) bool {
		return slices.Contains(ids, p.Leader)
	})
	w.stateOfBrokers(s, `the ISR of every partition is`, func(p cluster.Partition, ids []int) bool {
		return sameIDs(p.ISR, ids)
	})
	w.stateOfBrokers(s, `the replicas of every partition are on`, func(p cluster.Partition, ids []int) bool {
		return sameIDs(p.Replicas, ids)
	})
	w.stateOfBrokers(s, `no partition is led by`, func(p cluster.Partition, ids []int) bool {
		return !slices.Contains(ids, p.Leader)
	})
	w.stateOfBrokers(s, `no ISR contains`, func(p cluster.Partition, ids []int) bool {
		return !slices.ContainsFunc(ids, func(id int) bool { return slices.Contains(p.ISR, id) })
	})
	w.stateOfText(s, `every broker leads exactly (\d{1,5}) partitions`, func(n string) (state, error) {
		return w.spread(n, "leads", cluster.Partition.LedBy)
	})
	w.stateOfText(s, `every broker follows exactly (\d{1,5}) partitions`, func(n string) (state, error) {
		return w.spread(n, "follows", cluster.Partition.FollowedBy)
	})
	w.stateOfText(s, `exactly (\d{1,5}) partitions are offline`, w.offline)
	w.stateOfText(s, `no broker knows the topic "([^"]+)"`, func(name string) (state, error) {
		name = w.realName(name)
		return state{words: "no broker knows the topic " + name, holds: func(v cluster.View) (bool, error) {
			return !slices.Contains(v.Topics(true), name), answered(v)
		}}, nil
	})
	w.stateOfText(s, `no broker knows (a|any) user topic`, func(string) (state, error) {
		return state{words: "no broker knows a user topic", holds: func(v cluster.View) (bool, error) {
			return len(v.Topics(false)) == 0, answered(v)
		}}, nil
	})
}

// answered is an error when no broker answers: then nothing is known of topics, which is not the same as no topic.
func answered(v cluster.View) error {
	if len(v.Brokers) == 0 {
		return errors.New("no broker answers")
	}
	return nil
}

// spread is the state in which each broker has its role for exactly n partitions of the topic in use.
func (w *World) spread(count, verb string, has func(cluster.Partition, int) bool) (state, error) {
	n, err := parseCount(count)
	if err != nil {
		return state{}, err
	}
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: fmt.Sprintf("every broker %s exactly %d partitions", verb, n), holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		for _, id := range brokerIDs {
			having := 0
			for _, p := range partitions {
				if has(p, id) {
					having++
				}
			}
			if having != n {
				return false, nil
			}
		}
		return true, nil
	}}, nil
}

// offline is the state in which exactly n partitions of the topic in use have no leader.
func (w *World) offline(count string) (state, error) {
	n, err := parseCount(count)
	if err != nil {
		return state{}, err
	}
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: fmt.Sprintf("exactly %d partitions are offline", n), holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		offline := slices.DeleteFunc(slices.Clone(partitions), func(p cluster.Partition) bool { return p.Leader >= 0 })
		return len(offline) == n, nil
	}}, nil
}

// stateOfBrokers registers a state that holds when ok does for each partition and the brokers of the sentence. The
// phrase, with the brokers behind it, is both what a feature may say and what a failure says was wanted.
func (w *World) stateOfBrokers(s *sentences, phrase string, ok func(p cluster.Partition, ids []int) bool) {
	w.stateOfText(s, phrase+" "+brokerList, func(text string) (state, error) {
		ids, err := parseBrokers(text)
		if err != nil {
			return state{}, err
		}
		return w.perPartition(phrase+" "+brokers(ids), func(p cluster.Partition) bool { return ok(p, ids) })
	})
}

// stateOfText registers the four forms in which a feature may state something of the cluster: now, within a time,
// within a time of a broker's exit or registration, and for a time.
func (w *World) stateOfText(s *sentences, phrase string, make func(arg string) (state, error)) {
	s.then(phrase, func(ctx context.Context, arg string) error {
		return w.check(make(arg))(func(st state) error { return w.isSo(ctx, st) })
	})
	s.then(within+phrase, func(ctx context.Context, n int, arg string) error {
		return w.check(make(arg))(func(st state) error { return w.becomesSo(ctx, st, time.Now(), seconds(n)) })
	})
	afterEvent := within + `of the (exit|registration) of broker (\d+) `
	s.then(afterEvent+phrase, func(ctx context.Context, n int, event string, id int, arg string) error {
		return w.check(make(arg))(func(st state) error {
			since, err := w.momentOf(event, id)
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

func (w *World) isSo(ctx context.Context, st state) error {
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	ok, err := st.holds(view)
	if err != nil || !ok {
		return fmt.Errorf("wanted: %s; seen:\n%s%s", st.words, view, because(err))
	}
	return nil
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
const agreeWithin = 3 * time.Second

func (w *World) staysSo(ctx context.Context, st state, during time.Duration) error {
	told, unsure := time.Now(), true // when a look last told whether the state holds, and whether the latest did not
	err := wait.Stays(ctx, st.words, during, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		ok, err := st.holds(view)
		if unsure = err != nil; unsure && time.Since(told) < agreeWithin {
			return view, true, nil
		}
		told = time.Now()
		return view, ok, err
	})
	if err != nil || !unsure {
		return err
	}
	return w.isSoOnceTold(ctx, st)
}

// isSoOnceTold waits until the brokers agree, and wants the state to hold then.
func (w *World) isSoOnceTold(ctx context.Context, st state) error {
	_, err := wait.Until(ctx, st.words, agreeWithin, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		ok, err := st.holds(view)
		if err == nil && !ok {
			err = wait.Stop(fmt.Errorf("it does not hold any more; seen:\n%s", view))
		}
		return view, ok, err
	})
	return err
}

// momentOf returns when a broker exited or was registered again, in this scenario.
func (w *World) momentOf(event string, id int) (time.Time, error) {
	l := w.losses[id]
	if l == nil {
		return time.Time{}, fmt.Errorf("broker %d was not lost in this scenario", id)
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

func because(err error) string {
	if err == nil {
		return ""
	}
	return "\n" + strings.TrimSpace(err.Error())
}
