// Package fault breaks a cluster and mends it again. Injecting a fault, waiting for its effect, healing it and
// waiting for the recovery are four things: the two waits only observe, so that nothing is asserted under a fault
// that never bit, and nothing is judged before the cluster is whole again.
//
// A Stack holds the faults of one scenario and heals them in reverse order, whatever happened in between.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Fault is one way to break a cluster.
type Fault interface {
	// Name says what is lost and how: "broker 1 lost by hard kill".
	Name() string
	// Node is the id of the node that is hit, broker or controller.
	Node() int
	// Inject breaks something and returns the moment, by the engine's clock, from which it is broken.
	Inject(ctx context.Context) (time.Time, error)
	// AwaitEffect waits until the fault is seen to bite: a fault without effect must not pass for one.
	AwaitEffect(ctx context.Context) error
	// Heal undoes the fault. Healing what is not broken is no error.
	Heal(ctx context.Context) error
	// AwaitRecovery waits until the node is back and returns the moment that this was seen: a broker is registered again, a
	// separate controller follows or leads the quorum.
	AwaitRecovery(ctx context.Context) (time.Time, error)
}

// Lost is a fault as it went, for steps that count from it and for the report.
type Lost struct {
	Fault    Fault
	Asked    time.Time // when the injection began
	At       time.Time // from when it was broken
	Seen     time.Time // when the effect was seen; zero before
	Healed   time.Time // when healing was done; zero while it is broken
	Returned time.Time // when the node was seen back; zero before
}

// String is a line for the report.
func (l Lost) String() string {
	if l.At.IsZero() {
		return fmt.Sprintf("%s: not carried out", l.Fault.Name())
	}
	line := fmt.Sprintf("%s at %s", l.Fault.Name(), l.At.Format("15:04:05.000"))
	if !l.Healed.IsZero() {
		line += fmt.Sprintf(", healed %.1f s later", l.Healed.Sub(l.At).Seconds())
	}
	if !l.Returned.IsZero() {
		line += fmt.Sprintf(", back %.1f s after that", l.Returned.Sub(l.Healed).Seconds())
	}
	return line
}

// Moment returns when it was broken, by the monotonic clock of this process, to which every other moment of a run
// belongs, and how far that may be off. The exit of a process is told by the engine, by the wall clock of its machine,
// which is this one; a moment that does not lie between the asking and the seeing betrays another clock, or one that was
// set meanwhile. Then the latest possible moment counts, and it may be off by the whole time between the two.
func (l *Lost) Moment() (at time.Time, off time.Duration) {
	at = l.Asked.Add(l.At.Sub(l.Asked))
	if at.Before(l.Asked) || at.After(l.Seen) {
		return l.Seen, l.Seen.Sub(l.Asked)
	}
	return at, 0
}

// Stack is the faults of one scenario, oldest first. The zero Stack is ready to use. Faults may be injected from several
// goroutines at once; healing comes after that.
type Stack struct {
	mu   sync.Mutex
	lost []*Lost
}

// Inject breaks something and waits until it is seen to be broken. The fault is on the stack before it is injected,
// so that half an injection is healed as well.
func (s *Stack) Inject(ctx context.Context, f Fault) (*Lost, error) {
	l, err := s.push(f)
	if err != nil {
		return nil, err
	}
	l.Asked = time.Now()
	if l.At, err = f.Inject(ctx); err != nil {
		return l, fmt.Errorf("%s: inject: %w", f.Name(), err)
	}
	if err := f.AwaitEffect(ctx); err != nil {
		return l, fmt.Errorf("%s: no effect: %w", f.Name(), err)
	}
	l.Seen = time.Now()
	return l, nil
}

func (s *Stack) push(f Fault) (*Lost, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lost {
		if l.Fault.Node() == f.Node() && l.Healed.IsZero() {
			return nil, fmt.Errorf("%s: it is lost already (%s)", f.Name(), l.Fault.Name())
		}
	}
	l := &Lost{Fault: f}
	s.lost = append(s.lost, l)
	return l, nil
}

// Open returns the faults that are not healed, oldest first.
func (s *Stack) Open() []*Lost {
	return slices.DeleteFunc(s.All(), func(l *Lost) bool { return !l.Healed.IsZero() })
}

// All returns every fault of the scenario, oldest first.
func (s *Stack) All() []*Lost {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lost)
}

// HealAll heals every open fault, newest first, and then waits for all recoveries: two lost combined nodes have no
// quorum to register with until both are back.
func (s *Stack) HealAll(ctx context.Context) error {
	open := s.Open()
	slices.Reverse(open)
	return s.heal(ctx, open)
}

// Heal heals the open faults of some nodes, newest first, and then waits for their recoveries.
func (s *Stack) Heal(ctx context.Context, nodes ...int) error {
	var chosen []*Lost
	for _, l := range s.Open() {
		if slices.Contains(nodes, l.Fault.Node()) {
			chosen = append(chosen, l)
		}
	}
	for _, node := range nodes {
		if !slices.ContainsFunc(chosen, func(l *Lost) bool { return l.Fault.Node() == node }) {
			return fmt.Errorf("node %d is not lost", node)
		}
	}
	slices.Reverse(chosen)
	return s.heal(ctx, chosen)
}

func (s *Stack) heal(ctx context.Context, open []*Lost) error {
	var problems []error
	for _, l := range open {
		if err := l.Fault.Heal(ctx); err != nil {
			problems = append(problems, fmt.Errorf("%s: heal: %w", l.Fault.Name(), err))
			continue
		}
		l.Healed = time.Now()
	}
	for _, l := range open {
		if l.Healed.IsZero() {
			continue
		}
		back, err := l.Fault.AwaitRecovery(ctx)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: recovery: %w", l.Fault.Name(), err))
			continue
		}
		l.Returned = back
	}
	return errors.Join(problems...)
}
