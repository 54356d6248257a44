package runner

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/cucumber/godog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/steps"
)

const two = "Feature: f\n  Scenario: sound\n    Given a sound step\n  Scenario: under test\n    Given a sound step\n    When the step\n    Then a sound step\n"

// with registers a step that does something, beside one that holds.
func with(step any) func(*godog.ScenarioContext) {
	return func(sc *godog.ScenarioContext) {
		sc.Step(`^a sound step$`, func() {})
		if step != nil {
			sc.Step(`^the step$`, step)
		}
	}
}

func TestGuarded(t *testing.T) {
	broken := errors.New("broken")
	hooked := func(hook func(*godog.ScenarioContext)) func(*godog.ScenarioContext) {
		return func(sc *godog.ScenarioContext) {
			with(func() {})(sc)
			hook(sc)
		}
	}
	before := func(err error) func(*godog.ScenarioContext) {
		return hooked(func(sc *godog.ScenarioContext) {
			sc.Before(func(ctx context.Context, s *godog.Scenario) (context.Context, error) {
				if s.Name == "sound" {
					return ctx, nil
				}
				return ctx, err
			})
		})
	}
	after := func(err error) func(*godog.ScenarioContext) {
		return hooked(func(sc *godog.ScenarioContext) {
			sc.After(func(ctx context.Context, s *godog.Scenario, _ error) (context.Context, error) {
				if s.Name == "sound" {
					return ctx, nil
				}
				return ctx, err
			})
		})
	}
	for name, c := range map[string]struct {
		initialize func(*godog.ScenarioContext)
		scenarios  int
		err        string
	}{
		"run, all pass, is good":                      {with(func() {}), 2, ""},
		"run, fewer scenarios than selected, is bad":  {with(func() {}), 3, "of 3 selected scenarios 2 began and 2 ended"},
		"run, more scenarios than selected, is bad":   {with(func() {}), 1, "of 1 selected scenarios 2 began and 2 ended"},
		"step, fails, is bad":                         {with(func() error { return broken }), 2, "1 of 2 scenarios failed"},
		"step, skips by ErrSkip, is bad":              {with(func() error { return godog.ErrSkip }), 2, `step "the step" was skipped (1 in all)`},
		"step, skips by T, is bad":                    {with(func(ctx context.Context) { godog.T(ctx).Skip("no") }), 2, `step "the step" was skipped (1 in all)`},
		"step, skips now by T, is bad":                {with(func(ctx context.Context) { godog.T(ctx).SkipNow() }), 2, `step "the step" was skipped (1 in all)`},
		"step, fails by T, is bad":                    {with(func(ctx context.Context) { godog.T(ctx).Errorf("no") }), 2, "1 of 2 scenarios failed"},
		"step, pending, is bad":                       {with(func() error { return godog.ErrPending }), 2, "1 of 2 scenarios failed"},
		"step, undefined, is bad":                     {with(nil), 2, "1 of 2 scenarios failed"},
		"step, panics, is bad":                        {with(func() { panic("no") }), 2, "1 of 2 scenarios failed"},
		"Before hook, fails, is bad":                  {before(broken), 2, "1 of 2 scenarios failed"},
		"Before hook, skips, is bad":                  {before(godog.ErrSkip), 2, `step "a sound step" was skipped`},
		"After hook, fails after sound steps, is bad": {after(broken), 2, "1 of 2 scenarios failed"},
		"After hook, skips, is bad":                   {after(godog.ErrSkip), 2, "1 of 2 scenarios failed"},
		"hook before a step, skips, is bad": {hooked(func(sc *godog.ScenarioContext) {
			sc.StepContext().Before(func(ctx context.Context, s *godog.Step) (context.Context, error) {
				if s.Text == "the step" {
					return ctx, godog.ErrSkip
				}
				return ctx, nil
			})
		}), 2, "was skipped"},
	} {
		for _, format := range []string{"pretty", "progress", "junit", "cucumber", "events"} {
			t.Run(name+", under "+format, func(t *testing.T) {
				err := guarded(options(t, format), c.scenarios, c.initialize)
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.err)
				}
			})
		}
	}
	t.Run("run, nothing selected, is bad", func(t *testing.T) {
		o := options(t, "progress")
		o.Tags = "@none"
		require.ErrorContains(t, guarded(o, 2, with(func() {})), "of 2 selected scenarios 0 began")
	})
	// No comma in the name, which the folder has too: to godog it would end the path.
	t.Run("results that godog cannot write are bad", func(t *testing.T) {
		o := options(t, "junit:"+filepath.Join(t.TempDir(), "none", "x.xml"))
		require.Error(t, guarded(o, 2, with(func() {})))
		require.NotContains(t, o.Format, ",")
	})
	t.Run("run, stops at the first failure, is bad", func(t *testing.T) {
		o := options(t, "progress")
		o.StopOnFailure = true
		require.Error(t, guarded(o, 2, func(sc *godog.ScenarioContext) { sc.Step(`^a sound step$`, func() error { return broken }) }))
	})
}

func options(t *testing.T, format string) *godog.Options {
	t.Helper()
	file := filepath.Join(t.TempDir(), "two.feature")
	write(t, file, two)
	return &godog.Options{Format: format, Output: io.Discard, Strict: true, NoColors: true, Paths: []string{file}}
}

func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		g      guard
		status int
		picked bool
		err    string
	}{
		"all counts right and status 0, is nil":        {g: guard{offered: 2, begun: 2, ended: 2}},
		"all counts right and another status, is not":  {guard{offered: 2, begun: 2, ended: 2}, 1, false, "godog ended with status 1"},
		"bad options, is not":                          {guard{}, 2, false, "of 2 selected scenarios 0 began and 0 ended"},
		"one began and never ended, is not":            {guard{offered: 2, begun: 2, ended: 1}, 0, false, "of 2 selected scenarios 2 began and 1 ended"},
		"one was offered and never began, is not":      {guard{offered: 2, begun: 1, ended: 1}, 0, false, "of 2 selected scenarios 1 began"},
		"one was left out by -run, is nil":             {guard{offered: 2, begun: 1, ended: 1}, 0, true, ""},
		"all were left out by -run, is not":            {guard{offered: 2}, 0, true, "leaves none of the selected scenarios"},
		"one was not even offered under -run, is not":  {guard{offered: 1, begun: 1, ended: 1}, 0, true, "of 2 selected scenarios 1 began"},
		"a failure that godog does not report, is not": {guard{offered: 2, begun: 2, ended: 2, failed: 1}, 0, false, "1 of 2 scenarios failed"},
		"a skip that godog counts as passed, is not":   {guard{offered: 2, begun: 2, ended: 2, skipped: []string{"a", "b"}}, 0, false, `step "a" was skipped (2 in all)`},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.g.verdict(c.status, 2, c.picked)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	spent := []steps.Spent{
		{Scenario: "a broker is lost", Total: 30 * time.Second, Start: 10 * time.Second, Kafka: 12 * time.Second, Traffic: 5 * time.Second},
		{Scenario: "a topic is made", Total: 2 * time.Second, Kafka: 1500 * time.Millisecond},
		{Scenario: "a recount", Total: 8 * time.Second, Kafka: 1 * time.Second, Traffic: 6 * time.Second, Failed: true},
	}
	assert.Equal(t, ""+
		"  seconds  start  Kafka  records  suite  scenario\n"+
		"     30.0   10.0   12.0      5.0    3.0  a broker is lost\n"+
		"      2.0    0.0    1.5      0.0    0.5  a topic is made\n"+
		"      8.0    0.0    1.0      6.0    1.0  a recount  FAILED\n"+
		"total 55.0s: starting clusters (2) 20.0s, waits on Kafka 14.5s, sending and reading records 11.0s, rest 9.5s (median of a scenario 1.0s)",
		summary(spent, 2, 20*time.Second, 55*time.Second))
	assert.Contains(t, summary(nil, 1, time.Second, 2*time.Second), "total 2.0s: starting clusters (1) 1.0s, waits on Kafka 0.0s, sending and reading records 0.0s, rest 1.0s (median of a scenario 0.0s)")
	assert.Equal(t, 2*time.Second, median([]time.Duration{3 * time.Second, time.Second, 2 * time.Second}))
}

func TestPublish(t *testing.T) {
	run, reports := t.TempDir(), t.TempDir()
	both := resultsOf(&godog.Options{})
	write(t, filepath.Join(run, "junit.xml"), "<x/>")
	require.ErrorContains(t, publish(run, reports, both), "cucumber.json")
	write(t, filepath.Join(run, "cucumber.json"), "[]")
	require.NoError(t, publish(run, reports, both))
	assert.FileExists(t, filepath.Join(reports, "junit.xml"))
	assert.FileExists(t, filepath.Join(reports, "cucumber.json"))

	require.NoError(t, publish(run, reports, resultsOf(&godog.Options{StopOnFailure: true})))
	assert.FileExists(t, filepath.Join(reports, "junit.xml"))
	assert.NoFileExists(t, filepath.Join(reports, "cucumber.json"), "those of an earlier run")
}
