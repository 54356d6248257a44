package steps

import (
	"context"
	"fmt"
	"slices"

	"kafka-ha/fixtures/verdict"
)

func (w *World) lostRecordsSentences(s *sentences) {
	s.then(`the log holds none of the acknowledged records`, w.noneKept)
}

// noneKept is for contrasts: that records are lost must be found of every one of them, in a log that was read to its end.
// Of an empty log the verdict says so, beside the losses.
func (w *World) noneKept(ctx context.Context) error {
	judged, err := w.recount(ctx)
	if err != nil {
		return err
	}
	acked := judged.Counts.Acknowledged
	whole := judged.Read == judged.EndOffset && (judged.Read == 0 || len(judged.Reasons) == 0)
	if acked == 0 || judged.Found[verdict.Lost] != acked || !whole || !slices.Equal(judged.BrokenBy, []verdict.Rule{verdict.Lost}) {
		return fmt.Errorf("wanted: acknowledged records, none of them in the log; seen: %d acknowledged, %d of them lost\n%s",
			acked, judged.Found[verdict.Lost], judged)
	}
	return nil
}
