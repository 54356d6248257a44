package steps

import (
	"context"
	"fmt"
	"maps"
	"time"

	"kafka-ha/cluster/wait"
)

func (w *World) volumeSentences(s *sentences) {
	s.then(`the volume of broker (\d+) holds every record of the topic`, w.volumeHoldsAll)
	s.action(`the volume of broker (\d+) holds no record of the topic`, w.volumeIsEmpty)
	s.then(`the volume of broker (\d+) holds no record of the topic`, w.volumeIsEmpty)
}

// copyWithin bounds a look at a volume. A broker in the ISR may lag by what replica.lag.time.max.ms (30 s) allows; without new
// writes a fetch closes the gap at once. What takes long on a busy machine is the engine: it copies whole folders, each
// with two indexes that Kafka makes 10 MiB long (log.index.size.max.bytes).
const copyWithin = 30 * time.Second

// volumeHoldsAll compares what lies on the broker's volume with the end offsets, partition by partition.
func (w *World) volumeHoldsAll(ctx context.Context, id int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	b, err := w.cluster.Broker(id)
	if err == nil {
		err = b.OwnVolume() // at once: no wait would give it its own
	}
	if err != nil {
		return err
	}
	ends, err := w.endOffsetsOf(ctx, t)
	if err != nil {
		return err
	}
	want := map[int]int64{}
	var total int64
	for partition, end := range ends {
		want[int(partition)] = end
		total += end
	}
	if total == 0 {
		return fmt.Errorf("topic %s is empty, so a volume that holds every record of it proves nothing", t.spec.Name)
	}
	return w.kafka(func() error {
		what := fmt.Sprintf("the volume of broker %d holds %d records of %s: %v", id, total, t.spec.Name, want)
		_, err := wait.Until(ctx, what, copyWithin, func(ctx context.Context) (map[int]int64, bool, error) {
			stored, err := w.stored(ctx, t, id)
			return stored, maps.Equal(stored, want), err
		})
		return err
	})
}

func (w *World) volumeIsEmpty(ctx context.Context, id int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if t.ledger == nil || t.ledger.Snapshot().Acknowledged == 0 {
		return fmt.Errorf("topic %s has no acknowledged record, so a volume without one proves nothing", t.spec.Name)
	}
	stored, err := w.stored(ctx, t, id)
	if err != nil {
		return err
	}
	for partition, n := range stored {
		if n != 0 {
			return fmt.Errorf("wanted: no record of %s on the volume of broker %d; seen: %d records of partition %d",
				t.spec.Name, id, n, partition)
		}
	}
	return nil
}

func (w *World) stored(ctx context.Context, t *topic, id int) (map[int]int64, error) {
	b, err := w.cluster.Broker(id)
	if err == nil && t.spec.Partitions == 0 {
		err = fmt.Errorf("topic %s was not made by this scenario, so that its partitions are not known", t.spec.Name)
	}
	if err != nil {
		return nil, err
	}
	return b.Stored(ctx, t.spec.Name, int(t.spec.Partitions))
}
