// Package report keeps the evidence of a failed scenario in a folder of its own, in files that need no tool of ours:
// what failed, the faults, what the brokers told and when, their logs, and beside these the ledger and the log that
// the traffic left. It judges nothing.
package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kafka-ha/fixtures/ledger"
)

// Evidence is what is known of a failed scenario.
type Evidence struct {
	Dir      string // the scenario's folder; it is there already
	Scenario string
	Failure  error
	Faults   []string // a line each
	Timeline string
	Began    time.Time       // logs are kept from here on
	Nodes    map[string]Logs // by name: "broker-1", "controller-101"
}

// Logs is a broker or a controller, as far as the evidence needs it.
type Logs interface {
	// Logs returns what the node has logged since a moment, as much as there is when it returns an error too.
	Logs(ctx context.Context, since time.Time) (string, error)
}

const guide = `# %s

%s

| file | what it is |
| --- | --- |
| failure.txt | the error of the step that failed |
| faults.txt | what was broken, when, and when it came back |
| clocks.txt | how long each loss of a broker was felt, and how long it may be; missing when no broker was lost |
| timeline.txt | what the brokers told of the cluster, each time that it changed |
| broker-N.log, controller-N.log | what each node logged from the beginning of the scenario |
| TOPIC/ledger.ndjson | what was sent and what became of it |
| TOPIC/log.ndjson, verdict.txt | what was read back, and what the recount found; missing when the scenario did not get so far |
| TOPIC/segments.ndjson | what the brokers' own log segments hold of lost records; only when some are lost |
| TOPIC/group-NAME.ndjson, group-NAME.txt | what a consumer group processed and committed, and what was found of it |

Large ledgers and logs are compressed, with .zst behind their names.
`

// Write writes the evidence, as much of it as there is, and compresses what is large; the error says what could not be
// kept. Nobody may write to the ledgers in the scenario's folder any more.
func Write(ctx context.Context, e Evidence) error {
	packed := pack(e.Dir)
	files := map[string]string{
		"index.md":     fmt.Sprintf(guide, e.Scenario, "Began at "+e.Began.Format(time.RFC3339)+".") + rejudgeable(e.Dir),
		"failure.txt":  e.Failure.Error() + "\n",
		"faults.txt":   strings.Join(append(e.Faults, ""), "\n"),
		"timeline.txt": e.Timeline,
	}
	problems := []error{packed}
	for name, n := range e.Nodes {
		logs, err := n.Logs(ctx, e.Began)
		problems = append(problems, err)
		files[name+".log"] = logs
	}
	for name, text := range files {
		problems = append(problems, os.WriteFile(filepath.Join(e.Dir, name), []byte(text), 0o644)) // for everybody to read
	}
	return errors.Join(problems...)
}

// pack compresses the large ledgers and logs of all topics.
func pack(dir string) error {
	ledgers, err := filepath.Glob(filepath.Join(dir, "*", ledger.FileName))
	problems := []error{err}
	for _, file := range ledgers {
		_, err := ledger.Pack(filepath.Dir(file), ledger.PackAbove)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// rejudgeable says how to judge again what was read back, for each topic of which something was.
func rejudgeable(dir string) string {
	logs, err := filepath.Glob(filepath.Join(dir, "*", ledger.LogFileName+"*")) // packed or not
	if err != nil || len(logs) == 0 {
		return ""
	}
	text := "\nJudge the records again, without a cluster:\n\n"
	for i, log := range logs {
		if i == 0 || filepath.Dir(log) != filepath.Dir(logs[i-1]) {
			text += "    make rejudge DIR=" + filepath.Dir(log) + "\n"
		}
	}
	return text
}

// Discard removes the folder of a scenario that held.
func Discard(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}
