package clock

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// Reading is one clock of a loss against its budget.
type Reading struct {
	Clock    string        // what was timed, in words
	Where    string        // the partition that took longest; empty for the cluster as a whole
	Since    string        // what it counts from: "the loss", or a duration of its own has none
	Stopped  bool          // false: what was timed has not come about
	Took     time.Duration // until now, if it has not stopped
	Budget   Budget
	Settings Settings // in force
}

// Over reports that the budget does not cover what was measured. What has not come about yet is over only when its
// budget has passed.
func (r Reading) Over() bool { return r.Took > r.Budget.Total() }

// Err is nil for a clock that stopped within its budget. The error says what was measured, the budget by its terms, and
// which settings in force are not Kafka's defaults.
func (r Reading) Err() error {
	if r.Stopped && !r.Over() {
		return nil
	}
	text := fmt.Sprintf("wanted: %s within %s = %s; seen: %s", r.name(), short(r.Budget.Total()), r.Budget, r.measured())
	if changed := r.Settings.Changed(); changed != "" {
		text += "; in force: " + changed
	}
	return errors.New(text)
}

func (r Reading) name() string {
	name := r.Clock
	if r.Since != "" {
		name += ", from " + r.Since
	}
	return name
}

func (r Reading) measured() string {
	if !r.Stopped {
		return fmt.Sprintf("not in %s", short(r.Took)) + r.where()
	}
	return short(r.Took) + r.where()
}

func (r Reading) where() string {
	if r.Where == "" {
		return ""
	}
	return " (" + r.Where + ")"
}

// Judge joins the errors of readings. That there are none is an error too: nothing would be proven.
func Judge(readings []Reading) error {
	if len(readings) == 0 {
		return errors.New("nothing was timed")
	}
	var problems []error
	for _, r := range readings {
		problems = append(problems, r.Err())
	}
	return errors.Join(problems...)
}

// Table prints readings below a title, each with its budget and what that is made of, and remarks below them.
func Table(title string, readings []Reading, remarks ...string) string {
	var b strings.Builder
	fmt.Fprintln(&b, title)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  clock\tmeasured\tbudget\tmade of")
	for _, r := range readings {
		verdict := ""
		if r.Err() != nil {
			verdict = "OVER: "
		}
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s%s\n", r.name(), r.measured(), short(r.Budget.Total()), verdict, r.Budget)
	}
	_ = table.Flush()
	for _, remark := range remarks {
		fmt.Fprintln(&b, "  "+remark)
	}
	return strings.TrimRight(b.String(), "\n")
}
