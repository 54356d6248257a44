package steps

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

func (w *World) deliverySentences(s *sentences) {
	s.action(within+`every group has committed every record of the topic`, w.everyGroupDrains)
	s.then(within+`every group has committed every record of the topic`, w.everyGroupDrains)
	w.ofGroups(s, `has processed every acknowledged event exactly once`, func(_ *group, d verdict.Delivery) error {
		if !d.ExactlyOnce() {
			return fmt.Errorf("wanted: each acknowledged event processed once; seen: %s", d)
		}
		return nil
	})
	w.ofGroups(s, `has processed every acknowledged event at least once`, func(_ *group, d verdict.Delivery) error { return d.Err() })
	w.ofGroup(s, `has processed again exactly what its dead consumer had not committed`, againUncommitted)
	w.ofGroup(s, `has lost exactly what its dead consumer had committed without processing it`, lostUnprocessed)
}

// ofGroups registers an outcome of every group, and of one.
func (w *World) ofGroups(s *sentences, outcome string, judge func(*group, verdict.Delivery) error) {
	s.then(`every group `+outcome, func(ctx context.Context) error {
		return w.groups.each(func(g *group) error { return w.judged(ctx, g, judge) })
	})
	w.ofGroup(s, outcome, judge)
}

func (w *World) ofGroup(s *sentences, outcome string, judge func(*group, verdict.Delivery) error) {
	s.then(`group "([^"]+)" `+outcome, func(ctx context.Context, called string) error {
		g, err := w.groups.named(called)
		if err != nil {
			return err
		}
		return w.judged(ctx, g, judge)
	})
}

// undone is how many records the group's dead consumers had in the batches that they died in.
func (g *group) undone() uint64 {
	var n uint64
	for _, c := range g.consumers {
		n += c.State().Undone
	}
	return n
}

func againUncommitted(g *group, d verdict.Delivery) error { return againOf(g.undone(), d) }
func lostUnprocessed(g *group, d verdict.Delivery) error  { return lostOf(g.undone(), d) }

// againOf wants so many redelivered. That nothing is among them that was committed is the delivery's own rule.
func againOf(undone uint64, d verdict.Delivery) error {
	if d.Result != verdict.Holds || undone == 0 || d.Found[verdict.Redelivered] != undone {
		return fmt.Errorf("wanted: the %d records that dead consumers left uncommitted processed again, and nothing lost; seen: %s",
			undone, d)
	}
	return nil
}

// harmless are the findings that break nothing.
var harmless = []verdict.Rule{verdict.Recovered, verdict.Absent}

// lostOf is for contrasts: the damage must be found, all of it, and no other.
func lostOf(undone uint64, d verdict.Delivery) error {
	var other uint64
	for rule, n := range d.Found {
		if rule != verdict.LostToGroup && !slices.Contains(harmless, rule) {
			other += n
		}
	}
	if d.Result != verdict.Broken || len(d.Reasons) > 0 || other > 0 || undone == 0 || d.Found[verdict.LostToGroup] != undone {
		return fmt.Errorf("wanted: the %d records that dead consumers left unprocessed lost to the group, and nothing else amiss; seen: %s",
			undone, d)
	}
	return nil
}

// drainWithin bounds a group's way to the end offsets where the feature has not waited for it itself: a coordinator that
// has just moved, and the rest of the records.
const drainWithin = 60 * time.Second

func (w *World) everyGroupDrains(ctx context.Context, n int) error {
	began := time.Now()
	if err := w.groups.each(w.readsTopicInUse); err != nil {
		return err
	}
	return w.groups.each(func(g *group) error {
		drained, err := w.drain(ctx, g, time.Until(began.Add(seconds(n))))
		if err != nil {
			return err
		}
		return g.drainedRecords(drained)
	})
}

// readsTopicInUse: "the topic" of a sentence is the one in use, and a group of another one tells nothing of it.
func (w *World) readsTopicInUse(g *group) error {
	t, err := w.topicInUse()
	if err == nil && g.topic != t {
		err = fmt.Errorf("group %q reads topic %q, and the topic in use is %q", g.called, g.topic.called, t.called)
	}
	return err
}

// drainedRecords wants records among what was drained: of an empty topic every group has committed everything.
func (g *group) drainedRecords(drained []ledger.Drained) error {
	for _, d := range drained {
		if d.End > 0 {
			return nil
		}
	}
	return fmt.Errorf("topic %q has no record, so that what group %q has committed proves nothing", g.topic.called, g.called)
}

// drain ends all writing to the group's topic, fixes the end offsets, and waits until the group has committed up to them.
func (w *World) drain(ctx context.Context, g *group, within time.Duration) ([]ledger.Drained, error) {
	if len(g.consumers) == 0 {
		return nil, fmt.Errorf("group %q has no consumer; add one with \"And a consumer joins group %q\"", g.called, g.called)
	}
	if err := w.endWriting(ctx, g.topic); err != nil {
		return nil, err
	}
	var drained []ledger.Drained
	err := w.sending(func() error {
		ends, err := traffic.Offsets(ctx, w.bootstrap(), g.topic.spec.Name)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("group %q has committed up to the end offset of every partition of %s", g.called, g.topic.spec.Name)
		drained, err = wait.Until(ctx, what, within, func(ctx context.Context) ([]ledger.Drained, bool, error) {
			far, all, err := w.groups.ask.Drained(ctx, g.name, g.topic.spec.Name, ends)
			return far, all, err
		})
		return err
	})
	return drained, err
}

// endWriting ends all writing to a topic. With a broker still lost that does not wait for the ISR, which then never is
// full: what is acknowledged is below the end offsets all the same.
func (w *World) endWriting(ctx context.Context, t *topic) error {
	if len(w.faults.Open()) == 0 {
		return w.settle(ctx, t)
	}
	for _, p := range t.producers() {
		if err := w.sending(func() error { _, err := p.Stop(ctx); return err }); err != nil {
			return err
		}
	}
	t.senders, t.writers = t.producers(), nil
	return t.ledger.Sync()
}

// judged has the group come to its end, its consumers leave, and what it processed judged from the files.
func (w *World) judged(ctx context.Context, g *group, judge func(*group, verdict.Delivery) error) error {
	if g.delivery == nil {
		if err := w.deliver(ctx, g); err != nil {
			return err
		}
	}
	return judge(g, *g.delivery)
}

func (w *World) deliver(ctx context.Context, g *group) error {
	if err := w.end(ctx, g); err != nil {
		return err
	}
	if err := g.topic.ledger.Sync(); err != nil {
		return err
	}
	d := verdict.Deliveries(ledger.File(filepath.Join(g.topic.ledger.Dir(), ledger.FileName)), ledger.GroupFile(g.log.Name()))
	g.delivery = &d
	w.suite.Print("%s", d)
	return os.WriteFile(strings.TrimSuffix(g.log.Name(), ".ndjson")+".txt", []byte(d.String()), 0o644) // evidence is for everybody to read
}

// end has the group come to its end and its consumers leave. Of one that has, only the writing goes on to be ended: what
// was sent since then is in the ledger, and for the verdict.
func (w *World) end(ctx context.Context, g *group) error {
	if g.ended {
		return w.endWriting(ctx, g.topic)
	}
	drained, late := w.drain(ctx, g, drainWithin) // that it was not done in time is for the verdict
	if err := g.leave(ctx); err != nil {
		return err
	}
	return g.close(drained, late)
}

// close closes the group's file; late is why it did not come to its end.
func (g *group) close(drained []ledger.Drained, late error) error {
	reason := ""
	if late != nil {
		reason = late.Error()
	}
	err := g.log.Close(drained, late == nil, reason)
	g.ended = err == nil
	return err
}

// nothingProcessed demands that consumers, who are there and assigned, come to see no record for a time. What could be read
// before may still be on its way to them, from new leaders above all.
func (w *World) nothingProcessed(ctx context.Context, within, still int) error {
	what := fmt.Sprintf("no record processed for %d s", still)
	var last uint64
	since := time.Now()
	return w.kafka(func() error {
		_, err := wait.Until(ctx, what, seconds(within), func(context.Context) (uint64, bool, error) {
			now, err := w.processed()
			if err != nil {
				return now, false, wait.Stop(err)
			}
			if now != last {
				last, since = now, time.Now()
			}
			return now, time.Since(since) >= seconds(still), nil
		})
		return err
	})
}

// processed is how many records all groups have processed so far.
func (w *World) processed() (n uint64, err error) {
	err = w.groups.each(func(g *group) error {
		if len(g.consumers) == 0 {
			return fmt.Errorf("group %q has no consumer, so that it proves nothing", g.called)
		}
		for _, c := range g.consumers {
			n += c.State().Processed
		}
		return nil
	})
	return n, err
}
