package steps

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"kafka-ha/fixtures/ledger"
)

func (w *World) orderSentences(s *sentences) {
	// The recount's rules for this are split keys and out of order.
	s.then(`the records of each vehicle are in one partition, in the order they were sent`, w.recountHolds)
	s.then(`some partition holds the records of several vehicles`, w.shared)
	s.then(`the log holds the records of `+count+` vehicles`, w.holdsVehicles)
	s.then(`the offsets of every partition count up from 0 without a gap`, w.offsetsDense)
}

// readBack returns what the latest recount read, by partition, in the order of reading.
func (w *World) readBack(ctx context.Context) (map[int32][]ledger.Record, error) {
	if _, err := w.proven(ctx); err != nil {
		return nil, err
	}
	all := map[int32][]ledger.Record{}
	for entry, err := range ledger.LogFile(filepath.Join(w.current.ledger.Dir(), ledger.LogFileName)).Entries() {
		if err != nil {
			return nil, err
		}
		if entry.Kind == ledger.KindRecord {
			all[entry.Record.Partition] = append(all[entry.Record.Partition], entry.Record)
		}
	}
	return all, nil
}

func (w *World) shared(ctx context.Context) error {
	all, err := w.readBack(ctx)
	if err != nil {
		return err
	}
	most := 0
	for _, records := range all {
		vehicles := map[string]bool{}
		for _, r := range records {
			vehicles[r.Key] = true
		}
		most = max(most, len(vehicles))
	}
	if most < 2 {
		return fmt.Errorf("wanted: a partition with records of several vehicles; seen: at most %d vehicle in each of %d partitions",
			most, len(all))
	}
	return nil
}

func (w *World) holdsVehicles(ctx context.Context, count string) error {
	want, err := parseCount(count)
	if err != nil {
		return err
	}
	all, err := w.readBack(ctx)
	if err != nil {
		return err
	}
	vehicles := map[string]bool{}
	for _, records := range all {
		for _, r := range records {
			vehicles[r.Key] = true
		}
	}
	if len(vehicles) != want {
		return fmt.Errorf("wanted: records of %d vehicles; seen: of %d", want, len(vehicles))
	}
	return nil
}

func (w *World) offsetsDense(ctx context.Context) error {
	all, err := w.readBack(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("wanted: offsets that count up from 0; seen: no record at all")
	}
	for _, partition := range slices.Sorted(maps.Keys(all)) {
		for position, r := range all[partition] {
			if r.Offset != int64(position) {
				return fmt.Errorf("partition %d: wanted: offset %d at position %d; seen: offset %d",
					partition, position, position, r.Offset)
			}
		}
	}
	return nil
}
