package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// firstController is the id of the first separate controller: far from the brokers' ids, so that no message can be
// read the wrong way.
const firstController = 101

// Topology is the shape of a cluster: which nodes it has and what each of them is. The zero value is the default.
//
// All voters are static (controller.quorum.voters). What depends on that is in two places: quorumSettings, which a
// node is rendered with, and lacks, which compares the quorum with Voters.
type Topology struct {
	separate int // how many controllers run apart from the brokers, under ids from 101 on
}

// The topologies there are. Each has brokers 1, 2 and 3.
var (
	Combined         = Topology{}            // each broker is a controller as well, in the same process
	OneController    = Topology{separate: 1} // controller 101 apart from the brokers
	ThreeControllers = Topology{separate: 3} // controllers 101, 102 and 103 apart from the brokers
)

// Topologies are all of them, the default first.
var Topologies = []Topology{Combined, OneController, ThreeControllers}

// String is the topology as features name it: "three brokers with one separate controller".
func (t Topology) String() string {
	switch t.separate {
	case 0:
		return "three brokers"
	case 1:
		return "three brokers with one separate controller"
	case 3:
		return "three brokers with three separate controllers"
	}
	return fmt.Sprintf("three brokers with %d separate controllers", t.separate)
}

// Brokers returns the ids of the brokers, ascending.
func (t Topology) Brokers() []int { return []int{1, 2, 3} }

// Controllers returns the ids of the nodes that are a controller and nothing else, ascending.
func (t Topology) Controllers() []int {
	ids := make([]int, 0, t.separate)
	for i := range t.separate {
		ids = append(ids, firstController+i)
	}
	return ids
}

// Nodes returns the ids of all nodes, ascending.
func (t Topology) Nodes() []int { return append(t.Brokers(), t.Controllers()...) }

// Voters returns the ids of the nodes that form the controller quorum, ascending.
func (t Topology) Voters() []int {
	if t.separate == 0 {
		return t.Brokers()
	}
	return t.Controllers()
}

// IsVoter reports whether a node is one of those that form the quorum.
func (t Topology) IsVoter(id int) bool { return slices.Contains(t.Voters(), id) }

// roles is the process.roles of a node.
func (t Topology) roles(id int) string {
	var roles []string
	if slices.Contains(t.Brokers(), id) {
		roles = append(roles, "broker")
	}
	if t.IsVoter(id) {
		roles = append(roles, "controller")
	}
	return strings.Join(roles, ",")
}

// quorumSettings tell a node who its controllers are.
func (t Topology) quorumSettings() Properties {
	voters := make([]string, 0, len(t.Voters()))
	for _, id := range t.Voters() {
		voters = append(voters, fmt.Sprintf("%d@%s:%d", id, Controllers.host(id), controllerPort))
	}
	return Properties{"controller.quorum.voters": strings.Join(voters, ",")}
}

// quorumMayLag is how many records of the metadata log a voter may be behind to be one that follows: with nothing to
// do the active controller writes one each metadata.max.idle.interval.ms (500 ms), so that this is the time after which
// a voter gives its leader up (controller.quorum.fetch.timeout.ms, 2 s).
const quorumMayLag = 4

// Lacks compares a look at a cluster with what a cluster of this topology is when all is well: every broker answers and
// sees all of them registered and unfenced, the voters are exactly the topology's, one of them is the active controller
// and the others follow it. It returns what is missing, a line each.
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
	return append(lacks, t.quorumLacks(view.Quorum)...)
}

func (t Topology) quorumLacks(quorum Quorum) []string {
	if quorum.Leader < 0 {
		return []string{"quorum: no active controller"}
	}
	voters := make([]int, 0, len(quorum.Voters))
	var lacks []string
	for _, voter := range quorum.Voters {
		voters = append(voters, voter.ID)
		if behind := quorum.HighWatermark - voter.LogEndOffset; behind > quorumMayLag {
			lacks = append(lacks, fmt.Sprintf("quorum: voter %d is %d records of the metadata log behind", voter.ID, behind))
		}
	}
	if !slices.Equal(voters, t.Voters()) {
		lacks = append(lacks, fmt.Sprintf("quorum: voters %v, want %v", voters, t.Voters()))
	}
	if !t.IsVoter(quorum.Leader) {
		lacks = append(lacks, fmt.Sprintf("quorum: active controller %d, want one of %v", quorum.Leader, t.Voters()))
	}
	return lacks
}
