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

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// Fault is one way to break a cluster.
type Fault interface {
	// Name says what is lost and how: "broker 1 lost by hard kill".
	Name() string
	// Broker is the id of the broker that is hit.
	Broker() int
	// Inject breaks something and returns the moment, by the engine's clock, from which it is broken.
	Inject(ctx context.Context) (time.Time, error)
	// AwaitEffect waits until the fault is seen to bite: a fault without effect must not pass for one.
	AwaitEffect(ctx context.Context) error
	// Heal undoes the fault. Healing what is not broken is no error.
	Heal(ctx context.Context) error
	// AwaitRecovery waits until the broker is registered again and returns the moment that this was seen.
	AwaitRecovery(ctx context.Context) (time.Time, error)
}

// Kinds are the words that features use for ways to lose a broker.
var Kinds = []string{cleanShutdown, hardKill, volumeLoss}

const (
	cleanShutdown = "clean shutdown"
	hardKill      = "hard kill"
	volumeLoss    = "loss of its volume"
)

// Of returns the fault of a kind, one of Kinds, for a broker.
func Of(kind string, c *cluster.Cluster, broker int) (Fault, error) {
	b, err := c.Broker(broker)
	if err != nil {
		return nil, err
	}
	f, err := way(kind, c, b)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func way(kind string, c *cluster.Cluster, b *cluster.Broker) (*stopped, error) {
	stopped := stopped{kind: kind, cluster: c, broker: b}
	switch kind {
	case cleanShutdown:
		stopped.end = b.Shutdown
	case hardKill:
		stopped.end = b.Kill
	case volumeLoss:
		stopped.end = func(ctx context.Context) (cluster.Exit, error) {
			exit, err := b.Kill(ctx)
			if err != nil {
				return exit, err
			}
			return exit, b.ReplaceVolume(ctx)
		}
	default:
		return nil, fmt.Errorf("%q is no way to lose a broker; use one of %q", kind, Kinds)
	}
	return &stopped, nil
}

// Lost is a fault as it went, for steps that count from it and for the report.
type Lost struct {
	Fault    Fault
	At       time.Time // from when it was broken
	Healed   time.Time // when healing was done; zero while it is broken
	Returned time.Time // when the broker was seen registered again; zero before
}

// String is a line for the report.
func (l Lost) String() string {
	line := fmt.Sprintf("%s at %s", l.Fault.Name(), l.At.Format("15:04:05.000"))
	if !l.Healed.IsZero() {
		line += fmt.Sprintf(", started again %.1f s later", l.Healed.Sub(l.At).Seconds())
	}
	if !l.Returned.IsZero() {
		line += fmt.Sprintf(", registered %.1f s after that", l.Returned.Sub(l.Healed).Seconds())
	}
	return line
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
	if l.At, err = f.Inject(ctx); err != nil {
		return l, fmt.Errorf("%s: inject: %w", f.Name(), err)
	}
	if err := f.AwaitEffect(ctx); err != nil {
		return l, fmt.Errorf("%s: no effect: %w", f.Name(), err)
	}
	return l, nil
}

func (s *Stack) push(f Fault) (*Lost, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lost {
		if l.Fault.Broker() == f.Broker() && l.Healed.IsZero() {
			return nil, fmt.Errorf("%s: the broker is lost already (%s)", f.Name(), l.Fault.Name())
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

// Heal heals the open fault of one broker and waits for its recovery.
func (s *Stack) Heal(ctx context.Context, broker int) error {
	for _, l := range s.Open() {
		if l.Fault.Broker() == broker {
			return s.heal(ctx, []*Lost{l})
		}
	}
	return fmt.Errorf("broker %d is not lost", broker)
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
		var err error
		if l.Returned, err = l.Fault.AwaitRecovery(ctx); err != nil {
			problems = append(problems, fmt.Errorf("%s: recovery: %w", l.Fault.Name(), err))
		}
	}
	return errors.Join(problems...)
}

// returnWithin bounds the return of a broker: its start, and its registration, which the controller refuses for
// broker.session.timeout.ms (9 s) while it still takes the former process for alive, and which the broker tries for
// initial.broker.registration.timeout.ms (60 s).
const returnWithin = 75 * time.Second

// stopped is the loss of a broker's process, and with it of the controller in the same process.
type stopped struct {
	kind    string
	cluster *cluster.Cluster
	broker  *cluster.Broker
	end     func(context.Context) (cluster.Exit, error)
}

// Name says which broker is lost and in which way.
func (f *stopped) Name() string { return fmt.Sprintf("%s lost by %s", f.broker, f.kind) }

// Broker is the id of the lost broker.
func (f *stopped) Broker() int { return f.broker.ID }

// Inject ends the process and returns the moment of its exit.
func (f *stopped) Inject(ctx context.Context) (time.Time, error) {
	exit, err := f.end(ctx)
	return exit.At, err
}

// AwaitEffect sees that the process is gone. What the cluster makes of it, and how fast, is for the steps to see.
func (f *stopped) AwaitEffect(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err != nil {
		return err
	}
	if running {
		return fmt.Errorf("%s still runs", f.broker)
	}
	return nil
}

// Heal starts the process again, unless it runs.
func (f *stopped) Heal(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err != nil || running {
		return err
	}
	return f.broker.Start(ctx)
}

// AwaitRecovery waits until the broker answers and is registered, and returns the moment that this was seen.
func (f *stopped) AwaitRecovery(ctx context.Context) (time.Time, error) {
	what := fmt.Sprintf("%s registered and unfenced (initial.broker.registration.timeout.ms 60s)", f.broker)
	view, err := wait.Until(ctx, what, returnWithin, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := f.cluster.View(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		_, answers := view.Brokers[f.broker.ID]
		return view, answers && slices.Contains(registered, f.broker.ID), err
	})
	return view.At, err
}
