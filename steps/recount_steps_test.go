package steps

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"kafka-ha/cluster"
	"kafka-ha/fixtures"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/verdict"
)

// judged is a World whose topic has been recounted with this verdict.
func judged(v verdict.Verdict) *World {
	book := &topic{called: "t", spec: fixtures.TopicSpec{Name: "t-01"}, ledger: &ledger.Ledger{}, verdict: &v}
	return &World{suite: &Suite{Print: func(string, ...any) {}}, topics: []*topic{book}, current: book}
}

func sound() verdict.Verdict {
	return verdict.Verdict{
		Result: verdict.Holds, Counts: ledger.Counts{Sent: 10, Acknowledged: 10}, Read: 10, EndOffset: 10, Found: map[verdict.Rule]uint64{},
	}
}

func TestRecountSentences(t *testing.T) {
	type sentence func(*World) func(context.Context) error
	var (
		holds     sentence = func(w *World) func(context.Context) error { return w.recountHolds }
		exactly   sentence = func(w *World) func(context.Context) error { return w.exactlyAcknowledged }
		rejected  sentence = func(w *World) func(context.Context) error { return w.noneResurrected }
		sum       sentence = func(w *World) func(context.Context) error { return w.endOffsetsEqualRead }
		survivors sentence = func(w *World) func(context.Context) error { return w.saysSurvivors }
		noneTwice sentence = func(w *World) func(context.Context) error { return w.noneTwice }
		someTwice sentence = func(w *World) func(context.Context) error { return w.someTwice }
		splitOnly sentence = func(w *World) func(context.Context) error {
			return func(ctx context.Context) error { return w.brokenOnlyBy(ctx, "split keys") }
		}
	)
	for _, c := range []struct {
		name   string
		says   sentence
		doctor func(*verdict.Verdict)
		passes bool
	}{
		{"recount holds, a sound run, passes", holds, func(*verdict.Verdict) {}, true},
		{"recount holds, a record lost, fails", holds, func(v *verdict.Verdict) { v.Result = verdict.Broken; v.Found[verdict.Lost] = 1 }, false},
		{"recount holds, nothing proven, fails", holds, func(v *verdict.Verdict) { v.Result = verdict.Unproven }, false},
		{"exactly, a sound run, passes", exactly, func(*verdict.Verdict) {}, true},
		{"exactly, a surviving indeterminate record, fails", exactly,
			func(v *verdict.Verdict) { v.Counts.Indeterminate = 1; v.Read = 11; v.Found[verdict.Recovered] = 1 }, false},
		{"exactly, an absent indeterminate record, fails", exactly, func(v *verdict.Verdict) { v.Counts.Indeterminate = 1 }, false},
		{"exactly, nothing proven, fails", exactly, func(v *verdict.Verdict) { v.Result = verdict.Unproven }, false},
		{"none rejected in the log, rejected and absent, passes", rejected, func(v *verdict.Verdict) { v.Counts.Rejected = 3 }, true},
		{"none rejected in the log, one is there, fails", rejected,
			func(v *verdict.Verdict) { v.Counts.Rejected = 3; v.Found[verdict.Resurrected] = 1 }, false},
		{"none rejected in the log, not read to the end, fails", rejected,
			func(v *verdict.Verdict) { v.Counts.Rejected = 3; v.Result = verdict.Unproven }, false},
		{"end-offset sum, not read to the end, fails", sum, func(v *verdict.Verdict) { v.Result = verdict.Unproven }, false},
		{"no record twice, not read to the end, fails", noneTwice, func(v *verdict.Verdict) { v.Result = verdict.Unproven }, false},
		{"some records twice, amiss beyond the rules, fails", someTwice, func(v *verdict.Verdict) {
			v.Found[verdict.Duplicated] = 1
			v.Result, v.Reasons = verdict.Broken, []string{"9 offsets unread"}
		}, false},
		{"survivors, not read to the end, fails", survivors, func(v *verdict.Verdict) {
			v.Counts.Indeterminate, v.Found[verdict.Absent], v.Result = 1, 1, verdict.Unproven
		}, false},
		{"none rejected in the log, none rejected, fails", rejected, func(*verdict.Verdict) {}, false},
		{"end-offset sum, equal, passes", sum, func(*verdict.Verdict) {}, true},
		{"end-offset sum, one more than read, fails", sum, func(v *verdict.Verdict) { v.EndOffset = 11 }, false},
		{"end-offset sum, nothing read, fails", sum, func(v *verdict.Verdict) { v.EndOffset, v.Read = 0, 0 }, false},
		{"survivors, all accounted for, passes", survivors,
			func(v *verdict.Verdict) {
				v.Counts.Indeterminate = 2
				v.Found[verdict.Recovered] = 1
				v.Found[verdict.Absent] = 1
			}, true},
		{"survivors, one unaccounted for, fails", survivors,
			func(v *verdict.Verdict) { v.Counts.Indeterminate = 2; v.Found[verdict.Recovered] = 1 }, false},
		{"survivors, no indeterminate record, fails", survivors, func(*verdict.Verdict) {}, false},
		{"broken by split keys only, so it is, passes", splitOnly,
			func(v *verdict.Verdict) {
				v.Result = verdict.Broken
				v.Found[verdict.Split] = 4
				v.Found[verdict.Recovered] = 1
				v.BrokenBy = []verdict.Rule{verdict.Split}
			}, true},
		{"broken by split keys only, lost as well, fails", splitOnly,
			func(v *verdict.Verdict) {
				v.Result = verdict.Broken
				v.BrokenBy = []verdict.Rule{verdict.Lost, verdict.Split}
			}, false},
		{"broken by split keys only, broken by something else, fails", splitOnly,
			func(v *verdict.Verdict) { v.Result = verdict.Broken; v.BrokenBy = []verdict.Rule{verdict.Lost} }, false},
		{"broken by split keys only, nothing is broken, fails", splitOnly, func(*verdict.Verdict) {}, false},
		{"broken by split keys only, unread as well, fails", splitOnly,
			func(v *verdict.Verdict) {
				v.Result = verdict.Broken
				v.BrokenBy = []verdict.Rule{verdict.Split}
				v.Reasons = []string{"1 acknowledged events are unread"}
			}, false},
		{"no record twice, none is, passes", noneTwice, func(*verdict.Verdict) {}, true},
		{"no record twice, one is, fails", noneTwice, func(v *verdict.Verdict) { v.Found[verdict.Duplicated] = 1 }, false},
		{"no record twice, nothing was read, fails", noneTwice, func(v *verdict.Verdict) { v.Read = 0 }, false},
		{"some records twice, one is, passes", someTwice, func(v *verdict.Verdict) { v.Found[verdict.Duplicated] = 1 }, true},
		{"some records twice, none is, fails", someTwice, func(*verdict.Verdict) {}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := sound()
			c.doctor(&v)
			w := judged(v)
			err := c.says(w)(t.Context())
			if c.passes {
				assert.NoError(t, err)
				return
			}
			assert.Error(t, err)
		})
	}
}

func TestNewLeaders(t *testing.T) {
	partition := func(leader int, isr ...int) cluster.Partition {
		return cluster.Partition{Topic: "t", Leader: leader, Replicas: []int{1, 2, 3}, ISR: isr}
	}
	for _, c := range []struct {
		name              string
		before, now       cluster.Partition
		lost              []int
		inSyncOK, firstOK bool
	}{
		{"the next in the list, passes", partition(1, 1, 2, 3), partition(2, 2, 3), []int{1}, true, true},
		{"not the next in the list, fails as not the first", partition(1, 1, 2, 3), partition(3, 2, 3), []int{1}, true, false},
		{"out of sync, fails both", partition(1, 1, 3), partition(2, 2), []int{1}, false, false},
		{"the next one was out of sync, the one after it passes", partition(1, 1, 3), partition(3, 3), []int{1}, true, true},
		{"the next one is lost too, the one after it passes", partition(1, 1, 2, 3), partition(3, 3), []int{1, 2}, true, true},
		{"no partition was led by a lost broker, fails both", partition(2, 1, 2, 3), partition(2, 2, 3), []int{1}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, now := []cluster.Partition{c.before}, []cluster.Partition{c.now}
			assert.Equal(t, c.inSyncOK, compareMoved(before, now, c.lost, wasInSync) == nil, "was in the ISR before")
			assert.Equal(t, c.firstOK, compareMoved(before, now, c.lost, isFirstInSync) == nil, "is the first live in-sync replica")
		})
	}
}
