package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// run is what one run of a subject took.
type run struct {
	records    int
	took       time.Duration
	cpu        time.Duration // of this process
	unmeasured int           // records sent before
}

func (r run) rate() float64 { return float64(r.records) / r.took.Seconds() }

// subject is one of those that are compared.
type subject struct {
	name string
	java bool    // it runs in a container
	goal float64 // what ours is to be in proportion to it; 0 for none
	run  func(ctx context.Context) (run, error)
	runs []run
}

// comparison is ours, which comes first, and what it is compared with.
type comparison struct {
	what     string
	value    int // bytes of a record's value
	subjects []*subject
}

// take runs every subject once in each round, in turns: first to last, last to first, and so on, so that what
// changes on the machine meanwhile concerns all alike.
func (c *comparison) take(ctx context.Context, rounds int) error {
	for n := range rounds {
		order := slices.Clone(c.subjects)
		if n%2 == 1 {
			slices.Reverse(order)
		}
		for _, one := range order {
			r, err := one.measured(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			say("%-10s %7s, round %d of %d: %-20s %11s records/s in %.1f s",
				c.what, size(c.value), n+1, rounds, one.name, grouped(r.rate()), r.took.Seconds())
		}
	}
	return nil
}

// measured runs the subject once and keeps what it took.
func (s *subject) measured(ctx context.Context) (run, error) {
	before, err := cpuSeconds(ctx)
	if err != nil {
		return run{}, err
	}
	r, err := s.run(ctx)
	if err != nil {
		return run{}, err
	}
	after, err := cpuSeconds(ctx)
	r.cpu = time.Duration((after - before) * float64(time.Second))
	s.runs = append(s.runs, r)
	return r, err
}

// ratios returns ours against another, round by round, sorted.
func (c *comparison) ratios(other *subject) []float64 {
	var all []float64
	for n, r := range other.runs {
		all = append(all, c.subjects[0].runs[n].rate()/r.rate())
	}
	slices.Sort(all)
	return all
}

// rate returns the median of the subject's records a second.
func (s *subject) rate() float64 {
	return s.median(run.rate)
}

// cpu returns the median of this process' µs for each record.
func (s *subject) cpu() float64 {
	return s.median(func(r run) float64 { return float64(r.cpu) / float64(time.Microsecond) / float64(r.records) })
}

func (s *subject) median(of func(run) float64) float64 {
	var all []float64
	for _, r := range s.runs {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return median(all)
}

// median of sorted figures; 0 of none.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// table is the result, a line for each subject.
func table(all []comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %7s  %-20s %11s %7s %11s  %-21s %s\n",
		"", "value", "", "records/s", "MB/s", "client CPU", "ours against it", "goal")
	for _, c := range all {
		for i, s := range c.subjects {
			what, value, cpu := c.what, size(c.value), "in Java"
			if i > 0 {
				what, value = "", ""
			}
			if !s.java {
				cpu = fmt.Sprintf("%.2f µs", s.cpu())
			}
			line := fmt.Sprintf("%-10s %7s  %-20s %11s %7.1f %11s", what, value, s.name,
				grouped(s.rate()), s.rate()*float64(c.value)/1e6, cpu)
			if i > 0 {
				line += "  " + c.against(s)
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (c *comparison) against(s *subject) string {
	all := c.ratios(s)
	if len(all) == 0 {
		return "not measured"
	}
	verdict := "met"
	if median(all) < s.goal {
		verdict = "short of goal"
	}
	spread := fmt.Sprintf("%.2f (%.2f to %.2f)", median(all), all[0], all[len(all)-1])
	if s.goal == 0 {
		return spread
	}
	return fmt.Sprintf("%-21s %.2f %s", spread, s.goal, verdict)
}

func size(bytes int) string {
	if bytes%1024 == 0 {
		return fmt.Sprintf("%d KiB", bytes/1024)
	}
	return fmt.Sprintf("%d B", bytes)
}

// grouped prints a figure with separators.
func grouped(f float64) string {
	s := fmt.Sprintf("%.0f", f)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
