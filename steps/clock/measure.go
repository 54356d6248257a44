package clock

import (
	"fmt"
	"slices"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/fixtures/outage"
)

// Case is one loss of a broker as it went, for the topic that is asked about.
type Case struct {
	Loss     Loss     // what the budgets are reckoned from
	InForce  Settings // what the cluster has
	Broker   int
	Topic    string
	Before   []cluster.Partition // the topic's, right before the loss
	Asked    time.Time           // when the loss was begun
	At       time.Time           // the loss
	Off      time.Duration       // how far At may be off
	Returned time.Time           // when the broker was seen registered again; zero before
	Now      time.Time           // until when there is evidence

	Timeline *cluster.Timeline
}

// Reelected is how long after the loss the controllers elected once more, which is not owed to the loss: a session that
// had nearly ended begins anew then. It is 0 when they did not, or only after the broker was fenced.
func (c Case) Reelected(active int) time.Duration {
	end := c.Now
	if fenced, ok := c.Timeline.ChangeSince(c.Asked, c.fenced); ok {
		end = fenced.At
	}
	owed := active == c.Broker
	var latest time.Duration
	for from := c.Asked; ; {
		change, ok := c.Timeline.ChangeSince(from, func(v cluster.View) (bool, error) {
			return v.Quorum.Leader > 0 && v.Quorum.Leader != active, nil
		})
		if !ok || !change.At.Before(end) {
			return latest
		}
		if !owed {
			latest = change.At.Sub(c.At)
		}
		owed, active, from = false, change.View.Quorum.Leader, change.At
	}
}

// Led are the partitions that the broker led before, ascending.
func (c Case) Led() []int32 {
	var led []int32
	for _, p := range c.Before {
		if p.LedBy(c.Broker) {
			led = append(led, int32(p.ID))
		}
	}
	return led
}

// Moved times when every partition that the broker led has another leader.
func (c Case) Moved() Reading {
	return c.sinceLoss("new leaders for all that it led", func(v cluster.View) (bool, error) { return c.each(v, c.ledAnew) })
}

// Shrunk times when no ISR contains the broker, which one must have contained before.
func (c Case) Shrunk() Reading {
	r := c.sinceLoss("out of every ISR", c.outOfEveryISR)
	if !slices.ContainsFunc(c.Before, func(p cluster.Partition) bool { return slices.Contains(p.ISR, c.Broker) }) {
		r.Void = fmt.Sprintf("broker %d was in no ISR of %s before its loss, so it could leave none", c.Broker, c.Topic)
	}
	return r
}

// LetGo times the same by what a leader may take to miss a follower that lags.
func (c Case) LetGo() Reading { return c.against(Loss.Lag, c.Shrunk()) }

func (c Case) outOfEveryISR(v cluster.View) (bool, error) {
	return c.each(v, func(p cluster.Partition) bool { return !slices.Contains(p.ISR, c.Broker) })
}

// Fenced times when the broker is not registered and unfenced any more.
func (c Case) Fenced() Reading {
	return c.sinceLoss("fenced", c.fenced)
}

func (c Case) fenced(v cluster.View) (bool, error) {
	registered, err := v.Registered()
	return err == nil && !slices.Contains(registered, c.Broker), err
}

// Refilled times, from its registration, when every ISR of a returned broker contains it again. One must have been seen
// without it.
func (c Case) Refilled() Reading {
	r := c.timed("in every ISR again", c.Returned, c.Returned, c.inEveryISR)
	r.Since = "its registration"
	missing, ok := c.Timeline.ChangeSince(c.Asked, func(v cluster.View) (bool, error) {
		full, err := c.inEveryISR(v)
		return !full, err
	})
	switch {
	case !slices.ContainsFunc(c.Before, func(p cluster.Partition) bool { return slices.Contains(p.Replicas, c.Broker) }):
		r.Void = fmt.Sprintf("broker %d had no replica of %s before its loss, so there is no ISR to be in again", c.Broker, c.Topic)
	case r.Stopped && (!ok || missing.At.After(c.Returned.Add(r.Took))):
		r.Void = fmt.Sprintf("broker %d was not seen to leave any ISR of %s, so it was in every ISR all the time, not again",
			c.Broker, c.Topic)
	}
	return c.against(Loss.Return, r)
}

func (c Case) inEveryISR(v cluster.View) (bool, error) {
	return c.each(v, func(p cluster.Partition) bool {
		return !slices.Contains(p.Replicas, c.Broker) || slices.Contains(p.ISR, c.Broker)
	})
}

func (c Case) sinceLoss(name string, holds func(cluster.View) (bool, error)) Reading {
	r := c.timed(name, c.Asked, c.At, holds)
	r.Since = "the loss"
	return c.against(Loss.Cluster, r)
}

// against sets a reading beside its budget, and beside what the settings in force allow.
func (c Case) against(budget func(Loss) Budget, r Reading) Reading {
	inForce := c.Loss
	inForce.Settings = c.InForce
	r.Budget, r.InForce, r.Settings = budget(c.Loss), budget(inForce), c.InForce
	return r
}

// timed looks for a state from a moment on and counts its time from another. The budget is left to the caller.
func (c Case) timed(name string, from, zero time.Time, holds func(cluster.View) (bool, error)) Reading {
	r := Reading{Clock: name, Took: c.Now.Sub(zero), Resolution: lookAgain + c.Off}
	if change, ok := c.Timeline.ChangeSince(from, holds); ok {
		r.Stopped, r.Took, r.Resolution = true, change.At.Sub(zero), change.Resolution()+c.Off
	}
	return r
}

// lookAgain is what a clock that has not stopped is given beyond its budget, for the look that shows that it has: one
// look may wait a second for a quorum that has no leader.
const lookAgain = 2 * time.Second

// each reports whether all partitions of the topic are as they should be.
func (c Case) each(v cluster.View, ok func(cluster.Partition) bool) (bool, error) {
	partitions, err := v.Topic(c.Topic)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(partitions, func(p cluster.Partition) bool { return !ok(p) }), nil
}

// ledAnew reports that a partition which the broker led has another leader.
func (c Case) ledAnew(p cluster.Partition) bool {
	return !slices.Contains(c.Led(), int32(p.ID)) || p.Leader > 0 && p.Leader != c.Broker
}

// Book is the ledger of the topic, with what tells a new leader's acknowledgements.
type Book struct {
	Ledger outage.Ledger
	Zero   time.Time       // the zero of its times, with a monotonic reading
	Starts map[int32]int64 // first offsets of new leaders by partition, as far as records were read back
}

// Seen measures in the ledger from the asking to the return. Where the offset of the new leader's first record is not
// known, its acknowledgements begin when the timeline had seen it lead.
func (c Case) Seen(book Book) (outage.Seen, error) {
	to := c.Now
	if !c.Returned.IsZero() {
		to = c.Returned
	}
	starts := map[int32]outage.Start{}
	for _, partition := range c.Led() {
		if offset, known := book.Starts[partition]; known {
			starts[partition] = outage.Start{Offset: offset, Known: true}
			continue
		}
		change, ok := c.Timeline.ChangeSince(c.Asked, func(v cluster.View) (bool, error) {
			return c.each(v, func(p cluster.Partition) bool { return int32(p.ID) != partition || c.ledAnew(p) })
		})
		if !ok {
			change.At = c.Now.Add(time.Second) // no leader, no acknowledgement of one
		}
		starts[partition] = outage.Start{At: change.At.Sub(book.Zero)}
	}
	return outage.Measure(book.Ledger, outage.Span{From: c.Asked.Sub(book.Zero), To: to.Sub(book.Zero)}, starts)
}

// Written times the first acknowledgement of the new leader of each partition that the broker led; the last of them counts.
func (c Case) Written(book Book, seen outage.Seen) Reading {
	r := Reading{Clock: "new leaders acknowledge in all that it led", Since: "the loss", Stopped: true}
	for i, partition := range c.Led() {
		p := seen.Partitions[partition]
		took := c.Now.Sub(c.At)
		if p.Led {
			took = book.Zero.Add(p.First).Sub(c.At)
		}
		if i == 0 || r.Stopped && (!p.Led || took > r.Took) {
			r.Stopped, r.Took, r.Where = p.Led, took, c.name(partition)
		}
	}
	if r.Resolution = c.Off; !r.Stopped {
		r.Resolution += lookAgain
	}
	return c.against(Loss.Clients, r)
}

// Gap is the longest time without an acknowledgement among all partitions of the topic, those too that the broker
// followed: with acks=all they wait until it has left the ISR.
//
// It is known when the loss is no longer felt: each partition was acknowledged since the broker left its ISR, or, if it
// did not leave, since it is back. Where nobody sends after the loss, nobody felt it.
func (c Case) Gap(book Book, seen outage.Seen) Reading {
	r := c.against(Loss.Clients, Reading{Clock: "longest time without an acknowledgement"})
	if missing := c.notOvercome(book, seen); missing != "" {
		r.Took, r.Resolution, r.Where = c.Now.Sub(c.At), lookAgain, missing
		return r
	}
	r.Stopped = true
	for _, p := range c.Before {
		partition := int32(p.ID)
		if gap := seen.Partitions[partition].Longest.Length(); gap > r.Took {
			r.Took, r.Where = gap, c.name(partition)
		}
	}
	return r
}

// notOvercome says what is missing before the loss is no longer felt; empty if nothing is.
func (c Case) notOvercome(book Book, seen outage.Seen) string {
	if !book.Zero.Add(seen.Attempted).After(c.At) {
		return fmt.Sprintf("nobody wrote to %s after the loss", c.Topic)
	}
	over, what := c.Returned, "its return"
	left, ok := c.Timeline.ChangeSince(c.Asked, c.outOfEveryISR)
	switch {
	case ok && (over.IsZero() || left.At.Before(over)):
		over, what = left.At, "it left every ISR"
	case over.IsZero():
		return "it has not left every ISR"
	}
	if over.Before(c.At) {
		over, what = c.At, "the loss"
	}
	for _, p := range c.Before {
		if !book.Zero.Add(seen.Partitions[int32(p.ID)].Last).After(over) {
			return fmt.Sprintf("%s not acknowledged since %s", c.name(int32(p.ID)), what)
		}
	}
	return ""
}

func (c Case) name(partition int32) string { return fmt.Sprintf("%s-%d", c.Topic, partition) }
