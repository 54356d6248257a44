package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// quorumMayLag is how many records of the metadata log a voter may be behind to be one that follows: with nothing to
// do the active controller writes one each metadata.max.idle.interval.ms (500 ms), so that this is the time after which
// a voter gives its leader up (controller.quorum.fetch.timeout.ms, 2 s).
const quorumMayLag = 4

// Lacks compares a look at a cluster with what a cluster of this topology is when all is well: every broker answers and
// sees all of them registered and unfenced, each under an address of its own; the voters are exactly the topology's, one
// of them is the active controller and the others follow it; nobody observes who should vote, and nobody foreign does. It
// returns what is missing, a line each.
func (t Topology) Lacks(view View) []string {
	var lacks []string
	for _, id := range t.Brokers() {
		seen, answers := view.Brokers[id]
		_, apart := view.Apart[id]
		switch {
		case apart:
			lacks = append(lacks, fmt.Sprintf("broker %d is cut off from the controllers", id))
		case !answers:
			lacks = append(lacks, fmt.Sprintf("broker %d: %v", id, view.Silent[id]))
		case !slices.Equal(seen.Registered, t.Brokers()):
			lacks = append(lacks, fmt.Sprintf("broker %d sees brokers %v registered and unfenced, want %v",
				id, seen.Registered, t.Brokers()))
		}
	}
	lacks = append(lacks, view.sharedAddresses()...)
	return append(lacks, t.quorumLacks(view.Quorum)...)
}

// sharedAddresses tells of brokers that advertise what another one does: a client that wants the one may get the other.
func (v View) sharedAddresses() []string {
	var lacks []string
	for _, id := range slices.Sorted(maps.Keys(v.Brokers)) {
		addresses := v.Brokers[id].Advertised
		for _, shared := range shared(addresses, slices.Sorted(maps.Keys(addresses))) {
			lacks = append(lacks, fmt.Sprintf("broker %d sees brokers %v at one address, %s", id, shared.ids, shared.address))
		}
	}
	return lacks
}

// sharing is nodes that have one address.
type sharing struct {
	ids     []int
	address string
}

// shared returns which of the ids have an address that another one has as well.
func shared(addresses map[int]string, ids []int) []sharing {
	var all []sharing
	for _, id := range ids {
		at := slices.IndexFunc(all, func(s sharing) bool { return s.address == addresses[id] })
		if at < 0 {
			all = append(all, sharing{address: addresses[id]})
			at = len(all) - 1
		}
		all[at].ids = append(all[at].ids, id)
	}
	return slices.DeleteFunc(all, func(s sharing) bool { return len(s.ids) < 2 || s.address == "" })
}

func (t Topology) quorumLacks(quorum Quorum) []string {
	if quorum.Leader < 0 {
		return []string{"quorum: no active controller"}
	}
	var lacks []string
	endpoints := map[int]string{}
	for _, voter := range quorum.Voters {
		endpoints[voter.ID] = strings.Join(voter.Endpoints, ",")
		if behind := quorum.HighWatermark - voter.LogEndOffset; behind > quorumMayLag {
			lacks = append(lacks, fmt.Sprintf("quorum: voter %d is %d records of the metadata log behind", voter.ID, behind))
		}
	}
	if voters := idsOf(quorum.Voters); !slices.Equal(voters, t.Voters()) {
		lacks = append(lacks, fmt.Sprintf("quorum: voters %v, want %v", voters, t.Voters()))
	}
	if !t.IsVoter(quorum.Leader) {
		lacks = append(lacks, fmt.Sprintf("quorum: active controller %d, want one of %v", quorum.Leader, t.Voters()))
	}
	for _, shared := range shared(endpoints, slices.Sorted(maps.Keys(endpoints))) {
		lacks = append(lacks, fmt.Sprintf("quorum: voters %v have one endpoint, %s", shared.ids, shared.address))
	}
	return append(lacks, t.observersLack(quorum)...)
}

// observersLack compares those that follow the quorum now with those that should. Brokers apart from the controllers are
// not demanded here, since they answer for themselves; what is to become a voter is.
func (t Topology) observersLack(quorum Quorum) []string {
	var lacks []string
	seen := map[int]QuorumReplica{}
	for _, o := range quorum.Present() {
		voter, votes := quorum.Voter(o.ID)
		other, twice := seen[o.ID]
		switch {
		case !slices.Contains(t.Nodes(), o.ID):
			lacks = append(lacks, fmt.Sprintf("quorum: observer %s is no node of this cluster", o))
		case votes:
			lacks = append(lacks, fmt.Sprintf("quorum: node %d votes from directory %s and observes from %s",
				o.ID, voter.Directory, o.Directory))
		case t.IsVoter(o.ID):
			lacks = append(lacks, fmt.Sprintf("quorum: node %d is an observer and should be a voter", o.ID))
		case twice:
			lacks = append(lacks, fmt.Sprintf("quorum: node %d observes from two directories, %s and %s",
				o.ID, other.Directory, o.Directory))
		}
		seen[o.ID] = o
	}
	if !t.Dynamic() {
		return lacks
	}
	for _, id := range t.Nodes() {
		_, observes := seen[id]
		if _, votes := quorum.Voter(id); !observes && !votes && !t.IsVoter(id) {
			lacks = append(lacks, fmt.Sprintf("quorum: node %d observes nothing", id))
		}
	}
	return lacks
}
