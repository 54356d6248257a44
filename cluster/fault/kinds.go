package fault

import (
	"context"
	"fmt"

	"kafka-ha/cluster"
)

// Kinds are the words that features use for ways to lose a broker.
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
// shouldLeaderThrottle). A limit of processor time slows heartbeats as much as fetches, and a fetch brings all that has
// come since the one before: at 1 % of a processor a follower of 1.3 MB/s stayed in the ISR, at 0.5 % it was out within
// 17 s, sooner than any lag takes it out, so it must have been fenced in between (tried on Kafka 4.3.1).

// cutFrom are the networks that each isolation takes away.
var cutFrom = map[string][]cluster.Network{
	fromPeers:       {cluster.Brokers, cluster.Controllers},
	fromClients:     {cluster.Clients},
	fromEveryone:    {cluster.Clients, cluster.Brokers, cluster.Controllers},
	fromControllers: {cluster.Controllers},
	fromBrokers:     {cluster.Brokers},
}

// Of returns the fault of a kind, one of Kinds, for a broker.
func Of(kind string, c *cluster.Cluster, broker int) (Fault, error) {
	t, err := aim(kind, c, broker)
	if err != nil {
		return nil, err
	}
	return way(t)
}

func way(t target) (Fault, error) {
	switch t.kind {
	case pause:
		return &paused{target: t}, nil
	case cleanShutdown:
		return &stopped{target: t, end: t.broker.Shutdown}, nil
	case hardKill:
		return &stopped{target: t, end: t.broker.Kill}, nil
	case volumeLoss:
		return &stopped{target: t, forgets: true, end: func(ctx context.Context) (cluster.Exit, error) {
			exit, err := t.broker.Kill(ctx)
			if err != nil {
				return exit, err
			}
			return exit, t.broker.ReplaceVolume(ctx)
		}}, nil
	}
	if cut, ok := cutFrom[t.kind]; ok {
		return &isolated{target: t, cut: cut}, nil
	}
	return nil, fmt.Errorf("%q is no way to lose a broker; use one of %q", t.kind, Kinds)
}
