package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kafka-ha/cluster/fault"
)

// nodeList is several nodes in the order of their loss: "brokers 2 and 1", "controller 101, brokers 1 and 2".
const nodeList = `((?:brokers?|controllers?) (?:\d|,| |and|brokers?|controllers?)+)`

// ways are how nodes are lost: one way for all of them, or one for each.
var (
	oneWay = `(?:` + strings.Replace(strings.Join(fault.Kinds, "|"), lossOfVolume, lossOfVolume+"|loss of their volumes", 1) + `)`
	ways   = `(` + oneWay + `(?:(?:, | and )` + oneWay + `)*)`
)

const lossOfVolume = "loss of its volume"

// planned is the loss of a node before it is carried out.
type planned struct {
	id  int
	how string
}

// planned makes the step of a sentence that names several nodes.
func (w *World) planned(do func(context.Context, []planned) error) func(context.Context, string, string) error {
	return func(ctx context.Context, nodes, how string) error {
		plan, err := w.plan(nodes, how)
		if err != nil {
			return err
		}
		return do(ctx, plan)
	}
}

// plan gives each node of a list its way.
func (w *World) plan(nodes, how string) ([]planned, error) {
	ids, err := w.parseNodes(nodes)
	if err != nil {
		return nil, err
	}
	each := strings.Split(strings.ReplaceAll(how, " and ", ", "), ", ")
	if len(each) == 1 {
		each = slices.Repeat(each, len(ids))
	}
	if len(each) != len(ids) {
		return nil, fmt.Errorf("%s are lost by %s: name one way for all of them, or one for each", nodes, how)
	}
	plan := make([]planned, 0, len(ids))
	for i, id := range ids {
		plan = append(plan, planned{id, strings.Replace(each[i], "their volumes", "its volume", 1)})
	}
	return plan, nil
}

// parseNodes reads a nodeList. The cluster must have the nodes, each of its kind.
func (w *World) parseNodes(list string) ([]int, error) {
	kind := ""
	var ids []int
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case "and":
			continue
		case "broker", "brokers", "controller", "controllers":
			kind = strings.TrimSuffix(word, "s")
			continue
		}
		id, err := w.node(kind, word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list, err)
		}
		if slices.Contains(ids, id) {
			return nil, fmt.Errorf("%s: %s %d stands there twice", list, kind, id)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: name at least one, as in \"brokers 1 and 2\"", list)
	}
	return ids, nil
}

// lose injects the faults one after the other; each has taken effect before the next.
func (w *World) lose(ctx context.Context, plan []planned) error {
	for _, p := range plan {
		l, f, err := w.prepareLoss(ctx, p.id, p.how)
		if err != nil {
			return err
		}
		err = w.kafka(func() error {
			l.Lost, err = w.faults.Inject(ctx, f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loseWhenMissed goes on to the next broker only when the one before is out of every ISR, for which it has the budget that
// the settings in force give.
func (w *World) loseWhenMissed(ctx context.Context, plan []planned) error {
	for _, p := range plan[:len(plan)-1] {
		if slices.Contains(w.need.Topology.Controllers(), p.id) {
			return fmt.Errorf("%s is in no ISR that could lose it: say \"one after the other\"", w.called(p.id))
		}
	}
	for i, p := range plan {
		if err := w.lose(ctx, []planned{p}); err != nil {
			return err
		}
		if i == len(plan)-1 {
			break
		}
		if err := w.inTime(ctx, w.called(p.id), "budget", shrunkClock); err != nil {
			return err
		}
	}
	return nil
}

// loseAtOnce injects the faults at the same time.
func (w *World) loseAtOnce(ctx context.Context, plan []planned) error {
	prepared := make([]*loss, len(plan))
	faults := make([]fault.Fault, len(plan))
	for i, p := range plan {
		var err error
		if prepared[i], faults[i], err = w.prepareLoss(ctx, p.id, p.how); err != nil {
			return err
		}
		prepared[i].atOnce = len(plan) > 1
	}
	return w.kafka(func() error {
		problems := make([]error, len(plan))
		var all sync.WaitGroup
		for i := range plan {
			all.Go(func() { prepared[i].Lost, problems[i] = w.faults.Inject(ctx, faults[i]) })
		}
		all.Wait()
		return errors.Join(problems...)
	})
}
