package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kafka-ha/fixtures"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/verdict"
)

// lookWithin bounds the search of all brokers' segments: some hundred MiB a second are read, decompressed and walked.
const lookWithin = 2 * time.Minute

// volume is what a broker has on disk.
type volume interface {
	Search(ctx context.Context, topic string, partition int, header string, found func(offset int64, value []byte)) (int64, error)
}

// whoLost looks for the lost events of a verdict in every broker's own log segments and judges again, so that the
// verdict tells what the brokers lost from what was only not delivered. That it could not look everywhere changes no
// result, and is said.
func (w *World) whoLost(ctx context.Context, t *topic, judged verdict.Verdict) verdict.Verdict {
	if judged.Found[verdict.Lost] == 0 {
		return judged
	}
	volumes := map[int]volume{}
	for _, b := range w.cluster.Brokers() {
		volumes[b.ID] = b
	}
	bounded, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if err := w.sending(func() error { return lookForLost(bounded, volumes, t.ledger, judged) }); err != nil {
		w.suite.Print("not all log segments were looked through: %v", err)
	}
	again, err := verdict.Judge(t.ledger.Dir())
	if err != nil {
		w.suite.Print("second judging: %v", err)
		return judged
	}
	return again
}

// lookForLost writes what brokers' segments hold of the lost events that a verdict names.
func lookForLost(ctx context.Context, volumes map[int]volume, l *ledger.Ledger, judged verdict.Verdict) error {
	out, err := l.CreateSegments(judged.Topic)
	if err != nil {
		return err
	}
	wanted, in := map[ledger.EventID]bool{}, map[int32]bool{}
	for _, o := range judged.Offenders[verdict.Lost] {
		wanted[o.ID], in[o.Partition] = true, true
	}
	var problems []error
	for _, id := range slices.Sorted(maps.Keys(volumes)) {
		for _, partition := range slices.Sorted(maps.Keys(in)) {
			seen := ledger.Looked{Broker: id, Partition: partition}
			problems = append(problems, look(ctx, volumes[id], out, judged.Topic, seen, wanted))
		}
	}
	if err := errors.Join(append(problems, out.Close())...); err != nil {
		return fmt.Errorf("segments of %s: %w", judged.Topic, err)
	}
	return nil
}

// look searches one partition on one broker. What was found counts also when the search was cut short.
func look(ctx context.Context, v volume, out *ledger.Segments, topic string, seen ledger.Looked, wanted map[ledger.EventID]bool) error {
	var problems []error
	n, err := v.Search(ctx, topic, int(seen.Partition), fixtures.EventIDHeader, func(offset int64, value []byte) {
		if id, err := ledger.ParseEventID(value); err == nil && wanted[id] {
			stored := ledger.Stored{Broker: seen.Broker, Partition: seen.Partition, Offset: offset, ID: id}
			problems = append(problems, out.Stored(stored))
		}
	})
	if err == nil {
		seen.Records = n
		err = out.Looked(seen)
	}
	return errors.Join(append(problems, err)...)
}
