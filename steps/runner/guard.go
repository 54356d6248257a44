package runner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
)

// guarded runs the selected scenarios and returns nil only when each of them was run and passed.
func guarded(options *godog.Options, scenarios int, initialize func(*godog.ScenarioContext)) error {
	g := &guard{}
	status := godog.TestSuite{
		Name: "kafka-ha", Options: options,
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			initialize(sc)
			g.watch(sc)
		},
	}.Run()
	return g.verdict(status, scenarios, picking())
}

// guard counts for itself what godog ran, because godog's own status does not tell everything: it is 0 for a failing
// run under the format "events", and a skipped scenario counts as passed.
type guard struct {
	offered, begun, ended, failed int
	skipped                       []string
}

// watch is called by godog for each scenario that it comes to; those that go test's -run or -skip leaves out do not
// begin. It comes after all other hooks are registered: godog calls After hooks in that order and tells each what the
// ones before it found, and its own status does not show a failing hook under every format.
func (g *guard) watch(sc *godog.ScenarioContext) {
	g.offered++
	failing, skipping := false, false
	sc.Before(func(ctx context.Context, _ *godog.Scenario) (context.Context, error) {
		g.begun++
		return ctx, nil
	})
	sc.StepContext().After(func(ctx context.Context, step *godog.Step, status godog.StepResultStatus, _ error) (context.Context, error) {
		if status == godog.StepSkipped && !failing {
			g.skipped = append(g.skipped, step.Text)
			skipping = true
		}
		failing = failing || status != godog.StepPassed
		return ctx, nil
	})
	sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		g.ended++
		if err != nil && (!skipping || !errors.Is(err, godog.ErrSkip)) { // told as skipped
			g.failed++
		}
		return ctx, nil
	})
}

// verdict is nil only when every selected scenario was begun, ended and passed, and godog says so too. With picked,
// go test's own flags chose among the selected scenarios, at least one.
func (g *guard) verdict(status, scenarios int, picked bool) error {
	switch {
	case g.failed > 0:
		return fmt.Errorf("%d of %d scenarios failed", g.failed, scenarios)
	case len(g.skipped) > 0:
		return fmt.Errorf("step %q was skipped (%d in all); a scenario that is not run proves nothing", g.skipped[0], len(g.skipped))
	case picked && g.begun == 0:
		return errPickedNone
	case g.offered != scenarios || g.ended != g.begun || g.begun != scenarios && !picked:
		return fmt.Errorf("of %d selected scenarios %d began and %d ended", scenarios, g.begun, g.ended)
	case status != 0:
		return fmt.Errorf("godog ended with status %d", status)
	}
	return nil
}

var errPickedNone = errors.New("-run or -skip leaves none of the selected scenarios; correct the name: TestFeatures/, " +
	"then the scenario's name with _ for each space")

// picking reports that go test's own flags choose among the scenarios.
func picking() bool {
	value := func(name string) string {
		if f := flag.Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	return strings.Contains(value("test.run"), "/") || value("test.skip") != ""
}
