package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster/fault"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/outage"
	"kafka-ha/steps/clock"
)

// timing returns the loss of a broker as something to be timed, with the settings in force at the first sentence.
func (w *World) timing(ctx context.Context, id int) (*clocked, error) {
	l := w.losses[id]
	if l == nil || l.Lost == nil || l.Seen.IsZero() {
		return nil, fmt.Errorf("broker %d was not lost in this scenario", id)
	}
	t, err := w.topicInUse()
	if err != nil {
		return nil, err
	}
	for _, c := range w.clocked {
		if c.loss == l && c.topic == t {
			return c, nil
		}
	}
	inForce, err := w.settingsInForce(ctx)
	if err != nil {
		return nil, err
	}
	c := &clocked{loss: l, topic: t, inForce: inForce}
	w.clocked = append(w.clocked, c)
	return c, nil
}

// settingsInForce asks a broker that is not lost.
func (w *World) settingsInForce(ctx context.Context) (clock.Settings, error) {
	problem := errors.New("every broker is lost, so nobody tells the settings in force")
	for _, b := range w.cluster.Brokers() {
		if slices.ContainsFunc(w.faults.Open(), func(l *fault.Lost) bool { return l.Fault.Node() == b.ID }) {
			continue
		}
		var inForce clock.Settings
		inForce, problem = clock.InForce(clock.Source{
			Millis: func(name string) (time.Duration, error) { return b.SettingMillis(ctx, name) },
			Text:   func(name string) (string, error) { return b.Setting(ctx, name) },
		})
		if problem == nil {
			return inForce, nil
		}
	}
	return clock.Settings{}, problem
}

// at is the loss as it stands now.
func (w *World) at(c *clocked) (clock.Case, error) {
	before, err := c.loss.before.Topic(c.topic.spec.Name)
	if err != nil {
		return clock.Case{}, fmt.Errorf("before the loss: %w", err)
	}
	id, active := c.loss.Fault.Node(), c.loss.before.Quorum.Leader
	way := clock.Loss{Way: clock.WayOf(c.loss.kind()), Controller: active == id || active < 0, Settings: c.inForce}
	if c.defaults {
		way.Settings = clock.Defaults()
	}
	at, off := c.loss.Moment()
	until := time.Now()
	if !w.ended.IsZero() { // what the end of the scenario does is not Kafka's
		until = w.ended
	}
	now := clock.Case{
		Loss: way, InForce: c.inForce, Broker: id, Topic: c.topic.spec.Name, Before: before, Timeline: w.timeline,
		Asked: c.loss.Asked, At: at, Off: off, Returned: c.loss.Returned, Now: until,
	}
	now.Loss.Reelected = now.Reelected(active)
	return now, nil
}

// readings reads some clocks of a loss. Those of clients need the ledger; clocks that have nothing to time (of leaders,
// when the broker led nothing; of a return that has not been) are left out.
func (w *World) readings(c *clocked, clocks []int) ([]clock.Reading, error) {
	now, err := w.at(c)
	if err != nil {
		return nil, err
	}
	var book clock.Book
	var seen outage.Seen
	if slices.Contains(clocks, gapClock) || slices.Contains(clocks, writtenClock) {
		if book, seen, err = seenBy(c, now); err != nil {
			return nil, err
		}
	}
	var readings []clock.Reading
	for _, which := range clocks {
		switch {
		case which == gapClock:
			readings = append(readings, now.Gap(book, seen))
		case which == writtenClock && len(now.Led()) > 0:
			readings = append(readings, now.Written(book, seen))
		case which == movedClock && len(now.Led()) > 0:
			readings = append(readings, now.Moved())
		case which == shrunkClock:
			readings = append(readings, now.Shrunk())
		case which == letGoClock:
			readings = append(readings, now.LetGo())
		case which == fencedClock:
			readings = append(readings, now.Fenced())
		case which == refilledClock && !now.Returned.IsZero():
			readings = append(readings, now.Refilled())
		}
	}
	return readings, nil
}

// seenBy measures what the clients saw in the ledger on disk, and in the log if the records were read back already.
func seenBy(c *clocked, now clock.Case) (clock.Book, outage.Seen, error) {
	if c.topic.ledger == nil || c.loss.marks[c.topic] == nil {
		return clock.Book{}, outage.Seen{}, fmt.Errorf("nobody wrote to %s before the loss of broker %d, so no client felt it; begin with "+
			`"Given a producer is writing 500 events per second with acks=all"`, c.topic.spec.Name, now.Broker)
	}
	dir := c.topic.ledger.Dir()
	book := clock.Book{Ledger: ledger.File(filepath.Join(dir, ledger.FileName)), Zero: c.topic.ledger.Header().Started}
	if err := c.topic.ledger.Sync(); err != nil && !errors.Is(err, os.ErrClosed) { // closed it is whole
		return book, outage.Seen{}, err
	}
	if c.topic.verdict != nil {
		above := map[int32]int32{}
		for _, p := range now.Before {
			above[int32(p.ID)] = int32(p.Epoch)
		}
		var err error
		if book.Starts, err = outage.Starts(ledger.LogFile(filepath.Join(dir, ledger.LogFileName)), above); err != nil {
			return book, outage.Seen{}, err
		}
	}
	seen, err := now.Seen(book)
	return book, seen, err
}

// keepClocks prints one table for each loss that a sentence timed, and for each loss of a scenario that failed, and puts
// them with the scenario's evidence. It judges nothing, so that what cannot be told any more is only said.
func (w *World) keepClocks(ctx context.Context, failed bool) {
	if failed {
		for id, l := range w.losses {
			if l.Lost != nil && !l.Seen.IsZero() && w.current != nil {
				_, _ = w.timing(ctx, id) // settings that nobody tells any more: no table
			}
		}
	}
	var tables []string
	for _, c := range w.clocked {
		table, err := w.table(c)
		if err != nil {
			table = fmt.Sprintf("clocks of %s: %v", c.loss.Fault.Name(), err)
		}
		w.suite.Print("%s", table)
		tables = append(tables, table)
	}
	if len(tables) == 0 {
		return
	}
	text := strings.Join(tables, "\n\n") + "\n"
	if err := os.WriteFile(filepath.Join(w.dir, "clocks.txt"), []byte(text), 0o644); err != nil { // evidence is for everybody to read
		w.suite.Print("clocks: %v", err)
	}
}

// table has every clock of a loss, as far as there is evidence.
func (w *World) table(c *clocked) (string, error) {
	clocks := allClocks
	if c.topic.ledger == nil || c.loss.marks[c.topic] == nil {
		clocks = []int{movedClock, shrunkClock, fencedClock, refilledClock}
	}
	readings, err := w.readings(c, clocks)
	if err != nil {
		return "", err
	}
	now, err := w.at(c)
	if err != nil {
		return "", err
	}
	remarks := []string{"broker " + fmt.Sprint(now.Broker) + " " + whyLeft(now)}
	if book, seen, err := seenBy(c, now); err == nil {
		remarks = append(remarks, fmt.Sprintf("errors that reached the application: %s", printErrors(seen.Errors)), told(book))
	}
	if changed := c.inForce.Changed(); changed != "" {
		remarks = append(remarks, "in force: "+changed)
	}
	return clock.Table(title(c, now), readings, remarks...), nil
}

func title(c *clocked, now clock.Case) string {
	text := "clocks of " + c.loss.Fault.Name()
	if now.Loss.Controller {
		text += ", which was the active controller too"
	}
	if now.Off > 0 {
		text += fmt.Sprintf("; the moment of the loss may be off by %.1f s", now.Off.Seconds())
	}
	return text
}

func whyLeft(now clock.Case) string {
	causes, err := now.Causes()
	if err != nil {
		return err.Error()
	}
	return now.Tell(causes)
}

// told says what a new leader's acknowledgements were told by.
func told(book clock.Book) string {
	if len(book.Starts) > 0 {
		return "a new leader's records are told by the leader epochs in the log"
	}
	return "a new leader's records are told by when the timeline saw it lead"
}

func printErrors(errors map[string]uint64) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(errors)) {
		words = append(words, fmt.Sprintf("%s %d times", name, errors[name]))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
