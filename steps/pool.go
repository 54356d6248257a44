package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// atMost is how many clusters stand at once: each takes memory and processor time even when nobody asks it anything.
const atMost = 2

// Pooled is a cluster, as far as a Pool needs it.
type Pooled interface {
	Reset(ctx context.Context) error // back to the start state
	Renew(ctx context.Context) error // all new in the same place
	Close(ctx context.Context) error
}

// Pool is the clusters of a run. It keeps two at most, starts one only for a need that neither of them meets, and closes
// then the one that was used least recently. It is for one goroutine, as scenarios come one after the other.
type Pool[C Pooled] struct {
	start   func(context.Context, Need) (C, error)
	print   func(format string, a ...any)
	members []*member[C] // the one used last at the end
	starts  int
	spent   time.Duration
}

type member[C Pooled] struct {
	need    Need
	cluster C
}

// NewPool returns an empty pool that starts clusters by start, and tells by print what becomes of them.
func NewPool[C Pooled](start func(context.Context, Need) (C, error), print func(format string, a ...any)) *Pool[C] {
	return &Pool[C]{start: start, print: print}
}

// Add puts a cluster into the pool that was started elsewhere.
func (p *Pool[C]) Add(need Need, cluster C) {
	p.members = append(p.members, &member[C]{need: need, cluster: cluster})
}

// Acquire returns the cluster for a need in its start state. One that cannot be brought back to that is made anew, and
// where that fails too, it is closed and another one started: what an earlier scenario left is not this one's fault. With
// an error the cluster, if there is one, is returned for its logs.
func (p *Pool[C]) Acquire(ctx context.Context, need Need) (C, error) {
	at := slices.IndexFunc(p.members, func(m *member[C]) bool { return m.need.String() == need.String() })
	if at < 0 {
		return p.add(ctx, need)
	}
	m := p.members[at]
	p.members = append(slices.Delete(p.members, at, at+1), m)
	err := m.cluster.Reset(ctx)
	if err == nil {
		return m.cluster, nil
	}
	p.print("the cluster could not be brought back to its start state, making a new one: %v", err)
	err = p.timed(func() error { return m.cluster.Renew(ctx) })
	if err == nil || ctx.Err() != nil {
		return m.cluster, err
	}
	if closed := p.remove(ctx, len(p.members)-1, fmt.Sprintf("it could not be made anew: %v", err)); closed != nil {
		return m.cluster, errors.Join(err, closed)
	}
	started, failed := p.add(ctx, need)
	if failed != nil {
		return started, errors.Join(err, failed)
	}
	return started, nil
}

// add starts a cluster, once there is room for it.
func (p *Pool[C]) add(ctx context.Context, need Need) (C, error) {
	var started C
	for len(p.members) >= atMost {
		if err := p.remove(ctx, 0, fmt.Sprintf("%d at once are enough", atMost)); err != nil {
			return started, err
		}
	}
	err := p.timed(func() (err error) {
		started, err = p.start(ctx, need)
		return err
	})
	if err == nil {
		p.Add(need, started)
	}
	return started, err
}

// Discard closes the cluster of a need, which nobody can use any more; the next one who needs it gets a new one. Without
// such a cluster it does nothing.
func (p *Pool[C]) Discard(ctx context.Context, need Need, why string) error {
	at := slices.IndexFunc(p.members, func(m *member[C]) bool { return m.need.String() == need.String() })
	if at < 0 {
		return nil
	}
	return p.remove(ctx, at, why)
}

func (p *Pool[C]) remove(ctx context.Context, at int, why string) error {
	m := p.members[at]
	p.members = slices.Delete(p.members, at, at+1)
	p.print("closing the cluster of %s: %s", m.need, why)
	return m.cluster.Close(ctx)
}

func (p *Pool[C]) timed(start func() error) error {
	p.starts++
	return timed(&p.spent, start)
}

// Started returns how many starts of clusters there were, new ones in the same place among them, and how long they took.
func (p *Pool[C]) Started() (int, time.Duration) { return p.starts, p.spent }

// Close closes every cluster.
func (p *Pool[C]) Close(ctx context.Context) error {
	var problems []error
	for _, m := range p.members {
		problems = append(problems, m.cluster.Close(ctx))
	}
	p.members = nil
	return errors.Join(problems...)
}

// CloseOthers closes every cluster but the one that was used last, and returns that one and whether there is one.
func (p *Pool[C]) CloseOthers(ctx context.Context) (last C, ok bool, err error) {
	if len(p.members) == 0 {
		return last, false, nil
	}
	kept := p.members[len(p.members)-1]
	p.members = p.members[:len(p.members)-1]
	err = p.Close(ctx)
	p.members = []*member[C]{kept}
	return kept.cluster, true, err
}
