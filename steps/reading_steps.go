package steps

import (
	"context"
	"errors"
	"fmt"

	"kafka-ha/fixtures/verdict"
)

// readsFromBeginning is what a reader gets that starts at the earliest offset now, whoever is lost. It differs from a recount
// in that: a recount judges the log, and wants every replica there. As long as every partition has a leader, each
// acknowledged record is below the end offsets, since the high watermark passed it before the acknowledgement.
func (w *World) readsFromBeginning(ctx context.Context) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if t.ledger == nil {
		return errors.New("nobody has written to the topic, so there is nothing to read")
	}
	if err := w.endWriting(ctx, t); err != nil {
		return err
	}
	judged, err := w.readAndJudge(ctx, t)
	if err != nil {
		return err
	}
	return exact(judged)
}

// exact wants the recount to hold, and nothing left open.
func exact(judged verdict.Verdict) error {
	if err := judged.Err(); err != nil {
		return err
	}
	if judged.Counts.Indeterminate != 0 || judged.Read != judged.Counts.Acknowledged {
		return fmt.Errorf("wanted: as many records in the log as acknowledged, none indeterminate; seen:\n%s", judged)
	}
	return nil
}
