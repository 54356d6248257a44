package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func (w *World) groupSentences(s *sentences) {
	s.action(amount+` consumer groups read the topic, each with its offsets in another partition of __consumer_offsets`, w.groupsRead)
	s.given(`a consumer group "([^"]+)" commits (after processing|before processing), with a session timeout of `+amount+` seconds`,
		w.groupCommits)
	s.action(`a consumer of group "([^"]+)" dies with its (\d{1,5})th record (processed but not committed|committed but not processed)`,
		w.consumerDies)
	s.action(`(?:a|another) consumer joins group "([^"]+)"`, w.joinsGroup)
	s.action(`another consumer joins every group`, w.joinsEvery)
	s.action(`the consumers of every group leave`, w.consumersLeave)
	s.action(within+`every group commits new offsets`, w.everyGroupCommits)
	s.then(within+`every group commits new offsets`, w.everyGroupCommits)
	s.action(within+`every group has all offsets that it committed`, w.offsetsSurvived)
	s.then(within+`every group has all offsets that it committed`, w.offsetsSurvived)
	s.then(within+`no group processes a record for `+amount+` seconds`, w.nothingProcessed)
	s.then(`every group has kept its consumers through the loss`, w.consumersKept)
	s.then(`every broker coordinates exactly (\d{1,5}) groups`, w.coordinates)
	s.then(`every partition of __consumer_offsets has the offsets of a group`, w.offsetsCovered)
	s.then(`the internal topic "([^"]+)" has replication factor `+amount+` and min\.insync\.replicas `+amount, w.internalTopicHas)
	w.stateOfText(s, `every group is coordinated by `+brokerList, w.coordinatedBy)
}

// groupsRead starts groups "1" to "n" with a consumer each, and waits until each has every partition of the topic.
func (w *World) groupsRead(ctx context.Context, n int) error {
	return w.kafka(func() error {
		offsets, err := w.offsetsTopic(ctx)
		if err == nil {
			err = apart(w.groups.all, n, offsets)
		}
		if err != nil {
			return err
		}
		for i := range n {
			err := w.newGroup(ctx, strconv.Itoa(i+1), ledger.CommitsAfter, traffic.DefaultSession)
			if err != nil {
				return err
			}
		}
		return w.joinAll(ctx, w.groups.all)
	})
}

// apart says whether groups "1" to "n" will have their offsets in a partition each, beside the groups that there are. It
// is asked before the first is made: thousands would take minutes, and come to nothing.
func apart(groups []*group, n int, offsets []cluster.Partition) error {
	groups = slices.Clone(groups)
	for i := range n {
		groups = append(groups, &group{called: strconv.Itoa(i + 1), partition: spreadOut(groups, offsets)})
		if i >= len(offsets) {
			break // two share one already
		}
	}
	shared := map[int]string{}
	for _, g := range groups {
		if other, ok := shared[g.partition]; ok {
			return fmt.Errorf("%s has fewer than %d partitions (offsets.topic.num.partitions), so that groups %q and %q share one",
				traffic.OffsetsTopic, n, other, g.called)
		}
		shared[g.partition] = g.called
	}
	return nil
}

func (w *World) groupCommits(ctx context.Context, called, when string, session int) error {
	return w.kafka(func() error { return w.newGroup(ctx, called, ledger.Commits(when), seconds(session)) })
}

// joinAll starts a consumer for each of the groups, all before it waits for the first.
func (w *World) joinAll(ctx context.Context, to []*group) error {
	joined := make([]*consumer, len(to))
	for i, g := range to {
		var err error
		if joined[i], err = w.join(ctx, g, 0); err != nil {
			return err
		}
	}
	for i, g := range to {
		if err := w.awaitMember(ctx, g, joined[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) joinsEvery(ctx context.Context) error {
	if err := w.groups.each(func(*group) error { return nil }); err != nil {
		return err
	}
	return w.kafka(func() error { return w.joinAll(ctx, w.groups.all) })
}

func (w *World) joinsGroup(ctx context.Context, called string) error {
	g, err := w.groups.named(called)
	if err != nil {
		return err
	}
	return w.kafka(func() error { return w.joinAll(ctx, []*group{g}) })
}

// dieWithin bounds the reading of as many records as a consumer lives for.
const dieWithin = 30 * time.Second

// consumerDies starts a consumer that dies in the batch of its n-th record, between the two things that its group does
// with a batch, and waits for its death.
func (w *World) consumerDies(ctx context.Context, called string, record int, between string) error {
	g, err := w.groups.named(called)
	if err != nil {
		return err
	}
	commits := g.log.Info().Commits
	if (between == "processed but not committed") != (commits == ledger.CommitsAfter) || record == 0 {
		return fmt.Errorf("group %q commits %s: its consumer cannot die with its record %d %s", called, commits, record, between)
	}
	c, err := w.join(ctx, g, record)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the consumer of group %q dies with its record %d", called, record)
	return w.sending(func() error {
		_, err := wait.Until(ctx, what, dieWithin, func(context.Context) (traffic.ConsumerState, bool, error) {
			return c.State(), c.State().Died, nil
		})
		return err
	})
}

func (w *World) consumersLeave(ctx context.Context) error {
	return w.kafka(func() error {
		return w.groups.each(func(g *group) error {
			if len(g.consumers) == 0 {
				return fmt.Errorf("group %q has no consumer", g.called)
			}
			return g.leave(ctx)
		})
	})
}

// coordinatorOf is the broker that leads the partition of __consumer_offsets with the group's offsets.
func coordinatorOf(ctx context.Context, w *World, _ cluster.View, called string) (int, error) {
	g, err := w.groups.named(called)
	if err != nil {
		return 0, err
	}
	return w.groups.ask.Coordinator(ctx, g.name)
}

// coordinatedBy is the state in which the leaders of the partitions with the groups' offsets are among the brokers. That
// the leader is the coordinator is what "every broker coordinates exactly 2 groups" asks Kafka for.
func (w *World) coordinatedBy(list string) (state, error) {
	ids, err := parseBrokers(list)
	if err != nil {
		return state{}, err
	}
	if err := w.groups.each(func(*group) error { return nil }); err != nil {
		return state{}, err
	}
	return state{words: "every group is coordinated by " + brokers(ids), holds: func(v cluster.View) (bool, error) {
		offsets, err := v.Topic(traffic.OffsetsTopic)
		if err != nil {
			return false, err
		}
		for _, g := range w.groups.all {
			if g.partition >= len(offsets) {
				return false, errors.New(traffic.OffsetsTopic + " has lost partitions")
			}
			if !contains(ids, offsets[g.partition].Leader) {
				return false, nil
			}
		}
		return true, nil
	}}, nil
}
