package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cucumber/godog"

	"kafka-ha/cluster"
	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
	"kafka-ha/steps"
)

// Run runs the selected features as subtests of t. Whatever is wrong ends as a failure of t with one clear line.
func Run(t *testing.T, s Settings) {
	t.Helper()
	if s.Godog.ShowStepDefinitions {
		for _, sentence := range steps.Sentences() {
			printLine(sentence.String())
		}
		printLine("Legend:\n" + steps.Legend)
		return
	}
	began := time.Now()
	p, err := prepare(&s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := lifetime(t)
	defer stop()
	err = onClusters(ctx, t, &s, p, began)
	if err == nil {
		err = context.Cause(ctx) // a run that was stopped is no pass, whatever its scenarios came to
	}
	if err != nil {
		t.Fatal(why(ctx, err))
	}
}

// why puts the reason for which a run was stopped before what that led to, and leaves out what only repeats it.
func why(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		return err
	}
	if rest := beside(err, cause); rest != nil {
		return fmt.Errorf("%w; then: %w", cause, rest)
	}
	return cause
}

// beside returns what is in joined errors besides those of work that was cut short: a removal that failed must be told.
func beside(err, cause error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if _, cut := err.(*wait.Error); ok && !cut { //nolint:errorlint // the same
		var rest []error
		for _, one := range joined.Unwrap() {
			rest = append(rest, beside(one, cause))
		}
		return errors.Join(rest...)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, cause) {
		return nil
	}
	return err
}

// plan is what is known of a run before anything starts.
type plan struct {
	scenarios int
	first     steps.Need // the cluster to start with
	overlay   cluster.Overlay
}

// prepare checks all that can be checked before anything starts.
func prepare(s *Settings) (p plan, err error) {
	if err := s.FromEnvironment(); err != nil {
		return p, err
	}
	if p.scenarios, err = preflight(s, steps.Rehearse); err != nil {
		return p, err
	}
	if p.first, err = mostNeeded(s.Godog.Paths, s.Godog.Tags); err != nil {
		return p, err
	}
	if err := os.MkdirAll(s.Reports, 0o755); err != nil { // evidence is for everybody to read
		return p, fmt.Errorf("KAFKA_HA_REPORT_DIR: %w; name a folder that can be written to", err)
	}
	p.overlay, err = cluster.ReadOverlay(s.Overlay)
	return p, err
}

// lifetime ends with Ctrl-C, with SIGTERM, with the death of the process that started this one (go test, killed), or
// shortly before go test's own -timeout.
func lifetime(t *testing.T) (context.Context, func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case sig := <-signals:
			printLine(fmt.Sprintf("%s: removing all that was started", sig))
			cancel(fmt.Errorf("the run was stopped (%s)", sig))
		case <-ctx.Done():
		}
	}()
	parent := os.Getppid()
	go wait.Watch(ctx, time.Second, func(context.Context) {
		if os.Getppid() != parent {
			cancel(errors.New("the run was stopped (the process that started it is gone)"))
		}
	})
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	if deadline, ok := t.Deadline(); ok {
		timer = time.AfterFunc(time.Until(deadline)-reserve, func() {
			cancel(errors.New("go test's -timeout is near; give it more, for example -timeout 30m"))
		})
	}
	return ctx, func() {
		signal.Stop(signals)
		timer.Stop()
		cancel(nil)
	}
}

// onClusters begins a session, starts the first cluster, runs the features on it and on what others they need, and removes
// them all.
func onClusters(ctx context.Context, t *testing.T, s *Settings, p plan, began time.Time) (err error) {
	t.Helper()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	session, err := engine.Begin(ctx, s.Keep, printLine)
	if err != nil {
		return err
	}
	keep := false
	defer func() { err = errors.Join(err, session.End(context.WithoutCancel(ctx), keep)) }()
	if left := leftOut(s); left > 0 {
		printLine(fmt.Sprintf("%d scenarios tagged %s are left out; make full runs them too", left, s.Long))
	}
	if deadline, ok := t.Deadline(); ok && !picking() {
		if warning := tooLong(p.scenarios, time.Until(deadline)); warning != "" {
			printLine(warning)
		}
	}
	pool := steps.NewPool(starter(session, p.overlay), printf)
	if _, err := pool.Acquire(ctx, p.first); err != nil {
		return err
	}
	suite := &steps.Suite{Clusters: pool, Dir: filepath.Join(s.Reports, session.Run.ID), Keep: s.Keep, Print: printf}
	err = runFeatures(ctx, t, s, suite, p.scenarios)
	starts, starting := pool.Started()
	printLine(summary(suite.Spent(), starts, starting, time.Since(began)))
	if (err != nil || t.Failed()) && s.Keep {
		last, some, closed := pool.CloseOthers(context.WithoutCancel(ctx))
		if keep = some; keep {
			printLine(last.HowToReach())
		}
		return errors.Join(err, closed)
	}
	return errors.Join(err, pool.Close(context.WithoutCancel(ctx)))
}

// starter starts clusters of a session. The first one is described at length, which is the head of the run; of others it
// prints a line.
func starter(session *engine.Session, overlay cluster.Overlay) func(context.Context, steps.Need) (*cluster.Cluster, error) {
	first := true
	return func(ctx context.Context, need steps.Need) (*cluster.Cluster, error) {
		if first {
			printLine(fmt.Sprintf("starting %s, run %s", need.Topology, session.Run.ID))
		}
		c, err := cluster.Start(ctx, cluster.On(session), cluster.WithOverlay(overlay), cluster.WithProgress(printLine),
			cluster.WithTopology(need.Topology), cluster.WithSettings(need.Settings))
		if err != nil {
			return nil, err
		}
		if first {
			printLine(c.Head.String())
		} else {
			printLine(fmt.Sprintf("started %s in %.1f s; %s", need, c.Head.Took.Seconds(), c.Head.Memory))
		}
		first = false
		return c, nil
	}
}

// RunOn runs the selected features against the suite's clusters, which the caller started and will remove.
func RunOn(ctx context.Context, t *testing.T, s Settings, suite *steps.Suite) error {
	t.Helper()
	p, err := prepare(&s)
	if err != nil {
		return err
	}
	return runFeatures(ctx, t, &s, suite, p.scenarios)
}

// runFeatures runs godog and distrusts its status.
func runFeatures(ctx context.Context, t *testing.T, s *Settings, suite *steps.Suite, scenarios int) error {
	t.Helper()
	if err := os.MkdirAll(suite.Dir, 0o755); err != nil { // evidence is for everybody to read
		return fmt.Errorf("report folder: %w", err)
	}
	options := s.Godog
	options.TestingT = t
	options.DefaultContext = ctx
	output := &plainSteps{to: os.Stdout}
	options.Output = output
	options.StopOnFailure = options.StopOnFailure || s.Keep // what is kept is the cluster as the failure left it
	results := resultsOf(&options)
	for _, name := range results {
		format, _, _ := strings.Cut(name, ".")
		options.Format += "," + format + ":" + filepath.Join(suite.Dir, name)
	}
	err := guarded(&options, scenarios, func(sc *godog.ScenarioContext) { steps.Initialize(sc, suite) })
	return errors.Join(err, output.Close(), publish(suite.Dir, s.Reports, results))
}

func printLine(line string) { fmt.Println(line) }

func printf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
