package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// process is a node as faults need it: a *cluster.Node, or what a test puts in its place.
type process interface {
	fmt.Stringer
	Shutdown(ctx context.Context) (cluster.Exit, error)
	Kill(ctx context.Context) (cluster.Exit, error)
	CanLoseVolume() error
	ReplaceVolume(ctx context.Context) error
	Start(ctx context.Context) error
	Running(ctx context.Context) (bool, error)
	Pause(ctx context.Context) (time.Time, error)
	Resume(ctx context.Context) error
	Paused(ctx context.Context) (bool, error)
	Formatted(ctx context.Context) (bool, error)
}

// node is a broker as faults need it: a *cluster.Broker, or what a test puts in its place.
type node interface {
	process
	Disconnect(ctx context.Context, from ...cluster.Network) (time.Time, error)
	Reconnect(ctx context.Context) error
	Connected(ctx context.Context) ([]cluster.Network, error)
	Answers(ctx context.Context, within time.Duration) bool
	FindsController(ctx context.Context) bool
	Reaches(ctx context.Context, other int, on cluster.Network) (bool, error)
	SettingMillis(ctx context.Context, name string) (time.Duration, error)
}

// target is the broker that a fault hits, and its cluster.
type target struct {
	kind   string
	id     int
	broker node
	others []node
	voters []node // those of the others that form the quorum with it
	view   func(context.Context) (cluster.View, error)

	observer bool // it is no controller itself: that is another node, or several
	// peers are the other nodes, by the network on which they have a listener.
	peers map[cluster.Network][]int
}

func aim(kind string, c *cluster.Cluster, broker int) (target, error) {
	b, err := c.Broker(broker)
	if err != nil {
		return target{}, err
	}
	voters := c.Voters()
	t := target{kind: kind, id: broker, broker: b, view: c.View, observer: !slices.Contains(voters, broker)}
	t.peers = map[cluster.Network][]int{
		cluster.Brokers:     without(c.Topology().Brokers(), broker),
		cluster.Controllers: without(voters, broker),
	}
	for _, other := range c.Brokers() {
		if other.ID == broker {
			continue
		}
		t.others = append(t.others, other)
		if slices.Contains(voters, other.ID) {
			t.voters = append(t.voters, other)
		}
	}
	return t, nil
}

func without(ids []int, id int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(other int) bool { return other == id })
}

// Name says which broker is lost and in which way.
func (t *target) Name() string { return fmt.Sprintf("%s lost by %s", t.broker, t.kind) }

// Node is the id of the broker that is hit.
func (t *target) Node() int { return t.id }

// awaitSilent sees that the broker, being frozen, answers no client.
func (t *target) awaitSilent(ctx context.Context) error {
	if t.broker.Answers(ctx, silence) {
		return fmt.Errorf("%s still answers", t.broker)
	}
	return nil
}

// awaitForgotten waits until the other controllers do without the one in the broker's process.
func (t *target) awaitForgotten(ctx context.Context) error { return t.awaitFenced(ctx) }

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

// fencedAfter is what the other controllers may take, beside broker.session.timeout.ms, to fence a broker that led
// them: controller.quorum.fetch.timeout.ms (2 s) until they miss it, and rounds of an election.
const fencedAfter = 15 * time.Second

// awaitFenced waits until the others, if there is a majority of controllers among them, have fenced this broker, which
// shows that they have an active controller without it.
func (t *target) awaitFenced(ctx context.Context) error {
	others, err := t.witnesses(ctx)
	if err != nil || len(others) == 0 {
		return err // no majority, so no leader and nobody to fence it
	}
	session, err := sessionOf(ctx, others[0])
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

// sessionOf asks a witness for broker.session.timeout.ms. One that was started a moment ago, as when all are lost at once
// and return, answers nobody yet.
func sessionOf(ctx context.Context, witness node) (time.Duration, error) {
	what := fmt.Sprintf("%s tells its settings (initial.broker.registration.timeout.ms 60s)", witness)
	return wait.Until(ctx, what, returnWithin, func(ctx context.Context) (time.Duration, bool, error) {
		session, err := witness.SettingMillis(ctx, "broker.session.timeout.ms")
		return session, err == nil, err
	})
}

// witnesses returns the other brokers that hear from an active controller which does not need this broker: where brokers
// are the controllers that takes a majority of them, which the only voter of a quorum leaves behind to nobody.
func (t *target) witnesses(ctx context.Context) ([]node, error) {
	connected, err := connectedOf(ctx, t.others)
	if err != nil {
		return nil, err
	}
	if !t.observer {
		voting, err := connectedOf(ctx, t.voters)
		if err != nil || len(voting) <= (len(t.voters)+1)/2 {
			return nil, err
		}
		return connected, nil
	}
	view, err := t.view(ctx)
	if err != nil || view.Quorum.Leader < 0 {
		return nil, err
	}
	return connected, nil
}

// connectedOf returns the brokers that run and are connected to the controllers.
func connectedOf(ctx context.Context, all []node) ([]node, error) {
	var connected []node
	for _, b := range all {
		ok, err := hearsControllers(ctx, b)
		if err != nil {
			return nil, err
		}
		if ok {
			connected = append(connected, b)
		}
	}
	return connected, nil
}

// hearsControllers reports whether a broker runs and is connected to the controllers.
func hearsControllers(ctx context.Context, b node) (bool, error) {
	running, err := b.Running(ctx)
	if err != nil || !running {
		return false, err
	}
	paused, err := b.Paused(ctx)
	if err != nil || paused {
		return false, err
	}
	on, err := b.Connected(ctx)
	return slices.Contains(on, cluster.Controllers), err
}
