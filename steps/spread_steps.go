package steps

import (
	"context"
	"fmt"
	"slices"

	"kafka-ha/fixtures/traffic"
)

func (w *World) spreadSentences(s *sentences) {
	s.action(count+` events without a key are acknowledged, with the (round robin|sticky) partitioner`, w.acknowledgedKeyless)
	s.then(`the records are spread evenly over the partitions, within one record`, w.spreadEvenly)
	s.then(`the records are in exactly `+amount+` partitions?`, w.inPartitions)
}

func (w *World) acknowledgedKeyless(ctx context.Context, count, partitioner string) error {
	return w.batch(ctx, count, traffic.Config{Name: "keyless batch", Keyless: traffic.Spread(partitioner)})
}

// records counts the records of each partition, those without any included.
func (w *World) records(ctx context.Context) ([]int, error) {
	all, err := w.readBack(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("topic %q has no record", w.current.called)
	}
	counts := make([]int, w.current.spec.Partitions)
	for partition, records := range all {
		counts[partition] = len(records)
	}
	return counts, nil
}

func (w *World) spreadEvenly(ctx context.Context) error {
	counts, err := w.records(ctx)
	if err != nil {
		return err
	}
	return spread(counts)
}

// spread wants as many records in each partition, within one. Fewer records than partitions, each in another one, would be
// even in any case.
func spread(counts []int) error {
	total := 0
	for _, one := range counts {
		total += one
	}
	if total < len(counts) {
		return fmt.Errorf("%d records over %d partitions prove no even spread; write at least one for each partition", total, len(counts))
	}
	if slices.Max(counts)-slices.Min(counts) > 1 {
		return fmt.Errorf("wanted: as many records in each partition, within one; seen: by partition %v", counts)
	}
	return nil
}

func (w *World) inPartitions(ctx context.Context, want int) error {
	counts, err := w.records(ctx)
	if err != nil {
		return err
	}
	if used := len(counts) - countOf(counts, 0); used != want {
		return fmt.Errorf("wanted: records in exactly %d partitions; seen: in %d, by partition %v", want, used, counts)
	}
	return nil
}

func countOf(all []int, value int) (n int) {
	for _, one := range all {
		if one == value {
			n++
		}
	}
	return n
}
