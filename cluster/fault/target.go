package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// node is a broker as faults need it: a *cluster.Broker, or what a test puts in its place.
type node interface {
	fmt.Stringer
	Shutdown(ctx context.Context) (cluster.Exit, error)
	Kill(ctx context.Context) (cluster.Exit, error)
	ReplaceVolume(ctx context.Context) error
	Start(ctx context.Context) error
	Running(ctx context.Context) (bool, error)
	Pause(ctx context.Context) (time.Time, error)
	Resume(ctx context.Context) error
	Paused(ctx context.Context) (bool, error)
	Disconnect(ctx context.Context, from ...cluster.Network) (time.Time, error)
	Reconnect(ctx context.Context) error
	Connected(ctx context.Context) ([]cluster.Network, error)
	Answers(ctx context.Context, within time.Duration) bool
	FindsController(ctx context.Context) bool
	SettingMillis(ctx context.Context, name string) (time.Duration, error)
}

// target is the broker that a fault hits, and its cluster.
type target struct {
	kind   string
	id     int
	broker node
	others []node
	view   func(context.Context) (cluster.View, error)
}

func aim(kind string, c *cluster.Cluster, broker int) (target, error) {
	b, err := c.Broker(broker)
	if err != nil {
		return target{}, err
	}
	t := target{kind: kind, id: broker, broker: b, view: c.View}
	for _, other := range c.Brokers() {
		if other.ID != broker {
			t.others = append(t.others, other)
		}
	}
	return t, nil
}

// Name says which broker is lost and in which way.
func (t *target) Name() string { return fmt.Sprintf("%s lost by %s", t.broker, t.kind) }

// Broker is the id of the broker that is hit.
func (t *target) Broker() int { return t.id }

// returnWithin bounds the return of a broker: its start, and its registration, which the controller refuses for
// broker.session.timeout.ms (9 s) while it still takes the former process for alive, and which the broker tries for
// initial.broker.registration.timeout.ms (60 s).
const returnWithin = 75 * time.Second

// AwaitRecovery waits until the broker answers and is registered, and returns the moment that this was seen.
func (t *target) AwaitRecovery(ctx context.Context) (time.Time, error) {
	what := fmt.Sprintf("%s registered and unfenced (initial.broker.registration.timeout.ms 60s)", t.broker)
	view, err := wait.Until(ctx, what, returnWithin, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := t.view(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		_, answers := view.Brokers[t.id]
		return view, answers && slices.Contains(registered, t.id), err
	})
	return view.At, err
}

// fencedAfter is what the two other controllers may take, beside broker.session.timeout.ms, to fence a broker that led
// them: controller.quorum.fetch.timeout.ms (2 s) until they miss it, and rounds of an election.
const fencedAfter = 15 * time.Second

// awaitFenced waits until the two other brokers, if they are there, have fenced this one, which shows that they have an
// active controller without it.
func (t *target) awaitFenced(ctx context.Context) error {
	others, err := t.majority(ctx)
	if err != nil || others == nil {
		return err // no majority, so no leader and nobody to fence it
	}
	session, err := others[0].SettingMillis(ctx, "broker.session.timeout.ms")
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s fenced by the others (broker.session.timeout.ms %s and an election)", t.broker, session)
	_, err = wait.Until(ctx, what, session+fencedAfter, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := t.view(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		return view, err == nil && !slices.Contains(registered, t.id), err
	})
	return err
}

// majority returns the two other brokers when both run and are connected to each other as controllers, else nothing.
func (t *target) majority(ctx context.Context) ([]node, error) {
	for _, b := range t.others {
		running, err := b.Running(ctx)
		if err != nil || !running {
			return nil, err
		}
		paused, err := b.Paused(ctx)
		if err != nil || paused {
			return nil, err
		}
		on, err := b.Connected(ctx)
		if err != nil || !slices.Contains(on, cluster.Controllers) {
			return nil, err
		}
	}
	return t.others, nil
}
