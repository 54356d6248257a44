// Package clock holds how long the loss of a broker may be felt, reckoned from the broker's settings, against how long it
// was: from the clients' side by the ledger (package outage), from the cluster's by the timeline of what brokers told. It
// also tells why a broker left an ISR.
//
// All moments are of the one monotonic clock of this process: the timeline's looks and the ledger's entries are stamped
// with it. The exit of a process, which the engine tells by the wall clock, is turned into it (fault.Lost.Moment). Times
// count from the loss, that is from the exit of the process or the beginning of a pause, and may be negative: a broker
// that shuts down cleanly gives its leaders away before it exits. A change is timed by the end of the first look that
// shows it; how long before that it may have been is its resolution, which is granted on top of its budget.
package clock

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kafka-ha/fixtures/traffic"
)

// Way is how a loss comes to be known.
type Way int

// Ways of losses.
const (
	HandsOver Way = iota // the broker gives its leaders away before it exits (controlled shutdown)
	Missed               // the process is gone: connections break, heartbeats stop
	Frozen               // heartbeats stop, connections stay open and nobody answers on them
)

// WayOf is the way of a kind of fault, in the words of features. A kind that is not known is taken for the one that holds
// clients up longest.
func WayOf(kind string) Way {
	switch kind {
	case "clean shutdown":
		return HandsOver
	case "hard kill", "loss of its volume":
		return Missed
	}
	return Frozen
}

// Loss is what decides the budgets of a loss.
type Loss struct {
	Way        Way
	Controller bool // the lost broker was the active controller as well, or it is not known which node was
	Settings   Settings
	// Reelected is how long after the loss another election of controllers was seen that is not owed to it, 0 if none was.
	Reelected time.Duration
}

// Term is a part of a budget.
type Term struct {
	Name   string // of the setting, or what it is for
	Length time.Duration
}

// Budget is the longest time that something may take.
type Budget []Term

// Total is the sum of the terms.
func (b Budget) Total() time.Duration {
	var sum time.Duration
	for _, t := range b {
		sum += t.Length
	}
	return sum
}

// String is the sum as one would write it: "9.0 s broker.session.timeout.ms + 1.1 s its check".
func (b Budget) String() string {
	var terms []string
	for _, t := range b {
		if t.Length > 0 {
			terms = append(terms, short(t.Length)+" "+t.Name)
		}
	}
	return strings.Join(terms, " + ")
}

// madeOf reports that a setting is among the terms.
func (b Budget) madeOf(setting string) bool {
	return slices.ContainsFunc(b, func(t Term) bool { return strings.Contains(t.Name, setting) })
}

// Machine is what a busy machine with two cores may add to any path: processes that wait for a core, a disk, or a
// collection of garbage. No setting accounts for it; it is far below the session timeout that the budgets are about.
const Machine = 4 * time.Second

var machine = Term{"allowance for a busy machine", Machine}

// noticing is until the controller acts. A session ends broker.session.timeout.ms after the last heartbeat, which is seen
// eight times per timeout (QuorumController.maybeFenceStaleBrokerPeriodNs, KIP-631). If the active controller is lost too,
// the other voters miss it after controller.quorum.fetch.timeout.ms and elect: each attempt waits up to twice
// controller.quorum.election.timeout.ms (random), and backs off in between. The new one begins every session anew
// (ClusterControlManager.activate, read in Kafka 4.3.1). Controllers of a busy machine may elect once more.
func (l Loss) noticing() Budget {
	if l.Way == HandsOver && !l.Settings.Abrupt {
		return nil
	}
	session := l.term(sessionTimeout, 1)
	var election Budget
	if l.Controller {
		election = Budget{l.term(fetchTimeout, 1), l.term(electionTimeout, 2), l.term(electionBackoff, 1)}
	}
	if l.Reelected > election.Total() {
		election = Budget{{"until another election, not owed to the loss", l.Reelected}}
	}
	b := append(Budget{session, {"its check, an eighth", session.Length / 8}}, election...)
	if l.Way == HandsOver {
		b = append(b, Term{Name: controlledShutdown}) // takes no time itself: without it there is all of the above
	}
	return b
}

// term is some times a setting, by its name.
func (l Loss) term(name string, times int) Term {
	t := Term{Name: name, Length: time.Duration(times) * l.Settings.Times[name]}
	if times > 1 {
		t.Name = fmt.Sprintf("%d × %s", times, name)
	}
	if l.Settings.Default {
		t.Name = "default " + t.Name
	}
	return t
}

// Cluster is the budget for the controller to act upon the loss: leaders, ISRs, fencing.
func (l Loss) Cluster() Budget { return append(l.noticing(), machine) }

// Clients is the budget for a write to a partition that the lost broker led, or followed, to be acknowledged again. The
// machine may keep both waiting: the controllers until they act, and the clients after that.
func (l Loss) Clients() Budget {
	b := l.noticing()
	frozen := l.Way == Frozen
	if held := traffic.HeldUp(); frozen && held.Length > b.Total() {
		b = append(b, Term{"rest of " + held.Name, held.Length - b.Total()})
	}
	for _, wait := range traffic.Refresh(frozen) {
		b = append(b, Term(wait))
	}
	return append(b, machine, Term{machine.Name + ", the clients' part", Machine})
}

// Return is the budget for a returned broker, from its registration, to be in every ISR again. Its fetchers begin when it
// has replayed the metadata, and back off when a leader is not ready, once to truncate and once to fetch; a leader asks
// the controller for the larger ISR when the follower has fetched up to its high watermark (KIP-497), and that request may
// have to be sent again. What it has to catch up with is not in here: it is a few seconds of a feature's traffic.
func (l Loss) Return() Budget {
	return Budget{l.term(fetchWait, 1), l.term(fetchBackoff, 2), l.term(quorumRequest, 1), machine}
}

// Lag is the budget for the leaders to take a follower out of the ISR that does not fetch any more: it counts as caught up
// for replica.lag.time.max.ms, which is looked at every half of it (ReplicaManager, isr-expiration).
func (l Loss) Lag() Budget {
	lag := l.term(lagTime, 1)
	return Budget{lag, {"its check, a half", lag.Length / 2}, machine}
}

func short(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
