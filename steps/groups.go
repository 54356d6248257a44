package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

// groups are the consumer groups of one scenario.
type groups struct {
	all []*group
	ask *traffic.Groups // nil until the first group
}

// group is one consumer group of the scenario.
type group struct {
	called    string // its name in the feature
	name      string // its name in the cluster: unique to the scenario
	topic     *topic // that it reads
	partition int    // of __consumer_offsets
	session   time.Duration
	start     *start // where it starts, if the scenario is about that
	log       *ledger.GroupLog
	consumers []*consumer       // in the order in which they joined
	ended     bool              // its consumers have left and its file is closed: nobody reads any more
	delivery  *verdict.Delivery // of its end; nil again when its topic is written to afterwards
}

// consumer is one member of a group, with what the scenario did to it.
type consumer struct {
	*traffic.Consumer
	joined time.Time
	gone   bool // it was made to leave
}

// named returns the group with a name of the feature's.
func (gs *groups) named(called string) (*group, error) {
	for _, g := range gs.all {
		if g.called == called {
			return g, nil
		}
	}
	return nil, fmt.Errorf("this scenario has no consumer group %q; make one in a Given", called)
}

// each does something with every group; without groups nothing would be proven.
func (gs *groups) each(do func(*group) error) error {
	if len(gs.all) == 0 {
		return errors.New(`no consumer group yet; begin with ` +
			`"Given 6 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets"`)
	}
	for _, g := range gs.all {
		if err := do(g); err != nil {
			return err
		}
	}
	return nil
}

// stop ends all consumers, those at work included, and closes the files.
func (gs *groups) stop(ctx context.Context) error {
	var problems []error
	for _, g := range gs.all {
		problems = append(problems, g.leave(ctx), g.log.Abandon())
	}
	if gs.ask != nil {
		gs.ask.Close()
	}
	return errors.Join(problems...)
}

// leave has every consumer of the group leave.
func (g *group) leave(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	var problems []error
	for _, c := range g.consumers {
		problems = append(problems, c.Leave(bounded))
		c.gone = true
	}
	return errors.Join(problems...)
}

// leaveWithin bounds one LeaveGroup request with what the coordinator may take to move (broker.session.timeout.ms 9 s).
const leaveWithin = 15 * time.Second

// committed returns the highest offsets that the coordinator has acknowledged to the group's consumers, by partition.
func (g *group) committed() map[int32]int64 {
	highest := map[int32]int64{}
	for _, c := range g.consumers {
		for p, next := range c.State().Committed {
			highest[p] = max(highest[p], next)
		}
	}
	return highest
}

// newGroup makes a group of the topic in use, without consumers. Its name in the cluster is such that its offsets are in
// the partition that spreadOut chooses.
func (w *World) newGroup(ctx context.Context, called string, commits ledger.Commits, session time.Duration) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	if _, err := w.groups.named(called); err == nil {
		return fmt.Errorf("a second consumer group %q", called)
	}
	offsets, err := w.offsetsTopic(ctx)
	if err != nil {
		return err
	}
	g := &group{called: called, topic: t, session: session, partition: spreadOut(w.groups.all, offsets)}
	g.name = traffic.GroupOn(called+w.suffix, g.partition, len(offsets))
	book, err := w.book(t)
	if err != nil {
		return err
	}
	if g.log, err = book.CreateGroup(called, ledger.GroupInfo{Name: g.name, Commits: commits}); err != nil {
		return err
	}
	w.groups.all = append(w.groups.all, g)
	return nil
}

// offsetsWithin bounds the making of __consumer_offsets: a request to the controller, and all replicas in sync.
const offsetsWithin = 20 * time.Second

// offsetsTopic returns the partitions of __consumer_offsets. Kafka makes it when somebody asks for a coordinator first.
func (w *World) offsetsTopic(ctx context.Context) ([]cluster.Partition, error) {
	var err error
	if w.groups.ask == nil {
		if w.groups.ask, err = traffic.AskGroups(w.bootstrap()); err != nil {
			return nil, err
		}
	}
	what := "a coordinator, and every partition of " + traffic.OffsetsTopic + " in sync"
	return wait.Until(ctx, what, offsetsWithin, func(ctx context.Context) ([]cluster.Partition, bool, error) {
		if _, err := w.groups.ask.Coordinator(ctx, "nobody"); err != nil {
			return nil, false, err
		}
		view, err := w.view(ctx)
		if err != nil {
			return nil, false, err
		}
		partitions, err := view.Topic(traffic.OffsetsTopic)
		synced := !slices.ContainsFunc(partitions, func(p cluster.Partition) bool { return !p.InSync() })
		return partitions, err == nil && len(partitions) > 0 && synced, err
	})
}

// spreadOut chooses a partition that no group uses, of the leader that leads for the fewest groups so far. With more
// groups than partitions some are shared.
func spreadOut(groups []*group, offsets []cluster.Partition) int {
	used, load := map[int]int{}, map[int]int{}
	for _, g := range groups {
		used[g.partition]++
		load[offsets[g.partition].Leader]++
	}
	return slices.MinFunc(offsets, func(a, b cluster.Partition) int {
		if used[a.ID] != used[b.ID] {
			return used[a.ID] - used[b.ID]
		}
		return load[a.Leader] - load[b.Leader]
	}).ID
}

// join starts a consumer of a group. It dies with its n-th record, or never if that is 0.
func (w *World) join(ctx context.Context, g *group, dieWith int) (*consumer, error) {
	if g.ended {
		return nil, fmt.Errorf("what group %q processed was judged already", g.called)
	}
	if err := w.noteStart(ctx, g); err != nil {
		return nil, err
	}
	// The consumer outlives the step, and the scenario stops it: the step's context must not.
	made, err := traffic.Join(context.WithoutCancel(ctx), traffic.ConsumerConfig{
		Bootstrap: w.bootstrap(), Topic: g.topic.spec.Name, Log: g.log, Session: g.session, DieWith: dieWith,
		Latest: g.start != nil && g.start.latest,
	})
	if err != nil {
		return nil, err
	}
	c := &consumer{Consumer: made, joined: time.Now()}
	g.consumers = append(g.consumers, c)
	return c, nil
}

// joinGrace is what a rebalance may take beside the session of a dead member: heartbeats that tell the others
// (heartbeat.interval.ms 1 s), the way to a coordinator that has just moved, and requests.
const joinGrace = 20 * time.Second

// awaitMember waits until a consumer has partitions and its group is stable. A dead member is missed only when its
// session has passed.
func (w *World) awaitMember(ctx context.Context, g *group, c *consumer) error {
	what := fmt.Sprintf("the consumer that joined group %q has partitions, and the group is stable (session.timeout.ms %s)",
		g.called, g.session)
	_, err := wait.Until(ctx, what, g.session+joinGrace, func(ctx context.Context) (traffic.ConsumerState, bool, error) {
		seen := c.State()
		if err := c.Err(); err != nil {
			return seen, false, wait.Stop(err)
		}
		if len(seen.Assigned) == 0 {
			return seen, false, nil
		}
		_, stable, err := w.groups.ask.Members(ctx, g.name)
		return seen, stable, err
	})
	return err
}
