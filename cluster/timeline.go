package cluster

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"kafka-ha/cluster/wait"
)

// watchEvery is how exactly a Timeline tells when something changed. Looks cost three small requests to each broker.
const watchEvery = 100 * time.Millisecond

// Timeline records what the brokers tell of the cluster, whenever that changes, so that a step can ask afterwards
// when a state was first seen. That no broker answers is recorded too. It is safe for several goroutines; the zero
// Timeline is empty.
type Timeline struct {
	mu     sync.Mutex
	views  []View
	spans  []span    // of the looks that views are of
	looked time.Time // when the latest look was taken, whether it showed a change or not
	cancel context.CancelFunc
	done   chan struct{}
}

// Record starts a timeline. Stop ends it.
func (c *Cluster) Record(ctx context.Context) *Timeline {
	ctx, cancel := context.WithCancel(ctx)
	t := &Timeline{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		wait.Watch(ctx, watchEvery, func(ctx context.Context) {
			if view, _ := c.View(ctx); ctx.Err() == nil { // an error is in the view: who is silent, and why
				t.add(view, time.Now())
			}
		})
	}()
	return t
}

// Stop ends the recording; what was recorded stays readable.
func (t *Timeline) Stop() {
	if t.cancel == nil {
		return
	}
	t.cancel()
	<-t.done
}

// Add records a look, unless it shows the same state as the one before. Looks come in the order in which they were taken.
func (t *Timeline) Add(view View) { t.add(view, view.At) }

// add records a look that ended at a moment.
func (t *Timeline) add(view View, ended time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.looked
	t.looked = view.At
	if n := len(t.views); n > 0 && sameState(t.views[n-1], view) {
		return
	}
	t.views = append(t.views, view)
	t.spans = append(t.spans, span{before: before, ended: ended})
}

// sameState ignores when a view was taken, why a broker was silent, and how far the quorum's log has grown.
func sameState(a, b View) bool {
	return reflect.DeepEqual(a.Brokers, b.Brokers) && reflect.DeepEqual(a.Apart, b.Apart) &&
		a.Quorum.Leader == b.Quorum.Leader && a.Quorum.sameMembers(b.Quorum) &&
		maps.EqualFunc(a.Silent, b.Silent, func(error, error) bool { return true })
}

// FirstSince returns the first view, taken at or after a moment, in which a state holds, and whether there is one.
// The view in force at that moment counts as taken then; of the latest view that is known only by a later look.
func (t *Timeline) FirstSince(moment time.Time, holds func(View) bool) (View, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, view := range t.views {
		until := t.looked // the view is known to have been in force up to here
		if i+1 < len(t.views) {
			until = t.views[i+1].At
			if !until.After(moment) {
				continue
			}
		}
		if until.Before(moment) || !holds(view) {
			continue
		}
		if view.At.Before(moment) {
			view.At = moment
		}
		return view, true
	}
	return View{}, false
}

// Last returns the latest view in which a state holds, and whether there is one.
func (t *Timeline) Last(holds func(View) bool) (View, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, view := range slices.Backward(t.views) {
		if holds(view) {
			return view, true
		}
	}
	return View{}, false
}

// String prints every recorded view.
func (t *Timeline) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, view := range t.views {
		fmt.Fprintln(&b, view)
	}
	return b.String()
}
