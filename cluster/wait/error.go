package wait

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error says what was waited for and what was seen instead.
type Error struct {
	What    string        // the wanted state, in words
	Last    string        // what the last look that could see saw; empty when none could
	Looks   int           // how many looks were taken
	Within  time.Duration // the bound (Until) or the period (Stays)
	Elapsed time.Duration // how long it took to end
	Err     error         // why the last look could not see, or the final error; nil when it saw the wrong state
	Cause   error         // why the wait itself was cut short (a cancelled run); nil when the bound passed
	stays   bool
}

// Error has one line for the wanted state and, when the last state seen has more than one line, a block for it.
func (e *Error) Error() string {
	var b strings.Builder
	verb := "wanted"
	if e.stays {
		verb = fmt.Sprintf("wanted for %s", e.Within.Round(10*time.Millisecond))
	}
	fmt.Fprintf(&b, "%s: %s; ", verb, e.What)
	switch {
	case e.Last == "":
		b.WriteString("nothing could be seen")
	case strings.Contains(e.Last, "\n"):
		fmt.Fprintf(&b, "last seen:\n%s\n", indent(e.Last))
	default:
		fmt.Fprintf(&b, "last seen: %s", e.Last)
	}
	fmt.Fprintf(&b, " after %s", e.Elapsed.Round(10*time.Millisecond))
	if !e.stays {
		fmt.Fprintf(&b, " of %s", e.Within.Round(10*time.Millisecond))
	}
	fmt.Fprintf(&b, " and %d looks", e.Looks)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, " (cut short: %v)", e.Cause)
	}
	return b.String()
}

// Unwrap gives the error of the last look and the reason for a cut-short wait.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Err, e.Cause} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

func (e *Error) ended(started time.Time, cause error) error {
	e.Elapsed = time.Since(started)
	if cause != nil && !errors.Is(cause, errBound) {
		e.Cause = cause
	}
	return e
}

func indent(block string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(block, "\n"), "\n", "\n    ")
}
