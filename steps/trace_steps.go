package steps

import (
	"fmt"

	"kafka-ha/fixtures/trace"
)

func (w *World) traceSentences(s *sentences) {
	s.given(`a SUMO trace of `+count+` positions of `+count+` vehicles`, w.traceHas)
}

// traceHas counts the trace that producers replay.
func (w *World) traceHas(positions, vehicles string) error {
	source, err := trace.Embedded()
	if err != nil {
		return err
	}
	n, seen := 0, map[string]bool{}
	for position, err := range source.All() {
		if err != nil {
			return err
		}
		n++
		seen[position.Vehicle] = true
	}
	for what, pair := range map[string]struct {
		want string
		got  int
	}{"positions": {positions, n}, "vehicles": {vehicles, len(seen)}} {
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
