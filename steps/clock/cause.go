package clock

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster"
)

// Cause is why a broker left an ISR.
type Cause string

// Causes, in the words that follow "because it".
const (
	ShutDown Cause = "was shut down" // controlled shutdown: the controller takes it out while it still runs (KIP-631)
	Fenced   Cause = "was fenced"    // the controller takes it out of every ISR when its session ends
	Lagged   Cause = "lagged"        // a leader takes it out: behind for replica.lag.time.max.ms; it stays registered
)

// Departure is what can be seen of a broker's leaving an ISR.
type Departure struct {
	Broker int
	Topic  string         // whose partitions tell whether the broker leads any
	Left   cluster.Change // the partition's ISR without it
	Asked  time.Time      // when it was asked to shut down cleanly; zero if it was not
	Exited time.Time      // when its process ended; zero if it did not
}

// Cause tells the three apart by what was so when the ISR changed. A fenced broker is registered no more in the very look
// that shows the smaller ISR, since one change of the metadata does both. In a controlled shutdown the broker runs still
// and leads nothing any more, whether it is registered yet or not. A broker that lags is registered, and goes on leading
// what it leads. An error says that the brokers did not agree on who was registered.
func (d Departure) Cause() (Cause, error) {
	registered, err := d.Left.View.Registered()
	if err != nil {
		return "", fmt.Errorf("why broker %d left is not known: %w", d.Broker, err)
	}
	shutting := !d.Asked.IsZero() && !d.Left.At.Before(d.Asked) && !d.gone()
	switch {
	case shutting && (!slices.Contains(registered, d.Broker) || !d.leads()):
		return ShutDown, nil
	case !slices.Contains(registered, d.Broker):
		return Fenced, nil
	}
	return Lagged, nil
}

// gone reports that the process had certainly ended when the ISR changed.
func (d Departure) gone() bool { return !d.Exited.IsZero() && d.Exited.Before(d.Left.After) }

func (d Departure) leads() bool {
	partitions, err := d.Left.View.Topic(d.Topic)
	return err == nil && slices.ContainsFunc(partitions, func(p cluster.Partition) bool { return p.LedBy(d.Broker) })
}

// Causes tells why the broker left the ISR of each partition that it was in before: partitions by cause. Those whose ISR
// it has not left are missing.
func (c Case) Causes() (map[Cause][]int, error) {
	by := map[Cause][]int{}
	for _, before := range c.Before {
		if !slices.Contains(before.ISR, c.Broker) {
			continue
		}
		left, ok := c.Timeline.ChangeSince(c.Asked, func(v cluster.View) (bool, error) {
			return c.each(v, func(p cluster.Partition) bool { return p.ID != before.ID || !slices.Contains(p.ISR, c.Broker) })
		})
		if !ok {
			continue
		}
		cause, err := c.departure(left).Cause()
		if err != nil {
			return nil, err
		}
		by[cause] = append(by[cause], before.ID)
	}
	return by, nil
}

func (c Case) departure(left cluster.Change) Departure {
	d := Departure{Broker: c.Broker, Topic: c.Topic, Left: left}
	if c.Loss.Way == HandsOver {
		d.Asked = c.Asked
	}
	if c.Loss.Way != Frozen {
		d.Exited = c.At
	}
	return d
}

// Tell says why the broker left which ISRs: "left every ISR because it was fenced", or "left the ISR of telemetry-0,3
// because it lagged".
func (c Case) Tell(causes map[Cause][]int) string {
	in := slices.DeleteFunc(slices.Clone(c.Before), func(p cluster.Partition) bool { return !slices.Contains(p.ISR, c.Broker) })
	var words []string
	for _, cause := range []Cause{ShutDown, Fenced, Lagged} {
		ids := causes[cause]
		if len(ids) > 0 && len(ids) == len(in) {
			return fmt.Sprintf("left every ISR because it %s", cause)
		}
		if len(ids) > 0 {
			partitions := strings.ReplaceAll(strings.Trim(fmt.Sprint(ids), "[]"), " ", ",")
			words = append(words, fmt.Sprintf("left the ISR of %s-%s because it %s", c.Topic, partitions, cause))
		}
	}
	if len(words) == 0 {
		return "left no ISR"
	}
	return strings.Join(words, "; ")
}
