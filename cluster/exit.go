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

// exited is a node that is meant to run and does not, with the cause as far as it shows. No wait can mend it.
type exited struct{ what string }

func (e *exited) Error() string { return e.what }

// unexpectedExit returns an error when the node is meant to run and does not. Of one that was altered an exit may be what
// is waited for: it only makes the cluster unready (see refused).
func (n *Node) unexpectedExit(ctx context.Context) error {
	if !n.isWanted() || !n.Altered().None() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	state, err := n.state(ctx)
	if err != nil || state.Running || state.Status == "created" {
		return nil //nolint:nilerr // an engine that does not answer is no sign of an exit
	}
	logs, err := n.Logs(ctx, time.Time{})
	if err != nil {
		logs = err.Error()
	}
	return &exited{what: describeExit(n, state, logs)}
}

func describeExit(n *Node, state containerState, logs string) string {
	quote := func(what, do string) string {
		return fmt.Sprintf("%s %s (code %d); %s\n%s", n, what, state.ExitCode, do, tail(logs, lastLines))
	}
	if complaints := complaints(logs); complaints != "" && !state.OOMKilled && state.ExitCode != killed && state.ExitCode != terminated {
		logs = complaints // its other threads may have gone on and pushed them out
	}
	switch {
	case state.OOMKilled:
		return fmt.Sprintf("%s was killed for memory (exit code %d); give it more or run fewer things beside it", n, state.ExitCode)
	case strings.Contains(logs, "No space left on device"):
		return quote("exited, its disk is full", "free space and run again. Its last log lines:")
	case state.ExitCode == killed:
		return quote("was killed, and not by the suite", "see who did. Its last log lines:")
	case state.ExitCode == terminated:
		return quote("was shut down, and not by the suite", "see who did. Its last log lines:")
	}
	return quote("exited by itself", "mend what its last log lines complain of:")
}

// unexpected returns an error when the node is not as the suite left it: it exited, runs in another life or is paused.
func (n *Node) unexpected(ctx context.Context, state containerState) error {
	switch {
	case state.Paused:
		return n.unexpectedPause()
	case state.Running:
		return n.unexpectedLife(state)
	}
	return n.unexpectedExit(ctx)
}

// begin notes the life that the suite has just given the node.
func (n *Node) begin(ctx context.Context) error {
	state, err := n.state(ctx)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.life = state.StartedAt
	return nil
}

// unexpectedLife returns an error when the node runs in a life that the suite did not give it: it was restarted behind
// the suite's back, and what was seen of the cluster meanwhile may have come from that. It is told once.
func (n *Node) unexpectedLife(state containerState) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.life == "" || state.StartedAt == n.life {
		return nil
	}
	before := n.life
	n.life = state.StartedAt
	return &exited{fmt.Sprintf("%s was restarted, and not by the suite: it runs since %s, the suite started it at %s",
		n, state.StartedAt, before)}
}

// complaint is a line of a node's log in which it complains: an error, an exception or what caused one.
var complaint = regexp.MustCompile(`^\[[^\]]*\] (ERROR|FATAL) |^Caused by: |^[\w.$]+(Exception|Error)(: |$)|No space left on device`)

// complaints returns these lines of a log.
func complaints(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if complaint.MatchString(line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
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
