package steps

import (
	"context"
	"fmt"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) startSentences(s *sentences) {
	s.given(`a consumer group "([^"]+)" starts at the (earliest|latest) offset`, w.groupStarts)
	s.then(`group "([^"]+)" has processed only records that were written after it started`, w.processedOnlyLater)
}

// start is where a group without a commit starts to read: auto.offset.reset.
type start struct {
	latest bool
	ends   map[int32]int64 // end offsets right before its first consumer joined; nil before
}

func (w *World) groupStarts(ctx context.Context, called, where string) error {
	return w.kafka(func() error {
		if err := w.newGroup(ctx, called, ledger.CommitsAfter, traffic.DefaultSession); err != nil {
			return err
		}
		g, err := w.groups.named(called)
		if err != nil {
			return err
		}
		g.start = &start{latest: where == "latest"}
		return nil
	})
}

// noteStart keeps the end offsets before the first consumer of a group joins.
func (w *World) noteStart(ctx context.Context, g *group) (err error) {
	if g.start == nil || g.start.ends != nil {
		return nil
	}
	g.start.ends, err = w.endOffsetsOf(ctx, g.topic)
	return err
}

// processedOnlyLater is for contrasts: the group comes to its end, and nothing is in its file that was there before its
// first consumer joined. It proves something only where there was something, and where the group has processed at all.
func (w *World) processedOnlyLater(ctx context.Context, called string) error {
	g, err := w.groups.named(called)
	if err != nil {
		return err
	}
	if g.start == nil || g.start.ends == nil {
		return fmt.Errorf(`it is not known where group %q starts; begin with "Given a consumer group %q starts at the latest offset", `+
			"and let a consumer join", called, called)
	}
	if g.delivery == nil {
		if err := w.deliver(ctx, g); err != nil {
			return err
		}
	}
	earlier, later, err := g.start.count(ledger.GroupFile(g.log.Name()))
	if err != nil {
		return err
	}
	if there := sum(g.start.ends); there == 0 || earlier > 0 || later == 0 {
		return fmt.Errorf("wanted: records processed, none of the %d that were there before group %q started; "+
			"seen: %d of those, %d later ones", there, called, earlier, later)
	}
	return nil
}

// count tells apart what the group processed: what was there before it started, and what came later.
func (s *start) count(file ledger.GroupFile) (earlier, later int, err error) {
	for e, err := range file.Entries() {
		switch {
		case err != nil:
			return earlier, later, err
		case e.Kind != ledger.KindProcessed:
		case e.Record.Offset < s.ends[e.Record.Partition]:
			earlier++
		default:
			later++
		}
	}
	return earlier, later, nil
}
