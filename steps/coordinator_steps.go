package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/traffic"
)

func contains(ids []int, id int) bool { return slices.Contains(ids, id) }

// everyGroupCommits demands of each group that its coordinator has offsets beyond those that it had when it first answered
// after this sentence was read, and beyond those that were acknowledged to the group's consumers. What consumers were told
// is not enough: a commit whose answer a loss took with it is one from before. What they had processed tells less still,
// of a group that commits first.
func (w *World) everyGroupCommits(ctx context.Context, within int) error {
	before := map[*group]int64{}
	if err := w.groups.each(func(*group) error { return nil }); err != nil {
		return err
	}
	began := time.Now()
	return w.kafka(func() error {
		what := "the coordinator of every group says what was committed up to now"
		err := w.askEach(ctx, what, began, seconds(within), func(g *group, now map[int32]int64) string {
			for p, next := range g.committed() {
				now[p] = max(now[p], next)
			}
			before[g] = sum(now)
			return ""
		})
		if err != nil {
			return err
		}
		what = "the coordinator of every group has newer committed offsets than when this began"
		return w.askEach(ctx, what, began, seconds(within), func(g *group, now map[int32]int64) string {
			if sum(now) > before[g] {
				return ""
			}
			return fmt.Sprintf("committed %d records, as before", sum(now))
		})
	})
}

// offsetsSurvived demands of each group that its coordinator has every offset that was acknowledged to a consumer.
func (w *World) offsetsSurvived(ctx context.Context, within int) error {
	before := map[*group]map[int32]int64{}
	err := w.groups.each(func(g *group) error {
		if before[g] = g.committed(); len(before[g]) == 0 {
			return fmt.Errorf("group %q has committed nothing, so nothing of it can survive", g.called)
		}
		return nil
	})
	if err != nil {
		return err
	}
	what := "the coordinator of every group has all offsets that were acknowledged to the group's consumers"
	return w.kafka(func() error {
		return w.askEach(ctx, what, time.Now(), seconds(within), func(g *group, now map[int32]int64) string {
			for p, next := range before[g] {
				if now[p] < next {
					return fmt.Sprintf("%s-%d committed up to %d, acknowledged up to %d", g.topic.spec.Name, p, now[p], next)
				}
			}
			return ""
		})
	})
}

func sum(offsets map[int32]int64) int64 {
	var total int64
	for _, next := range offsets {
		total += next
	}
	return total
}

// askEach asks the coordinators for the groups' committed offsets until none is amiss, each group until it is not.
func (w *World) askEach(
	ctx context.Context, what string, since time.Time, within time.Duration, amiss func(*group, map[int32]int64) string,
) error {
	waiting := slices.Clone(w.groups.all)
	_, err := wait.Until(ctx, what, time.Until(since.Add(within)), func(ctx context.Context) (string, bool, error) {
		for len(waiting) > 0 {
			g := waiting[0]
			now, err := w.groups.ask.Committed(ctx, g.name, g.topic.spec.Name)
			if err != nil {
				return "", false, err
			}
			if seen := amiss(g, now); seen != "" {
				return fmt.Sprintf("group %q: %s; its consumers: %s", g.called, seen, g.states()), false, nil
			}
			waiting = waiting[1:]
		}
		return "", true, nil
	})
	return err
}

func (g *group) states() string {
	text := "none"
	for i, c := range g.consumers {
		if i == 0 {
			text = c.State().String()
			continue
		}
		text += "; " + c.State().String()
	}
	return text
}

// consumersKept demands that the consumers of before the first loss are those of now: no client was built anew.
func (w *World) consumersKept() error {
	first := time.Time{}
	for _, l := range w.faults.All() {
		if first.IsZero() || l.At.Before(first) {
			first = l.At
		}
	}
	if first.IsZero() {
		return errors.New("no broker was lost in this scenario")
	}
	return w.groups.each(func(g *group) error {
		if len(g.consumers) == 0 || g.ended {
			return fmt.Errorf("group %q has no consumer, or what it processed was judged already", g.called)
		}
		for i, c := range g.consumers {
			if c.gone || c.State().Died || c.joined.After(first) {
				return fmt.Errorf("wanted: group %q read by the same consumers before and after the loss; "+
					"seen: consumer %d joined at %s, %s", g.called, i, c.joined.Format("15:04:05.000"), c.State())
			}
		}
		return nil
	})
}

// coordinates asks Kafka for the coordinators, and compares them with the leaders that the state sentences go by.
func (w *World) coordinates(ctx context.Context, n int) error {
	offsets, err := w.offsetsTopicOfGroups(ctx)
	if err != nil {
		return err
	}
	of := map[int][]string{}
	err = w.groups.each(func(g *group) error {
		id, err := w.groups.ask.Coordinator(ctx, g.name)
		if err == nil && id != offsets[g.partition] {
			err = fmt.Errorf("group %q is coordinated by broker %d; %s-%d is led by broker %d",
				g.called, id, traffic.OffsetsTopic, g.partition, offsets[g.partition])
		}
		of[id] = append(of[id], g.called)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range brokerIDs {
		if len(of[id]) != n {
			return fmt.Errorf("wanted: every broker coordinates %d groups; seen: groups by broker %v", n, of)
		}
	}
	return nil
}

// offsetsTopicOfGroups returns the leaders of __consumer_offsets by partition.
func (w *World) offsetsTopicOfGroups(ctx context.Context) (map[int]int, error) {
	if err := w.groups.each(func(*group) error { return nil }); err != nil {
		return nil, err
	}
	view, err := w.view(ctx)
	if err != nil {
		return nil, err
	}
	partitions, err := view.Topic(traffic.OffsetsTopic)
	leaders := map[int]int{}
	for _, p := range partitions {
		leaders[p.ID] = p.Leader
	}
	return leaders, err
}

func (w *World) offsetsCovered(ctx context.Context) error {
	bare, err := w.offsetsTopicOfGroups(ctx)
	if err != nil {
		return err
	}
	all := len(bare)
	for _, g := range w.groups.all {
		delete(bare, g.partition)
	}
	if len(bare) > 0 {
		return fmt.Errorf("wanted: the offsets of a group in each of the %d partitions of %s (offsets.topic.num.partitions); "+
			"seen: %d groups, none in %v", all, traffic.OffsetsTopic, len(w.groups.all), slices.Sorted(maps.Keys(bare)))
	}
	return nil
}

func (w *World) internalTopicHas(ctx context.Context, name string, factor, minISR int) error {
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	partitions, err := view.Topic(name)
	if err != nil {
		return err
	}
	for _, p := range partitions {
		if len(p.Replicas) != factor {
			return fmt.Errorf("%s has %d replicas, want %d", p.Name(), len(p.Replicas), factor)
		}
	}
	value, err := w.cluster.TopicSetting(ctx, name, "min.insync.replicas")
	if err == nil && value != strconv.Itoa(minISR) {
		err = fmt.Errorf("%s min.insync.replicas is %s, want %d", name, value, minISR)
	}
	return err
}
