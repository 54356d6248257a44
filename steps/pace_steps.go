package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/trace"
	"kafka-ha/fixtures/traffic"
)

func (w *World) paceSentences(s *sentences) {
	s.then(`the events were sent at `+count+` per second`, w.sentAtRate)
	s.then(`the trace was sent in real time, `+count+` times as fast`, w.sentInRealTime)
}

// How far an event may be from the moment it is due. An open loop sends late events at once when a stall is over, so
// that only the machine's own hiccups remain. A pace is told from paceNeeds of traffic or more: what lasts shorter is
// within these bounds at nearly any pace.
const (
	earlyBy   = 100 * time.Millisecond
	lateBy    = 2 * time.Second
	paceNeeds = 3 * time.Second
)

// sentAtRate compares each attempt with its place in a steady row.
func (w *World) sentAtRate(_ context.Context, perSecond string) error {
	rate, err := parseCount(perSecond)
	if err != nil {
		return err
	}
	return w.sentOnTime(func(n int) (time.Duration, error) {
		return time.Duration(float64(n) / float64(rate) * float64(time.Second)), nil
	})
}

// sentInRealTime compares each attempt with the time that the trace says.
func (w *World) sentInRealTime(_ context.Context, times string) error {
	speed, err := parseCount(times)
	if err != nil {
		return err
	}
	recorded, err := trace.Embedded()
	if err != nil {
		return err
	}
	return w.sentOnTime(func(int) (time.Duration, error) {
		position, err := recorded.Next()
		return position.Time / time.Duration(speed), err
	})
}

// pace is how the attempts of a producer lie against the moments at which they were due, both from the first one.
type pace struct {
	sent      int
	start     time.Duration // of the first, on the ledger's clock
	took, due time.Duration // of the last
}

// sentOnTime reads from the ledger when each event of the latest producer was attempted. That no event is far off is not
// enough: many fast ones never are. So the whole must have taken as long as it should.
func (w *World) sentOnTime(due func(n int) (time.Duration, error)) error {
	asked := time.Now()
	p, t, err := w.producerInUse()
	if err != nil {
		return err
	}
	if err := t.ledger.Sync(); err != nil {
		return err
	}
	row, err := rowOf(t.ledger, p.Index(), due)
	if err != nil {
		return err
	}
	if row.took < paceNeeds {
		return fmt.Errorf("wanted: %s of traffic or more, to tell its pace; seen: %d events in %s", paceNeeds, row.sent, row.took)
	}
	if off := (row.took - row.due).Abs(); off > row.due/20+5*earlyBy {
		return fmt.Errorf("wanted: %d events in %s; seen: in %s", row.sent, row.due, row.took)
	}
	return w.noneOverdue(p, t, row, asked, due)
}

// noneOverdue finds a running producer that does not send what is due.
func (w *World) noneOverdue(p *traffic.Producer, t *topic, row pace, asked time.Time, due func(n int) (time.Duration, error)) error {
	if !slices.Contains(t.writers, p) {
		return nil // it has ended
	}
	next, err := due(row.sent)
	if errors.Is(err, io.EOF) {
		return nil
	}
	late := asked.Sub(t.ledger.Header().Started) - row.start - next
	if err == nil && late > lateBy {
		err = fmt.Errorf("wanted: event %d sent %s after the first; seen: not sent %s later", row.sent+1, next, late)
	}
	return err
}

func rowOf(book *ledger.Ledger, producer uint32, due func(n int) (time.Duration, error)) (pace, error) {
	var row pace
	var first time.Duration
	for entry, err := range ledger.File(filepath.Join(book.Dir(), ledger.FileName)).Entries() {
		if err != nil {
			return row, err
		}
		if entry.Kind != ledger.KindAttempt || entry.Producer != producer {
			continue
		}
		at, err := due(row.sent)
		if err != nil {
			return row, fmt.Errorf("event %d: %w", row.sent+1, err)
		}
		if row.sent == 0 {
			row.start, first = entry.At, at
		}
		row.sent++
		row.took, row.due = entry.At-row.start, at-first
		if off := row.took - row.due; off < -earlyBy || off > lateBy {
			return row, fmt.Errorf("wanted: event %d sent %s after the first, at most %s early or %s late; seen: %s after it",
				row.sent, row.due, earlyBy, lateBy, row.took)
		}
	}
	return row, nil
}
