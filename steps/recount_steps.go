package steps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

func (w *World) recountSentences(s *sentences) {
	s.then(`the recount holds`, w.recountHolds)
	s.then(`the log holds exactly the acknowledged records`, w.exactlyAcknowledged)
	s.then(`reading from the beginning returns exactly the acknowledged records`, w.readsFromBeginning)
	s.then(`none of the rejected records is in the log`, w.noneResurrected)
	s.then(`the sum of the end offsets equals the records read`, w.endOffsetsEqualRead)
	s.then(`the end offsets grew while broker (\d+) was lost, by exactly the records acknowledged meanwhile`, w.grewByAcknowledged)
	s.then(`the recount is broken by `+broken+`, and by nothing else`, w.brokenOnlyBy)
	s.then(`no record is in the log twice`, w.noneTwice)
	s.then(`some records are in the log twice`, w.someTwice)
	s.then(`the recount says how many indeterminate records survived`, w.saysSurvivors)
}

// readWithin bounds the reading back of a topic.
const readWithin = 60 * time.Second

// recount ends all writing to the topic in use, reads the topic back and judges. Further recounts of the same topic
// without a write in between are the same recount.
func (w *World) recount(ctx context.Context) (verdict.Verdict, error) {
	t, err := w.topicInUse()
	if err != nil {
		return verdict.Verdict{}, err
	}
	if t.ledger == nil {
		return verdict.Verdict{}, errors.New("nobody has written to the topic, so there is nothing to recount")
	}
	for _, l := range w.faults.Open() {
		return verdict.Verdict{}, fmt.Errorf("%s: let it return first, a recount needs every replica", l.Fault.Name())
	}
	if t.verdict != nil {
		return *t.verdict, nil
	}
	if err := w.settle(ctx, t); err != nil {
		return verdict.Verdict{}, err
	}
	return w.readAndJudge(ctx, t)
}

// sawReturn has the running writers acknowledge records after the latest return, so that the proof covers it.
func (w *World) sawReturn(ctx context.Context, t *topic) error {
	if len(t.writers) == 0 {
		return nil
	}
	for _, l := range w.losses {
		if err := w.awaitAcks(ctx, t, l.Returned, firstAcksWithin, t.writers); err != nil {
			return err
		}
		if err := l.demand(t, ledger.Expect{After: true}); err != nil {
			return err
		}
	}
	return nil
}

// settle ends all writing, so that every event has its outcome before the end offsets are fixed.
func (w *World) settle(ctx context.Context, t *topic) error {
	if err := w.sawReturn(ctx, t); err != nil {
		return err
	}
	for _, p := range t.producers() {
		if err := w.sending(func() error { _, err := p.Stop(ctx); return err }); err != nil {
			return err
		}
	}
	t.senders, t.writers = t.producers(), nil // none goes on: a second recount must not wait for them
	if err := t.ledger.Sync(); err != nil {
		return err
	}
	return w.awaitSync(ctx)
}

func (w *World) readAndJudge(ctx context.Context, t *topic) (verdict.Verdict, error) {
	err := w.sending(func() error {
		bounded, cancel := context.WithTimeout(ctx, readWithin)
		defer cancel()
		_, err := traffic.ReadBack(bounded, w.bootstrap(), t.spec.Name, t.ledger)
		return err
	})
	if err != nil {
		return verdict.Verdict{}, err
	}
	judged, err := verdict.Judge(t.ledger.Dir())
	if err != nil {
		return judged, err
	}
	judged = w.whoLost(ctx, t, judged)
	t.verdict = &judged
	w.suite.Print("%s", judged)
	file := filepath.Join(t.ledger.Dir(), "verdict.txt")
	return judged, os.WriteFile(file, []byte(judged.String()), 0o644) // evidence is for everybody to read
}

// proven is a recount for sentences about one thing that it tells. What was not read to the end tells nothing of it.
func (w *World) proven(ctx context.Context) (verdict.Verdict, error) {
	judged, err := w.recount(ctx)
	if err == nil && (judged.Result == verdict.Unproven || len(judged.Reasons) > 0) {
		err = judged.Err()
	}
	return judged, err
}

// forget makes the recounts so far old ones: what happens now may change what is in the log.
func (w *World) forget() {
	for _, t := range w.topics {
		t.verdict = nil
	}
}

func (w *World) recountHolds(ctx context.Context) error {
	judged, err := w.recount(ctx)
	if err != nil {
		return err
	}
	return judged.Err()
}

// exactlyAcknowledged is the stricter promise: the recount holds and nothing was left open.
func (w *World) exactlyAcknowledged(ctx context.Context) error {
	judged, err := w.recount(ctx)
	if err != nil {
		return err
	}
	return exact(judged)
}

func (w *World) noneResurrected(ctx context.Context) error {
	judged, err := w.proven(ctx)
	if err != nil {
		return err
	}
	if judged.Counts.Rejected == 0 || judged.Found[verdict.Resurrected] != 0 {
		return fmt.Errorf("wanted: rejected records, none of them in the log; seen: %d rejected, %d of them in the log\n%s",
			judged.Counts.Rejected, judged.Found[verdict.Resurrected], judged)
	}
	return nil
}

func (w *World) endOffsetsEqualRead(ctx context.Context) error {
	judged, err := w.proven(ctx)
	if err != nil {
		return err
	}
	if judged.Read == 0 || judged.EndOffset != judged.Read {
		return fmt.Errorf("wanted: the sum of the end offsets equal to the records read; seen: %d and %d\n%s",
			judged.EndOffset, judged.Read, judged)
	}
	return nil
}

func (w *World) noneTwice(ctx context.Context) error {
	return w.twice(ctx, "no record in the log twice", func(n uint64) bool { return n == 0 })
}

// someTwice is for contrasts: without idempotence a record that is sent again may be appended again.
func (w *World) someTwice(ctx context.Context) error {
	return w.twice(ctx, "records in the log twice", func(n uint64) bool { return n > 0 })
}

func (w *World) twice(ctx context.Context, want string, ok func(copies uint64) bool) error {
	judged, err := w.proven(ctx)
	if err != nil {
		return err
	}
	if judged.Read == 0 || !ok(judged.Found[verdict.Duplicated]) {
		return fmt.Errorf("wanted: %s; seen: %d surplus copies among %d records\n%s",
			want, judged.Found[verdict.Duplicated], judged.Read, judged)
	}
	return nil
}

// saysSurvivors demands that the recount took indeterminate writes into account: that there were some, and that each
// was found in the log or found missing.
func (w *World) saysSurvivors(ctx context.Context) error {
	judged, err := w.proven(ctx)
	if err != nil {
		return err
	}
	survived, absent := judged.Found[verdict.Recovered], judged.Found[verdict.Absent]
	if judged.Counts.Indeterminate == 0 || survived+absent != judged.Counts.Indeterminate {
		return fmt.Errorf("wanted: indeterminate records, each found in the log or not; seen: %d indeterminate, %d survived, %d absent\n%s",
			judged.Counts.Indeterminate, survived, absent, judged)
	}
	w.suite.Print("%d of %d indeterminate records survived", survived, judged.Counts.Indeterminate)
	return nil
}

// grewByAcknowledged compares offsets, not moments: every offset between the end offsets at the loss and those at the
// return belongs to an acknowledged record, and there is at least one.
func (w *World) grewByAcknowledged(ctx context.Context, id int) error {
	l := w.losses[id]
	if l == nil || !l.noted {
		return fmt.Errorf("broker %d was not lost and back in this scenario", id)
	}
	if l.from == nil || l.to == nil { // counted from 0, the growth would be the whole log
		return fmt.Errorf("the end offsets at the loss and the return of broker %d are not known, "+
			"because another broker was lost at the same time; ask for one that was lost alone", id)
	}
	if _, err := w.proven(ctx); err != nil {
		return err
	}
	t := w.current
	from, to := l.from[t.spec.Name], l.to[t.spec.Name]
	known := map[int32]int64{} // acknowledged offsets within the growth, by partition
	for entry, err := range ledger.File(filepath.Join(t.ledger.Dir(), ledger.FileName)).Entries() {
		if err != nil {
			return err
		}
		if entry.Kind == ledger.KindAcknowledged && entry.Offset >= from[entry.Partition] && entry.Offset < to[entry.Partition] {
			known[entry.Partition]++
		}
	}
	var before, grown, acked int64
	for partition, end := range to {
		before += from[partition]
		grown += end - from[partition]
		acked += known[partition]
	}
	w.suite.Print("end offsets while broker %d was lost: %d to %d, +%d; acknowledged meanwhile: %d", id, before, before+grown, grown, acked)
	if grown == 0 || grown != acked {
		return fmt.Errorf("wanted: end offsets grown by exactly the records acknowledged meanwhile; seen: grown by %d, %d acknowledged",
			grown, acked)
	}
	return nil
}

// broken are the rules that a contrast may name, in the verdict's words.
const broken = `(lost records|duplicated records|records out of order|split keys|rejected records in the log)`

var rules = map[string]verdict.Rule{
	"lost records": verdict.Lost, "duplicated records": verdict.Duplicated, "records out of order": verdict.OutOfOrder,
	"split keys": verdict.Split, "rejected records in the log": verdict.Resurrected,
}

// brokenOnlyBy is for contrasts: the damage that Kafka does not protect from must be found, and no other.
func (w *World) brokenOnlyBy(ctx context.Context, damage string) error {
	judged, err := w.recount(ctx)
	if err != nil {
		return err
	}
	if !slices.Equal(judged.BrokenBy, []verdict.Rule{rules[damage]}) || len(judged.Reasons) > 0 {
		return fmt.Errorf("wanted: broken by %s and by nothing else; seen: %s, broken by %q, reasons %q\n%s",
			damage, judged.Result, judged.BrokenBy, judged.Reasons, judged)
	}
	return nil
}
