package steps

import (
	"context"
	"fmt"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/traffic"
)

func (w *World) offsetSentences(s *sentences) {
	s.then(`for `+amount+` seconds the end offsets stand still`, w.endOffsetsStand)
	s.then(within+`the end offsets grow`, w.endOffsetsGrow)
}

// endOffsetSum is how far consumers can read now: the sum of the high watermarks of the topic in use.
func (w *World) endOffsetSum(ctx context.Context) (int64, error) {
	t, err := w.topicInUse()
	if err != nil {
		return 0, err
	}
	bounds, err := traffic.Offsets(ctx, w.bootstrap(), t.spec.Name)
	return traffic.EndOffsetSum(bounds), err
}

// endOffsetsStand demands that nothing becomes readable for a time, whatever is acknowledged meanwhile.
func (w *World) endOffsetsStand(ctx context.Context, during int) error {
	return w.kafka(func() error {
		before, err := w.endOffsetSum(ctx)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("the end offsets stand still at %d", before)
		return wait.Stays(ctx, what, seconds(during), func(ctx context.Context) (int64, bool, error) {
			now, err := w.endOffsetSum(ctx)
			return now, now == before, err
		})
	})
}

func (w *World) endOffsetsGrow(ctx context.Context, within int) error {
	return w.kafka(func() error {
		before, err := w.endOffsetSum(ctx)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("end offsets above %d", before)
		_, err = wait.Until(ctx, what, seconds(within), func(ctx context.Context) (int64, bool, error) {
			now, err := w.endOffsetSum(ctx)
			return now, now > before, err
		})
		return err
	})
}
