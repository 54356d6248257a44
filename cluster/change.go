package cluster

import "time"

// span says between which moments a look saw what it shows: after the look before was taken, before it had ended itself.
type span struct{ before, ended time.Time }

// Change is a state that a timeline saw come about, with how exactly it knows when: between After and At.
type Change struct {
	After time.Time // when the latest look was taken that showed it was not so, or the moment from which it was looked for
	At    time.Time // when the first look had ended that showed it was so: the state was there at the latest here
	View  View      // what that look showed
}

// Resolution is how far At may be off. It is watchEvery and the length of a look, unless brokers were silent or told
// different things in between: then nobody knows, and it is longer.
func (c Change) Resolution() time.Duration { return c.At.Sub(c.After) }

// ChangeSince returns how a state came about at or after a moment, and whether it did. holds returns an error for a view
// that cannot tell. A state that was so at the moment already came about then.
//
// All moments are of the process's monotonic clock, since views are; so must be the one that is given.
func (t *Timeline) ChangeSince(moment time.Time, holds func(View) (bool, error)) (Change, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	after := moment
	for i, view := range t.views {
		until := t.looked // when the latest look was taken that showed this view
		if i+1 < len(t.views) {
			until = t.spans[i+1].before
		}
		if until.Before(moment) {
			continue
		}
		so, err := holds(view)
		switch {
		case err != nil: // it may have come about unseen
		case so:
			return Change{After: after, At: later(t.spans[i].ended, moment), View: view}, true
		default:
			after = until
		}
	}
	return Change{}, false
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
