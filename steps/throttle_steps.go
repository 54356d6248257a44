package steps

import (
	"context"
	"errors"
	"fmt"

	"kafka-ha/cluster/wait"
)

func (w *World) throttleSentences(s *sentences) {
	s.action(`the replication of the topic to broker (\d+) is throttled to `+count+` bytes per second`, w.throttle)
	s.action(`the replication of the topic to broker (\d+) is no longer throttled`, w.unthrottle)
	s.then(within+`broker (\d+) has fetched more records of the topic, and not all of them`, w.fetchesSome)
}

func (w *World) throttle(ctx context.Context, id int, rate string) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	b, err := w.cluster.Broker(id)
	if err != nil {
		return err
	}
	bytes, err := parseCount(rate)
	if err != nil {
		return err
	}
	w.throttled = append(w.throttled, b)
	return w.kafka(func() error { return b.Throttle(ctx, t.spec.Name, bytes) })
}

func (w *World) unthrottle(ctx context.Context, id int) error {
	b, err := w.cluster.Broker(id)
	if err != nil {
		return err
	}
	return w.kafka(func() error { return b.Unthrottle(ctx) })
}

// restoreThrottles is for the end of a scenario, when all brokers are back.
func (w *World) restoreThrottles(ctx context.Context) error {
	problems := make([]error, 0, len(w.throttled))
	for _, b := range w.throttled {
		problems = append(problems, b.Unthrottle(ctx))
	}
	return errors.Join(problems...)
}

// fetchesSome shows a follower at work: from now on records come to its volume, and at that moment it does not have all.
func (w *World) fetchesSome(ctx context.Context, within, id int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	all, err := w.endOffsetsOf(ctx, t)
	if err != nil {
		return err
	}
	had, end := int64(-1), int64(0)
	for _, offset := range all {
		end += offset
	}
	what := fmt.Sprintf("broker %d has fetched more records of %s, and fewer than the %d that its leaders have", id, t.spec.Name, end)
	return w.kafka(func() error {
		_, err := wait.Until(ctx, what, seconds(within), func(ctx context.Context) (string, bool, error) {
			stored, err := w.stored(ctx, t, id)
			if err != nil {
				return "", false, err
			}
			has := int64(0)
			for _, n := range stored {
				has += n
			}
			if had < 0 {
				had = has
			}
			if has >= end {
				err = wait.Stop(fmt.Errorf("it has %d of them", has))
			}
			return fmt.Sprintf("%d records at first, %d now", had, has), has > had && err == nil, err
		})
		return err
	})
}
