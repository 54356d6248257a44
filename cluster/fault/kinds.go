package fault

import (
	"context"
	"fmt"
	"time"

	"kafka-ha/cluster"
)

// Kinds are the words that features use for ways to lose a node. Isolations are for brokers only.
var Kinds = []string{
	cleanShutdown, hardKill, volumeLoss, pause, fromPeers, fromClients, fromEveryone, fromControllers, fromBrokers,
}

const (
	cleanShutdown   = "clean shutdown"
	hardKill        = "hard kill"
	volumeLoss      = "loss of its volume"
	pause           = "a pause"
	fromPeers       = "isolation from its peers"
	fromClients     = "isolation from clients"
	fromEveryone    = "isolation from everyone"
	fromControllers = "isolation from the controllers"
	fromBrokers     = "isolation from the other brokers"
)

// fromBrokers makes the follower that falls behind: it fetches nothing and heartbeats all the same, so that it leaves the
// ISR for its lag. Other ways do not. Kafka's replication throttle spares replicas in the ISR (shouldFollowerThrottle,
// shouldLeaderThrottle); it holds one back that is behind already (slow_follower.feature). A limit of processor time slows
// heartbeats as much as fetches, and a fetch brings all that has come since the one before: at 1 % of a processor a
// follower of 1.3 MB/s stayed in the ISR, at 0.5 % it was out within 17 s, sooner than any lag takes it out, so it must
// have been fenced in between (tried on Kafka 4.3.1).

// cutFrom are the networks that each isolation takes away.
var cutFrom = map[string][]cluster.Network{
	fromPeers:       {cluster.Brokers, cluster.Controllers},
	fromClients:     {cluster.Clients},
	fromEveryone:    {cluster.Clients, cluster.Brokers, cluster.Controllers},
	fromControllers: {cluster.Controllers},
	fromBrokers:     {cluster.Brokers},
}

// Of returns the fault of a kind, one of Kinds, for a node: a broker or a separate controller.
func Of(kind string, c *cluster.Cluster, node int) (Fault, error) {
	n, err := c.Node(node)
	if err != nil {
		return nil, err
	}
	if !n.IsBroker() {
		return ofController(kind, c, n)
	}
	t, err := aim(kind, c, node)
	if err != nil {
		return nil, err
	}
	return way(t)
}

func way(t target) (Fault, error) {
	if cut, ok := cutFrom[t.kind]; ok {
		return &isolated{target: t, cut: cut}, nil
	}
	return wayOf(t.kind, &t, t.broker, !t.observer)
}

// hit is what differs between the loss of a broker and that of a separate controller.
type hit interface {
	Name() string
	Node() int
	AwaitRecovery(ctx context.Context) (time.Time, error)
	awaitSilent(ctx context.Context) error
	awaitForgotten(ctx context.Context) error
}

// wayOf returns the loss of a process. A voter forgets its part of the metadata log with its volume.
func wayOf(kind string, h hit, p process, voter bool) (Fault, error) {
	switch kind {
	case pause:
		return &paused{hit: h, process: p}, nil
	case cleanShutdown:
		return &stopped{hit: h, process: p, end: p.Shutdown, as: cluster.Exit.Clean}, nil
	case hardKill:
		return &stopped{hit: h, process: p, end: p.Kill, as: cluster.Exit.Killed}, nil
	case volumeLoss:
		if err := p.CanLoseVolume(); err != nil {
			return nil, fmt.Errorf("%s: %w", h.Name(), err)
		}
		lose := func(ctx context.Context) (cluster.Exit, error) {
			exit, err := p.Kill(ctx)
			if err != nil {
				return exit, err
			}
			return exit, p.ReplaceVolume(ctx)
		}
		return &stopped{hit: h, process: p, end: lose, as: cluster.Exit.Killed, empty: true, forgets: voter}, nil
	}
	return nil, fmt.Errorf("%q is no way to lose a node; use one of %q", kind, Kinds)
}
