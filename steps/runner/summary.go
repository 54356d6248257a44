package runner

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kafka-ha/steps"
)

// summary says where the time of a run went.
func summary(spent []steps.Spent, starts int, starting, total time.Duration) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, columns ...string) {
		_, _ = fmt.Fprintf(table, "%s\t  %s\n", strings.Join(columns, "\t"), name)
	}
	row("scenario", "seconds", "start", "Kafka", "records", "suite")
	var kafka, traffic time.Duration
	rests := make([]time.Duration, 0, len(spent))
	for _, s := range spent {
		name := s.Scenario
		if s.Failed {
			name += "  FAILED"
		}
		row(name, sec(s.Total), sec(s.Start), sec(s.Kafka), sec(s.Traffic), sec(s.Rest()))
		kafka += s.Kafka
		traffic += s.Traffic
		rests = append(rests, s.Rest())
	}
	_ = table.Flush()
	fmt.Fprintf(&b, "total %ss: starting clusters (%d) %ss, waits on Kafka %ss, sending and reading records %ss, "+
		"rest %ss (median of a scenario %ss)",
		sec(total), starts, sec(starting), sec(kafka), sec(traffic), sec(total-starting-kafka-traffic), sec(median(rests)))
	return b.String()
}

func sec(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
