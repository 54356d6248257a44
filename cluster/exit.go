package cluster

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// lastLines is how much of an exited broker's log its error quotes.
const lastLines = 12

// Exit codes of a process that a signal ended, and of a JVM that ran its shutdown hooks upon SIGTERM.
const (
	killed     = 137
	terminated = 143
)

// exited is a broker that is meant to run and does not, with the cause as far as it shows. No wait can mend it.
type exited struct{ what string }

func (e *exited) Error() string { return e.what }

func exitedf(format string, args ...any) error { return &exited{fmt.Sprintf(format, args...)} }

// unexpectedExit returns an error when the broker is meant to run and does not.
func (b *Broker) unexpectedExit(ctx context.Context) error {
	if !b.isWanted() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	state, err := b.state(ctx)
	if err != nil || state.Running || state.Status == "created" {
		return nil //nolint:nilerr // an engine that does not answer is no sign of an exit
	}
	logs, err := b.Logs(ctx, time.Time{})
	if err != nil {
		logs = err.Error()
	}
	switch {
	case state.OOMKilled:
		return exitedf("%s was killed for memory (exit code %d); give it more or run fewer things beside it", b, state.ExitCode)
	case strings.Contains(logs, "No space left on device"):
		return exitedf("%s exited (code %d): its disk is full; free space and run again. Its last log lines:\n%s",
			b, state.ExitCode, tail(logs, 5))
	}
	what := "exited by itself"
	switch state.ExitCode {
	case killed:
		what = "was killed, and not by the suite"
	case terminated:
		what = "was shut down, and not by the suite"
	}
	return exitedf("%s %s (code %d); mend what its last log lines complain of, if they do:\n%s",
		b, what, state.ExitCode, tail(logs, lastLines))
}

// frame is a line of a Java stack trace that names no cause.
var frame = regexp.MustCompile(`^\s+(at |\.\.\. \d+ (more|common frames))`)

// tail returns the last lines of a log without the frames of stack traces, which would push out what they are about.
func tail(text string, lines int) string {
	var kept []string
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		if line = strings.TrimRight(line, "\r\n"); !frame.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return "    " + strings.Join(kept[max(len(kept)-lines, 0):], "\n    ")
}
