package steps

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// world is one without brokers; what it sees is for the test to say.
func world(t *testing.T) *World {
	t.Helper()
	pool := NewPool(func(context.Context, Need) (*cluster.Cluster, error) { return nil, errors.New("no engine") }, t.Logf)
	pool.Add(Need{}, &cluster.Cluster{})
	w := newWorld(&Suite{Clusters: pool, Dir: t.TempDir(), Print: t.Logf})
	w.cluster = &cluster.Cluster{}
	w.agree = time.Second // of fakes, which tell the same from the start or never
	w.look = func(context.Context) (cluster.View, error) { return cluster.View{}, errors.New("no broker answers") }
	return w
}

// run runs sentences in this world as godog would, without hooks, and returns what the first failing one said.
func run(w *World, lines ...string) error {
	var failure error
	status := godog.TestSuite{
		Options: &godog.Options{Format: "progress", Output: io.Discard, Strict: true, FeatureContents: []godog.Feature{
			{Name: "test.feature", Contents: []byte("Feature: f\n  Scenario: s\n    " + strings.Join(lines, "\n    ") + "\n")},
		}},
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			w.teach(&sentences{sc: sc})
			sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
				failure = err
				return ctx, nil
			})
		},
	}.Run()
	if failure == nil && status != 0 {
		return errors.New("godog ended without a word")
	}
	return failure
}

func TestWorldTopics(t *testing.T) {
	w := world(t)
	w.suffix = "-07"
	_, err := w.topicInUse()
	require.ErrorContains(t, err, "no topic yet; begin with")
	first := w.use("a", w.spec("a", 12, 3, 2))
	assert.Equal(t, "a-07", first.spec.Name, "unique within the run")
	second := w.use("b", w.spec("b", 6, 3, 2))
	current, err := w.topicInUse()
	require.NoError(t, err)
	assert.Same(t, second, current, "the one named last")
	assert.Same(t, first, w.use("a", w.spec("a", 1, 1, 1)), "named again, it is the same")
	assert.EqualValues(t, 12, first.spec.Partitions, "what somebody wants of it changes nothing")
	found, err := w.named("b")
	require.NoError(t, err)
	assert.Same(t, second, found)
	_, err = w.named("c")
	require.ErrorContains(t, err, `no topic "c"`)
}

func TestSuiteNumbersScenarios(t *testing.T) {
	s := &Suite{Dir: t.TempDir()}
	assert.Equal(t, []int{1, 2}, []int{s.next(), s.next()})
	dir, err := s.folder(2, "A broker is lost")
	require.NoError(t, err)
	assert.Equal(t, "02-a-broker-is-lost", filepath.Base(dir))
	assert.DirExists(t, dir)
	s.note(Spent{Scenario: "x", Total: 10 * time.Second, Kafka: 3 * time.Second, Traffic: 2 * time.Second})
	require.Len(t, s.Spent(), 1)
	assert.Equal(t, 5*time.Second, s.Spent()[0].Rest())
}

func TestHooks(t *testing.T) {
	t.Run("a cluster that cannot be brought back, fails the scenario and leaves evidence", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := world(t)
			failure := w.before(t.Context(), &godog.Scenario{Name: "a scenario"})
			require.ErrorContains(t, failure, "three brokers ready")
			_, problems := w.after(t.Context(), failure)
			require.NoError(t, problems, "nothing is to be brought back")
			text, err := os.ReadFile(filepath.Join(w.dir, "failure.txt"))
			require.NoError(t, err)
			assert.Contains(t, string(text), "three brokers ready")
			require.Len(t, w.suite.Spent(), 1)
			assert.True(t, w.suite.Spent()[0].Failed)
		})
	})
	t.Run("steps that hold and a cluster that does not come back, leave evidence as well", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := world(t)
			w.dir, w.whole = t.TempDir(), true
			_, problems := w.after(t.Context(), nil)
			require.Error(t, problems)
			text, err := os.ReadFile(filepath.Join(w.dir, "failure.txt"))
			require.NoError(t, err)
			assert.Contains(t, string(text), "three brokers ready")
			assert.True(t, w.suite.Spent()[0].Failed)
		})
	})
	t.Run("a cluster that cannot be started, fails the scenario and leaves evidence", func(t *testing.T) {
		w := world(t)
		named := &godog.Scenario{Name: "a scenario", Steps: []*messages.PickleStep{{Text: cluster.OneController.String() + inSync}}}
		failure := w.before(t.Context(), named)
		require.EqualError(t, failure, "no engine")
		_, problems := w.after(t.Context(), failure)
		require.NoError(t, problems)
		assert.FileExists(t, filepath.Join(w.dir, "failure.txt"))
		assert.True(t, w.suite.Spent()[0].Failed)
	})
	t.Run("a run that was stopped, begins no scenario and has nothing to mend", func(t *testing.T) {
		stopped := errors.New("the run was stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stopped)
		w := world(t)
		require.ErrorIs(t, w.before(ctx, &godog.Scenario{Name: "a scenario"}), stopped)
		_, problems := w.after(ctx, stopped)
		require.NoError(t, problems)
		assert.Empty(t, w.dir)
	})
}

func TestTimeIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := world(t)
		waits := func(d time.Duration) func() error {
			return func() error {
				<-time.After(d)
				return nil
			}
		}
		require.NoError(t, w.kafka(func() error {
			require.NoError(t, w.sending(waits(time.Second)))
			require.NoError(t, w.kafka(waits(time.Second)))
			return waits(time.Second)()
		}))
		require.NoError(t, w.sending(waits(5*time.Second)))
		broken := errors.New("broken")
		require.ErrorIs(t, w.kafka(func() error { <-time.After(time.Second); return broken }), broken)
		w.spent.Total, w.spent.Start = 20*time.Second, 2*time.Second
		assert.Equal(t, 4*time.Second, w.spent.Kafka)
		assert.Equal(t, 5*time.Second, w.spent.Traffic)
		assert.Equal(t, 9*time.Second, w.spent.Rest())
	})
}
