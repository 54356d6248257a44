package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"kafka-ha/steps/report"
)

// cleanWithin bounds what the After hook does, on a context of its own: the scenario's may be what has ended. Brokers
// that come back one after the other are the longest part.
const cleanWithin = 3 * time.Minute

func (w *World) hook(sc *godog.ScenarioContext) {
	sc.Before(func(ctx context.Context, sc *godog.Scenario) (context.Context, error) {
		return ctx, w.before(ctx, sc)
	})
	sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		return w.after(ctx, err)
	})
}

// before sees to it that the scenario begins with a healthy cluster of the kind that its steps name.
func (w *World) before(ctx context.Context, scenario *godog.Scenario) error {
	w.began, w.name = time.Now(), scenario.Name
	if ctx.Err() != nil {
		return fmt.Errorf("not begun: %w", context.Cause(ctx))
	}
	number := w.suite.next()
	w.suffix = fmt.Sprintf("-%02d", number)
	var err error
	if w.dir, err = w.suite.folder(number, w.name); err != nil {
		return err
	}
	if w.need, err = NeedOf(scenario); err != nil {
		return err
	}
	_, before := w.suite.Clusters.Started()
	w.cluster, err = w.suite.Clusters.Acquire(ctx, w.need)
	_, after := w.suite.Clusters.Started()
	w.spent.Start = after - before
	if err != nil {
		return err
	}
	w.whole = true
	w.timeline = w.cluster.Record(context.WithoutCancel(ctx))
	return nil
}

// after ends the scenario's traffic, keeps the evidence of a failure, heals every fault and removes the topics.
func (w *World) after(ctx context.Context, failure error) (context.Context, error) {
	if w.dir == "" {
		return ctx, nil // the Before hook did not come so far
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanWithin)
	defer cancel()
	w.ended = time.Now()
	w.stopInitialiser()
	problems := w.stopTraffic(clean)
	w.timeline.Stop()
	w.keepClocks(clean, failure != nil)
	if failure != nil { // before anything is mended
		ctx = w.keep(clean, ctx, failure)
	}
	stopped := ctx.Err() != nil // Ctrl-C: the cluster goes as a whole, and somebody waits for that
	if w.whole && !stopped && (failure == nil || !w.suite.Keep) {
		problems = errors.Join(problems, w.restore(clean))
	}
	switch {
	case failure == nil && problems == nil:
		problems = report.Discard(w.dir)
	case failure == nil: // the steps held and the end did not
		ctx = w.keep(clean, ctx, problems)
	}
	w.spent.Scenario, w.spent.Total, w.spent.Failed = w.name, time.Since(w.began), failure != nil || problems != nil
	w.suite.note(w.spent)
	return ctx, problems
}

// restore heals every fault and removes the scenario's topics. A cluster whose quorum has other members than it began with
// is given up instead.
func (w *World) restore(ctx context.Context) error {
	if w.cluster.Altered() {
		unasked := w.cluster.Unasked(ctx)
		return errors.Join(unasked, w.suite.Clusters.Discard(ctx, w.need, "the members of its quorum were changed"))
	}
	return w.kafka(func() error {
		return errors.Join(w.faults.HealAll(ctx), w.restoreThrottles(ctx), w.cluster.Reset(ctx))
	})
}

// keep writes the evidence and returns the context with what is attached to the results.
func (w *World) keep(clean, ctx context.Context, failure error) context.Context {
	if kept := report.Write(clean, w.evidence(failure)); kept != nil {
		w.suite.Print("evidence: %v", kept)
	}
	w.suite.Print("evidence of this failure: %s", w.dir)
	return godog.Attach(ctx, w.attachments()...)
}

func (w *World) stopTraffic(ctx context.Context) error {
	problems := []error{w.groups.stop(ctx)}
	for _, t := range w.topics {
		for _, p := range t.producers() {
			_, err := p.Stop(ctx)
			problems = append(problems, err)
		}
		if t.ledger != nil {
			problems = append(problems, t.ledger.Close())
		}
	}
	return errors.Join(problems...)
}

func (w *World) evidence(failure error) report.Evidence {
	evidence := report.Evidence{
		Dir: w.dir, Scenario: w.name, Failure: failure, Timeline: w.timeline.String(), Began: w.began, Nodes: map[string]report.Logs{},
	}
	if w.cluster != nil {
		for _, n := range w.cluster.Nodes() {
			evidence.Nodes[strings.ReplaceAll(n.String(), " ", "-")] = n
		}
	}
	for _, l := range w.faults.All() {
		evidence.Faults = append(evidence.Faults, l.String())
	}
	return evidence
}

func (w *World) attachments() []godog.Attachment {
	var attached []godog.Attachment
	for _, t := range w.topics {
		if t.verdict != nil {
			attached = append(attached, textFile("verdict.txt", t.verdict))
		}
	}
	for _, g := range w.groups.all {
		if g.delivery != nil {
			attached = append(attached, textFile("group-"+g.called+".txt", g.delivery))
		}
	}
	return append(attached, textFile("timeline.txt", w.timeline))
}

func textFile(name string, content fmt.Stringer) godog.Attachment {
	return godog.Attachment{Body: []byte(content.String()), FileName: name, MediaType: "text/plain"}
}
