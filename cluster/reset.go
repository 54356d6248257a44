package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/containerd/errdefs"

	"kafka-ha/cluster/wait"
)

// syncWithin bounds the way back into all ISRs: a follower that has caught up is let in by the leader's next look,
// but a leader that just changed may need replica.lag.time.max.ms (30 s) and half of it again to sort things out.
const syncWithin = 45 * time.Second

// Reset brings the cluster back to its start state: all nodes there, no user topic, internal topics fully in
// sync under their preferred leaders. In the usual case it only looks.
//
// A node that exited or was restarted without being told to is started again and is an error all the same, though the start state is
// reached: what was seen of the cluster meanwhile may have come from that.
//
// A cluster with a node that somebody has altered is made anew instead. One whose members were changed (see Altered) has no
// way back.
func (c *Cluster) Reset(ctx context.Context) error {
	if c.altered {
		return errors.New("the members of its quorum were changed")
	}
	if len(c.alteredNodes()) > 0 {
		return c.Renew(ctx)
	}
	unasked, err := c.startAll(ctx)
	if err != nil {
		return errors.Join(unasked, err)
	}
	if err := c.AwaitReady(ctx); err != nil {
		return errors.Join(unasked, err)
	}
	view, err := c.View(ctx)
	if err == nil {
		err = c.DeleteTopics(ctx, view.Topics(false)...)
	}
	if err == nil {
		err = c.awaitStartState(ctx)
	}
	return errors.Join(unasked, err)
}

// startAll starts what does not run, and returns which nodes should have run.
func (c *Cluster) startAll(ctx context.Context) (unasked, err error) {
	var gone, problems []error
	for _, n := range c.Nodes() {
		state, err := n.state(ctx)
		if err == nil {
			gone = append(gone, n.unexpected(ctx, state))
		}
		switch {
		case err != nil:
		case state.Paused:
			err = n.Resume(ctx)
		case !state.Running:
			err = n.Start(ctx)
		}
		problems = append(problems, err)
	}
	return errors.Join(gone...), errors.Join(problems...)
}

// Unasked returns an error that names the nodes that exited, were restarted or were paused without being told to, and
// mends nothing: for a cluster that is to be closed.
func (c *Cluster) Unasked(ctx context.Context) error {
	var problems []error
	for _, n := range c.Nodes() {
		state, err := n.state(ctx)
		if err == nil {
			err = n.unexpected(ctx, state)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func (c *Cluster) awaitStartState(ctx context.Context) error {
	what := "no user topic, internal topics in sync under preferred leaders (replica.lag.time.max.ms 30s and half of it)"
	_, err := wait.Until(ctx, what, syncWithin, func(ctx context.Context) (View, bool, error) {
		view, err := c.View(ctx)
		if err != nil || len(view.Topics(false)) > 0 {
			return view, false, err
		}
		synced, led, err := view.synced()
		if err == nil && synced && !led {
			err = c.ElectPreferred(ctx, view.Topics(true)...)
		}
		return view, synced && led, err
	})
	return err
}

// synced reports whether all partitions are fully in sync, and whether their preferred leaders lead.
func (v View) synced() (synced, led bool, err error) {
	synced, led = true, true
	for _, name := range v.Topics(true) {
		partitions, err := v.Topic(name)
		if err != nil {
			return false, false, err
		}
		for _, p := range partitions {
			synced = synced && p.InSync()
			led = led && p.Leader == p.PreferredLeader()
		}
	}
	return synced, led, nil
}

// InSync reports whether every partition of the topics has all its replicas in the ISR. An unknown topic is an error.
func (v View) InSync(topics ...string) (bool, error) {
	for _, topic := range topics {
		partitions, err := v.Topic(topic)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(partitions, func(p Partition) bool { return !p.InSync() }) {
			return false, nil
		}
	}
	return true, nil
}

// AwaitSync waits until every partition of the topics has all its replicas in the ISR, and returns what was seen.
func (c *Cluster) AwaitSync(ctx context.Context, topics ...string) (View, error) {
	what := fmt.Sprintf("every replica of %v in the ISR (replica.lag.time.max.ms 30s and half of it)", topics)
	return wait.Until(ctx, what, syncWithin, func(ctx context.Context) (View, bool, error) {
		view, err := c.View(ctx)
		if err != nil {
			return view, false, err
		}
		synced, err := view.InSync(topics...)
		return view, synced, err
	})
}

// Renew replaces the cluster by a new one on the same ports: all nodes killed, all volumes empty, another cluster id.
func (c *Cluster) Renew(ctx context.Context) error {
	if err := c.RenewAs(ctx, nil); err != nil {
		return err
	}
	return c.form(ctx)
}

// RenewAs replaces the cluster by a new one of which some nodes are not what they should be, by their ids. It returns
// when all were started: whether that is ever a cluster is for the caller to see.
func (c *Cluster) RenewAs(ctx context.Context, as map[int]Alteration) error {
	if err := c.unalter(ctx); err != nil {
		return err
	}
	c.KafkaID = NewKafkaID()
	c.founded = false
	return c.eachNode(func(n *Node) error {
		running, err := n.Running(ctx)
		if err == nil && running {
			_, err = n.Kill(ctx)
		}
		if err != nil && !errdefs.IsNotFound(err) { // without a container there is nothing to end
			return err
		}
		if err := n.ReplaceVolume(ctx); err != nil {
			return err
		}
		if altered, ok := as[n.ID]; ok {
			if err := n.Alter(ctx, altered); err != nil {
				return err
			}
		}
		return n.Start(ctx)
	})
}
