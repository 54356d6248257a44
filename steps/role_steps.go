package steps

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

// Patterns for brokers, by id or by what they are.
const (
	// oneBroker is one that is to be lost, or that was lost under these words. Controllers apart from the brokers have ids
	// from 101 on; one in the same process as a broker is lost with it.
	oneBroker = `(broker \d{1,2}|controller \d{3}|the leader of partition \d{1,5}|a follower of partition \d{1,5}|the active controller|` +
		theRemoved + `|the coordinator of group "[^"]+")`
	// anyBrokers are some of the cluster's: by id, or by what has happened to them in the scenario.
	anyBrokers = `(broker [\d, and]+|brokers [\d, and]+|the lost brokers?|the other brokers|the removed voter)`
)

// roles are what a broker can be at a moment.
var roles = []struct {
	words *regexp.Regexp
	holds func(ctx context.Context, w *World, v cluster.View, arg string) (int, error)
}{
	{regexp.MustCompile(`^broker (\d+)$`), func(_ context.Context, w *World, _ cluster.View, id string) (int, error) {
		return w.node("broker", id)
	}},
	{regexp.MustCompile(`^controller (\d+)$`), func(_ context.Context, w *World, _ cluster.View, id string) (int, error) {
		return w.node("controller", id)
	}},
	{regexp.MustCompile(`^the leader of partition (\d+)$`), leaderOf},
	{regexp.MustCompile(`^a follower of partition (\d+)$`), followerOf},
	{regexp.MustCompile(`^the (active controller)$`), func(_ context.Context, _ *World, v cluster.View, _ string) (int, error) {
		if v.Quorum.Leader < 0 {
			return 0, errors.New("the quorum has no active controller")
		}
		return v.Quorum.Leader, nil
	}},
	{regexp.MustCompile("^(" + theRemoved + ")$"), func(_ context.Context, w *World, _ cluster.View, _ string) (int, error) {
		return w.removedVoter()
	}},
	{regexp.MustCompile(`^the coordinator of group "([^"]+)"$`), coordinatorOf},
}

const theRemoved = "the removed voter"

// removedVoter is the broker that was removed from the voters last.
func (w *World) removedVoter() (int, error) {
	if w.removed == 0 {
		return 0, errors.New("no broker was removed from the voters in this scenario")
	}
	return w.removed, nil
}

// cast finds who has a role now, and keeps it: later sentences with the same words are about the same broker.
func (w *World) cast(ctx context.Context, role string) (int, error) {
	view, err := w.view(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range roles {
		match := r.words.FindStringSubmatch(role)
		if match == nil {
			continue
		}
		id, err := r.holds(ctx, w, view, match[1])
		if err != nil {
			return 0, fmt.Errorf("%s: %w", role, err)
		}
		if strings.HasPrefix(role, "the ") || strings.HasPrefix(role, "a ") {
			w.suite.Print("%s is %s", role, w.called(id))
		}
		w.played[role] = id
		return id, nil
	}
	return 0, fmt.Errorf("%q is no role of a broker", role)
}

// node reads the id of a broker or of a controller, and sees that the cluster has it.
func (w *World) node(kind, text string) (int, error) {
	id, err := strconv.Atoi(text)
	if err != nil {
		return 0, err
	}
	there := w.need.Topology.Brokers()
	if kind == "controller" {
		there = w.need.Topology.Controllers()
	}
	if !slices.Contains(there, id) {
		return 0, fmt.Errorf("%s %d: the cluster has %s", kind, id, nodesOf(w.need.Topology))
	}
	return id, nil
}

// nodesOf names the nodes of a topology: "nodes 1, 2 and 3", "brokers 1, 2 and 3 and controller 101".
func nodesOf(t cluster.Topology) string {
	all, apart := brokers(t.Brokers()), t.Controllers()
	if len(apart) == 0 {
		return strings.Replace(all, "broker", "node", 1)
	}
	return all + " and " + strings.Replace(brokers(apart), "broker", "controller", 1)
}

// called is a node's name in messages.
func (w *World) called(id int) string {
	if slices.Contains(w.need.Topology.Controllers(), id) {
		return fmt.Sprintf("controller %d", id)
	}
	return fmt.Sprintf("broker %d", id)
}

// whoWas returns the broker or controller that was lost in a role. One that was only removed from the voters in it, or only
// held back, was not.
func (w *World) whoWas(role string) (int, error) {
	id, err := w.whoPlayed(role)
	if err == nil && w.losses[id] == nil {
		err = fmt.Errorf("%s was not lost in this scenario", role)
	}
	return id, err
}

// whoPlayed returns the broker or controller that a sentence before was about in a role.
func (w *World) whoPlayed(role string) (int, error) {
	if id, ok := w.played[role]; ok {
		return id, nil
	}
	for id := range w.losses {
		if role == w.called(id) {
			return id, nil
		}
	}
	return 0, fmt.Errorf("%s was not lost in this scenario", role)
}

func (w *World) partitionNow(v cluster.View, text string) (cluster.Partition, error) {
	t, err := w.topicInUse()
	if err != nil {
		return cluster.Partition{}, err
	}
	partitions, err := v.Topic(t.spec.Name)
	if err != nil {
		return cluster.Partition{}, err
	}
	id, err := strconv.Atoi(text)
	if err != nil || id >= len(partitions) {
		return cluster.Partition{}, fmt.Errorf("%s has no partition %s", t.spec.Name, text)
	}
	return partitions[id], nil
}

func leaderOf(_ context.Context, w *World, v cluster.View, partition string) (int, error) {
	p, err := w.partitionNow(v, partition)
	if err == nil && p.Leader < 0 {
		err = errors.New("the partition is offline")
	}
	return p.Leader, err
}

// followerOf is the first in the partition's list that is in sync, does not lead and is not lost already.
func followerOf(_ context.Context, w *World, v cluster.View, partition string) (int, error) {
	p, err := w.partitionNow(v, partition)
	if err != nil {
		return 0, err
	}
	lost := w.lostNow()
	for _, id := range p.Replicas {
		if p.FollowedBy(id) && slices.Contains(p.ISR, id) && !slices.Contains(lost, id) {
			return id, nil
		}
	}
	return 0, fmt.Errorf("%s has no follower in sync, ISR %v", p.Name(), p.ISR)
}

// parseAnyBrokers reads ids, or "the lost broker", which are those that are lost now or, when all have returned, that
// were; "the other brokers" are the rest.
func (w *World) parseAnyBrokers(text string) ([]int, error) {
	if ids, ok := strings.CutPrefix(text, "broker"); ok {
		return parseBrokers(strings.TrimPrefix(ids, "s"))
	}
	if text == theRemoved {
		id, err := w.removedVoter()
		return []int{id}, err
	}
	lost := w.lostNow()
	if len(lost) == 0 {
		lost = idsOf(w.faults.All())
	}
	if len(lost) == 0 {
		return nil, fmt.Errorf("%s: no broker was lost in this scenario", text)
	}
	if strings.HasPrefix(text, "the lost") {
		return lost, nil
	}
	others := slices.DeleteFunc(slices.Clone(brokerIDs), func(id int) bool { return slices.Contains(lost, id) })
	if len(others) == 0 {
		return nil, fmt.Errorf("%s: all are lost", text)
	}
	return others, nil
}

// lostNow returns the brokers that are lost and have not returned.
func (w *World) lostNow() []int { return idsOf(w.faults.Open()) }

// idsOf returns the brokers that faults are on, each once, in the order of their loss.
func idsOf(faults []*fault.Lost) []int {
	var ids []int
	for _, l := range faults {
		if id := l.Fault.Node(); slices.Contains(brokerIDs, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
