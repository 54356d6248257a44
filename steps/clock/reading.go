package clock

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Reading is one clock of a loss against its budget.
type Reading struct {
	Clock      string        // what was timed, in words
	Where      string        // the partition that took longest; empty for the cluster as a whole
	Since      string        // what it counts from, as "the loss"; empty for a duration of its own
	Stopped    bool          // false: what was timed has not come about
	Took       time.Duration // until now, if it has not stopped
	Resolution time.Duration // how much shorter it may have been: it is granted on top of the budget
	Budget     Budget
	InForce    Budget   // by the settings in force, which is the same unless Kafka's defaults are demanded
	Settings   Settings // in force
	Void       string   // why there was nothing to time, which proves nothing; empty if there was
}

// Decided reports that waiting changes nothing any more: it has stopped, or it is over its budget.
func (r Reading) Decided() bool { return r.Void != "" || r.Stopped || r.Over() }

func (r Reading) limit() time.Duration { return r.Budget.Total() + r.Resolution }

// Over reports that the budget does not cover what was measured. What has not come about yet is over only when its
// budget has passed.
func (r Reading) Over() bool { return r.Void == "" && r.Took > r.limit() }

// Err is nil for a clock that stopped within its budget. The error says what was measured, the budget by its terms, and
// which of the settings that decide this clock are not Kafka's defaults, with how much time they allow.
func (r Reading) Err() error {
	if r.Void != "" {
		return errors.New(r.Void)
	}
	if r.Stopped && !r.Over() {
		return nil
	}
	granted := append(slices.Clone(r.Budget), Term{"resolution of the timeline", r.Resolution})
	text := fmt.Sprintf("wanted: %s within %s = %s; seen: %s", r.name(), short(r.limit()), granted, r.measured())
	if changed := r.Settings.Changed(r.InForce); changed != "" {
		text += fmt.Sprintf("; in force: %s, which allows %s", changed, short(r.InForce.Total()))
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
	if r.Void != "" {
		return r.Void
	}
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

// Table prints readings below a title, then what their budgets are made of, then remarks.
func Table(title string, readings []Reading, remarks ...string) string {
	var b strings.Builder
	fmt.Fprintln(&b, title)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  clock\tmeasured\tbudget\t+ resolution\t")
	var made []string
	for _, r := range readings {
		over := ""
		if r.Over() {
			over = "OVER"
		}
		total := short(r.Budget.Total())
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", r.name(), r.measured(), total, short(r.Resolution), over)
		if line := fmt.Sprintf("%s = %s", total, r.Budget); !slices.Contains(made, line) {
			made = append(made, line)
		}
	}
	_ = table.Flush()
	if slices.ContainsFunc(readings, Reading.Over) {
		made = append(made, "OVER: longer than the budget, which is red where the scenario states it")
	}
	for _, line := range slices.Concat(made, remarks) {
		fmt.Fprintln(&b, "  "+line)
	}
	return trailing.ReplaceAllString(strings.TrimRight(b.String(), "\n"), "")
}

// trailing is the padding of empty cells.
var trailing = regexp.MustCompile(`(?m) +$`)
