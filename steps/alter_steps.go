package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

// alterSentences are what somebody gets wrong who builds or mends a cluster by hand. The broker goes down cleanly and
// comes back as something else; "returns" makes it again what it was.
func (w *World) alterSentences(s *sentences) {
	s.action(`broker (\d+) is restarted on a volume of another cluster`, func(ctx context.Context, id int) error {
		return w.restartAs(ctx, id, "on a volume of another cluster", cluster.ForeignCluster())
	})
	s.action(`broker (\d+) is restarted on the volume of broker (\d+)`, w.restartOnVolumeOf)
	s.action(`broker (\d+) is restarted under the node id of `+oneBroker, func(ctx context.Context, id int, role string) error {
		owner, err := w.cast(ctx, role)
		if err != nil {
			return err
		}
		return w.restartAsNode(ctx, id, owner)
	})
	s.action(`another broker is restarted under the node id of `+oneBroker, func(ctx context.Context, role string) error {
		owner, err := w.cast(ctx, role)
		if err != nil {
			return err
		}
		return w.restartAsNode(ctx, firstBut(owner), owner)
	})
	s.action(`broker (\d+) is restarted with `+brokerList+` as the only voters`, w.restartWithVoters)
	s.action(`broker (\d+) is restarted and tells (clients|the other brokers) the address of broker (\d+)`, w.restartAtAddressOf)
	s.action(`broker (\d+) is restarted and tells clients an address where nobody answers`, w.restartNowhere)
	s.given(`a new cluster of three brokers on empty volumes, with `+brokerList+` as the only voters`, w.newClusterOfVoters)
}

// restartAs restarts a broker as something else than it should be.
func (w *World) restartAs(ctx context.Context, id int, words string, as cluster.Alteration) error {
	f, err := fault.Altered(w.cluster, id, "restarted "+words, as)
	if err != nil {
		return err
	}
	return w.breakBy(ctx, f)
}

// breakBy injects a fault that has no kind, but words of its own.
func (w *World) breakBy(ctx context.Context, f fault.Fault) error {
	l, err := w.noteLossBy(ctx, f.Node(), markOf(f))
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		l.Lost, err = w.faults.Inject(ctx, f)
		return err
	})
}

// markOf is the word for a fault in verdicts, where "of" and its node follow: "clean shutdown, restarted on …, of".
func markOf(f fault.Fault) string {
	_, kind, _ := strings.Cut(f.Name(), " lost by ")
	return kind + ","
}

func (w *World) restartOnVolumeOf(ctx context.Context, id, owner int) error {
	if err := w.twoBrokers(id, owner); err != nil {
		return err
	}
	return w.restartAs(ctx, id, fmt.Sprintf("on the volume of broker %d", owner), cluster.Alteration{VolumeOf: owner})
}

func (w *World) restartAtAddressOf(ctx context.Context, id int, whom string, owner int) error {
	if err := w.twoBrokers(id, owner); err != nil {
		return err
	}
	other, err := w.cluster.Broker(owner)
	if err != nil {
		return err
	}
	as := cluster.Alteration{Client: other.Address()}
	if whom != "clients" {
		as = cluster.Alteration{Peer: owner}
	}
	return w.restartAs(ctx, id, fmt.Sprintf("with the address of broker %d for %s", owner, whom), as)
}

func (w *World) restartNowhere(ctx context.Context, id int) error {
	as, err := w.cluster.Unanswered()
	if err != nil {
		return err
	}
	return w.restartAs(ctx, id, "with an address for clients where nobody answers", as)
}

// restartAsNode gives a broker the id of another node.
func (w *World) restartAsNode(ctx context.Context, id, owner int) error {
	if id == owner {
		return fmt.Errorf("broker %d has that id itself; name two nodes", id)
	}
	return w.restartAs(ctx, id, fmt.Sprintf("under the node id of %s", w.called(owner)), cluster.Alteration{NodeID: owner})
}

func firstBut(node int) int {
	if node == brokerIDs[0] {
		return brokerIDs[1]
	}
	return brokerIDs[0]
}

func (w *World) restartWithVoters(ctx context.Context, id int, list string) error {
	voters, err := w.onlyVoters(list)
	if err != nil {
		return err
	}
	return w.restartAs(ctx, id, fmt.Sprintf("with %s as the only voters", brokers(voters)), cluster.Alteration{Voters: voters})
}

// onlyVoters reads which of the topology's voters a configuration is to name: brokers that vote, by a list that each of them
// has in its configuration, and not all of them, which would alter nothing.
func (w *World) onlyVoters(list string) ([]int, error) {
	voters, err := parseBrokers(list)
	if err != nil {
		return nil, err
	}
	all := w.need.Topology.Voters()
	switch {
	case len(w.need.Topology.Controllers()) > 0:
		return nil, errors.New("the brokers of this cluster do not vote; name no topology, or three brokers")
	case w.need.Topology.Dynamic():
		return nil, errors.New("no configuration of this cluster lists its voters, they are members of a dynamic quorum; " +
			"name no topology, or three brokers")
	case slices.Equal(slices.Sorted(slices.Values(voters)), all):
		return nil, fmt.Errorf("%s are all of the voters, so that nothing would be altered; name fewer", brokers(all))
	}
	return voters, nil
}

// newClusterOfVoters makes the cluster anew with a quorum of some brokers; the others are brokers only.
func (w *World) newClusterOfVoters(ctx context.Context, list string) error {
	voters, err := w.onlyVoters(list)
	if err != nil {
		return err
	}
	if err := w.noFault(); err != nil {
		return err
	}
	as := map[int]cluster.Alteration{}
	for _, id := range brokerIDs {
		as[id] = cluster.Alteration{Voters: voters, Observer: !slices.Contains(voters, id)}
	}
	return w.kafka(func() error { return w.cluster.RenewAs(ctx, as) })
}

func (w *World) twoBrokers(id, other int) error {
	if id == other {
		return fmt.Errorf("broker %d is itself; name two brokers", id)
	}
	for _, one := range []int{id, other} {
		if _, err := w.node("broker", strconv.Itoa(one)); err != nil {
			return err
		}
	}
	return nil
}
