package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// isolated is a broker whose process runs on and whose network is gone, towards some or all: a broken switch, a wrong
// firewall rule, a security group that was edited.
type isolated struct {
	target
	cut []cluster.Network

	reached []link // before it was cut off
}

// Inject sees whom the broker reaches, disconnects it, and returns the moment from which it was disconnected.
func (f *isolated) Inject(ctx context.Context) (time.Time, error) {
	var err error
	if f.reached, err = f.reaches(ctx); err != nil {
		return time.Time{}, err
	}
	return f.broker.Disconnect(ctx, f.cut...)
}

// AwaitEffect sees that the broker is cut off where it should be and nowhere else: by the engine's word, by
// connections to its peers, by a client's request, and by what the controllers make of it.
func (f *isolated) AwaitEffect(ctx context.Context) error {
	on, err := f.broker.Connected(ctx)
	if err != nil {
		return err
	}
	for _, n := range []cluster.Network{cluster.Clients, cluster.Brokers, cluster.Controllers} {
		switch there, wanted := slices.Contains(on, n), !f.cuts(n); {
		case there && !wanted:
			return fmt.Errorf("%s is still connected to the %s", f.broker, n)
		case !there && wanted:
			return fmt.Errorf("%s is cut off from the %s too", f.broker, n)
		}
	}
	if err := f.peersEffect(ctx); err != nil {
		return err
	}
	if err := f.clientsEffect(ctx); err != nil {
		return err
	}
	return f.controllersEffect(ctx)
}

func (f *isolated) cuts(n cluster.Network) bool { return slices.Contains(f.cut, n) }

// clientsEffect sees whether the broker answers a client on the host.
func (f *isolated) clientsEffect(ctx context.Context) error {
	if f.cuts(cluster.Clients) {
		if f.broker.Answers(ctx, silence) {
			return fmt.Errorf("%s still answers clients", f.broker)
		}
		return nil
	}
	if !f.broker.Answers(ctx, stillAnswers) {
		return fmt.Errorf("%s answers no client any more", f.broker)
	}
	return nil
}

// stillAnswers bounds the answer of a broker that is cut off from others than clients. It answers metadata by itself.
const stillAnswers = 5 * time.Second

// leaderless is how long a controller that hears nobody takes to know that it has no leader, or that it is none: half as
// much again as controller.quorum.fetch.timeout.ms (2 s).
const leaderless = 3 * time.Second

// controllersEffect sees from both sides that broker and controllers have lost each other, or that they have not.
func (f *isolated) controllersEffect(ctx context.Context) error {
	if !f.cuts(cluster.Controllers) {
		return f.stillRegistered(ctx)
	}
	if !f.cuts(cluster.Clients) { // else nobody can ask it
		what := fmt.Sprintf("%s finds no active controller (controller.quorum.fetch.timeout.ms 2s and half of it)", f.broker)
		_, err := wait.Until(ctx, what, leaderless+stillAnswers, func(ctx context.Context) (string, bool, error) {
			return "it finds one", !f.broker.FindsController(ctx), nil
		})
		if err != nil {
			return err
		}
	}
	return f.awaitFenced(ctx)
}

// stillRegistered sees that the controllers have nothing against a broker that they can reach.
func (f *isolated) stillRegistered(ctx context.Context) error {
	what := fmt.Sprintf("%s registered and unfenced still", f.broker)
	_, err := wait.Until(ctx, what, stillAnswers, func(ctx context.Context) (cluster.View, bool, error) {
		view, err := f.view(ctx)
		if err != nil {
			return view, false, err
		}
		registered, err := view.Registered()
		return view, err == nil && slices.Contains(registered, f.id), err
	})
	return err
}

// Heal connects the broker to all its networks again.
func (f *isolated) Heal(ctx context.Context) error {
	running, err := f.broker.Running(ctx)
	if err == nil && !running {
		err = errors.New("it exited while it was isolated")
	}
	if err != nil {
		return err
	}
	return f.broker.Reconnect(ctx)
}
