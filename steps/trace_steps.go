package steps

import (
	"fmt"
	"time"

	"kafka-ha/fixtures/trace"
)

func (w *World) traceSentences(s *sentences) {
	s.given(`a SUMO trace of ([\d,]+) positions of ([\d,]+) vehicles over ([\d,]+) seconds`, w.traceHas)
}

// traceHas counts the trace that producers replay.
func (w *World) traceHas(positions, vehicles, steps string) error {
	source, err := trace.Embedded()
	if err != nil {
		return err
	}
	n, seen, times := 0, map[string]bool{}, map[time.Duration]bool{}
	for position, err := range source.All() {
		if err != nil {
			return err
		}
		n++
		seen[position.Vehicle] = true
		times[position.Time] = true
	}
	for what, pair := range map[string]struct {
		want string
		got  int
	}{"positions": {positions, n}, "vehicles": {vehicles, len(seen)}, "seconds": {steps, len(times)}} {
		want, err := parseCount(pair.want)
		if err != nil {
			return err
		}
		if want != pair.got {
			return fmt.Errorf("the trace has %d %s, want %d", pair.got, what, want)
		}
	}
	return nil
}
