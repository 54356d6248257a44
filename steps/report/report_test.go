package report_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/steps/report"
)

type broker struct {
	logs string
	err  error
	from *time.Time
}

func (b broker) Logs(_ context.Context, since time.Time) (string, error) {
	if b.from != nil {
		*b.from = since
	}
	return b.logs, b.err
}

func text(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(content)
}

func TestWrite(t *testing.T) {
	began := time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)
	evidence := func(dir string) report.Evidence {
		return report.Evidence{
			Dir: dir, Scenario: "a broker is lost", Failure: errors.New("wanted: [2 3]; seen: [1 2 3]"), Timeline: "cluster at 17:00:01",
			Faults: []string{"broker 1 lost by hard kill", "broker 2 lost by hard kill"}, Began: began,
		}
	}
	t.Run("failed scenario, keeps what failed, faults, timeline and a guide", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, report.Write(t.Context(), evidence(dir)))
		assert.Equal(t, "wanted: [2 3]; seen: [1 2 3]\n", text(t, dir, "failure.txt"))
		assert.Equal(t, "broker 1 lost by hard kill\nbroker 2 lost by hard kill\n", text(t, dir, "faults.txt"))
		assert.Equal(t, "cluster at 17:00:01", text(t, dir, "timeline.txt"))
		guide := text(t, dir, "index.md")
		for _, want := range []string{"# a broker is lost", "Began at 2026-11-29T17:00:00Z.", "failure.txt"} {
			assert.Contains(t, guide, want)
		}
		assert.NotContains(t, guide, "rejudge", "nothing was read back")
	})
	t.Run("records read back, the guide says how to judge them again", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "orders"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "orders", "log.ndjson"), nil, 0o644))
		require.NoError(t, report.Write(t.Context(), evidence(dir)))
		assert.Contains(t, text(t, dir, "index.md"), "make rejudge DIR="+filepath.Join(dir, "orders"))
	})
	t.Run("records read back, too many to keep as they are, are compressed", func(t *testing.T) {
		dir := t.TempDir()
		topic := filepath.Join(dir, "orders")
		require.NoError(t, os.Mkdir(topic, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(topic, "ledger.ndjson"), nil, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(topic, "log.ndjson"), make([]byte, ledger.PackAbove+1), 0o644))
		require.NoError(t, report.Write(t.Context(), evidence(dir)))
		assert.FileExists(t, filepath.Join(topic, "ledger.ndjson"))
		assert.FileExists(t, filepath.Join(topic, "log.ndjson.zst"))
		assert.NoFileExists(t, filepath.Join(topic, "log.ndjson"))
		assert.Contains(t, text(t, dir, "index.md"), "make rejudge DIR="+topic+"\n")
	})
	t.Run("brokers, with logs, are kept from the beginning of the scenario on", func(t *testing.T) {
		dir, e := t.TempDir(), time.Time{}
		with := evidence(dir)
		with.Brokers = map[int]report.Logs{1: broker{logs: "one"}, 3: broker{logs: "three", from: &e}}
		require.NoError(t, report.Write(t.Context(), with))
		assert.Equal(t, "one", text(t, dir, "broker-1.log"))
		assert.Equal(t, "three", text(t, dir, "broker-3.log"))
		assert.Equal(t, began, e)
	})
	t.Run("one broker, whose logs end early, is told and the rest is kept", func(t *testing.T) {
		dir, gone := t.TempDir(), errors.New("engine is gone")
		with := evidence(dir)
		with.Brokers = map[int]report.Logs{1: broker{logs: "half", err: gone}, 2: broker{logs: "two"}}
		require.ErrorIs(t, report.Write(t.Context(), with), gone)
		assert.Equal(t, "half", text(t, dir, "broker-1.log"))
		assert.Equal(t, "two", text(t, dir, "broker-2.log"))
		assert.NotEmpty(t, text(t, dir, "failure.txt"))
	})
	t.Run("folder, not there, is told for every file", func(t *testing.T) {
		err := report.Write(t.Context(), evidence(filepath.Join(t.TempDir(), "none")))
		for _, name := range []string{"index.md", "failure.txt", "faults.txt", "timeline.txt"} {
			require.ErrorContains(t, err, name)
		}
	})
}

func TestDiscard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "01-scenario")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "telemetry"), 0o755))
	require.NoError(t, report.Discard(dir))
	assert.NoDirExists(t, dir)
	require.NoError(t, report.Discard(dir), "gone already")
}
