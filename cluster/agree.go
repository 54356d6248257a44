package cluster

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// Topic returns a topic's partitions when all brokers that answer tell the same, else an error that says who tells
// what. An unknown topic is an error too.
func (v View) Topic(name string) ([]Partition, error) {
	var agreed []Partition
	from := 0
	for _, id := range slices.Sorted(maps.Keys(v.Brokers)) {
		partitions, ok := v.Brokers[id].Topics[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("broker %d does not know topic %s", id, name)
		case from == 0:
			agreed, from = partitions, id
		case !reflect.DeepEqual(agreed, partitions):
			return nil, fmt.Errorf("brokers %d and %d tell different things of topic %s", from, id, name)
		}
	}
	if from == 0 {
		return nil, errors.New("no broker answers")
	}
	return agreed, nil
}

// Registered returns the ids of the brokers registered and unfenced, when all brokers that answer tell the same, else
// an error. That nobody answers is an error too.
func (v View) Registered() ([]int, error) {
	var agreed []int
	from := 0
	for _, id := range slices.Sorted(maps.Keys(v.Brokers)) {
		seen := v.Brokers[id].Registered
		if from != 0 && !slices.Equal(agreed, seen) {
			return nil, fmt.Errorf("broker %d sees brokers %v, broker %d sees %v", from, agreed, id, seen)
		}
		agreed, from = seen, id
	}
	if from == 0 {
		return nil, errors.New("no broker answers")
	}
	return agreed, nil
}

// advertised returns where a broker says that clients reach it, as any broker that answers tells it; empty when none does.
func (v View) advertised(broker int) string {
	for _, id := range slices.Sorted(maps.Keys(v.Brokers)) {
		if at := v.Brokers[id].Advertised[broker]; at != "" {
			return at
		}
	}
	return ""
}

// Topics returns the names of the topics that any broker knows, sorted; internal ones (two leading underscores) only
// on request.
func (v View) Topics(internal bool) []string {
	names := map[string]bool{}
	for _, seen := range v.Brokers {
		for name := range seen.Topics {
			if internal || !strings.HasPrefix(name, "__") {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// String is one readable block: who answers, the quorum, and each topic's partitions; partitions in the same state
// share a line.
func (v View) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster at %s\n", v.At.Format("15:04:05.000"))
	for _, id := range slices.Sorted(maps.Keys(v.Brokers)) {
		fmt.Fprintf(&b, "  broker %d answers, sees brokers %v\n", id, v.Brokers[id].Registered)
	}
	for _, id := range slices.Sorted(maps.Keys(v.Apart)) {
		fmt.Fprintf(&b, "  broker %d answers, cut off from the controllers, and sees brokers %v\n", id, v.Apart[id].Registered)
	}
	for _, id := range slices.Sorted(maps.Keys(v.Silent)) {
		fmt.Fprintf(&b, "  broker %d is silent: %v\n", id, v.Silent[id])
	}
	fmt.Fprintf(&b, "  %s\n", v.Quorum)
	for _, name := range v.Topics(true) {
		partitions, err := v.Topic(name)
		if err != nil {
			fmt.Fprintf(&b, "  %v\n", err)
			continue
		}
		b.WriteString(Table(partitions))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Table prints partitions in rows of the same leader, replicas and ISR: "telemetry-0,3,6  leader 1  replicas …".
func Table(partitions []Partition) string {
	var order []string
	rows := map[string][]string{}
	for _, p := range partitions {
		leader := fmt.Sprintf("leader %d", p.Leader)
		if p.Leader < 0 {
			leader = "offline"
		}
		state := fmt.Sprintf("%s\treplicas %v\tISR %v", leader, p.Replicas, p.ISR)
		if rows[state] == nil {
			order = append(order, state)
		}
		rows[state] = append(rows[state], fmt.Sprint(p.ID))
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, state := range order {
		_, _ = fmt.Fprintf(table, "  %s-%s\t%s\n", partitions[0].Topic, strings.Join(rows[state], ","), state)
	}
	_ = table.Flush()
	return b.String()
}
