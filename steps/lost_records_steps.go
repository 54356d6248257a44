package steps

import (
	"context"
	"fmt"

	"kafka-ha/fixtures/verdict"
)

func (w *World) lostRecordsSentences(s *sentences) {
	s.then(`the log holds none of the acknowledged records`, w.noneKept)
}

// noneKept is for contrasts: that records are lost must be found of every one of them.
func (w *World) noneKept(ctx context.Context) error {
	judged, err := w.proven(ctx)
	if err != nil {
		return err
	}
	if acked := judged.Counts.Acknowledged; acked == 0 || judged.Found[verdict.Lost] != acked {
		return fmt.Errorf("wanted: acknowledged records, none of them in the log; seen: %d acknowledged, %d of them lost\n%s",
			acked, judged.Found[verdict.Lost], judged)
	}
	return nil
}
