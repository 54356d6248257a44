package steps

import (
	"context"
	"errors"
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
