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
// Voters are static (controller.quorum.voters), or members of a dynamic quorum (KIP-853), which begins with node 1 alone.
// What depends on that is in quorumSettings, which a node is rendered with, in Node.memberArgs, which it is formatted
// with, in Cluster.form, which makes the quorum what it should be, and in Lacks, which compares it with Voters.
type Topology struct {
	separate int // how many controllers run apart from the brokers, under ids from 101 on
	dynamic  int // how many of the brokers are voters of a dynamic quorum, from broker 1 on; 0 when the voters are static
}

// The topologies there are. Each has brokers 1, 2 and 3.
var (
	Combined         = Topology{}            // each broker is a controller as well, in the same process
	OneController    = Topology{separate: 1} // controller 101 apart from the brokers
	ThreeControllers = Topology{separate: 3} // controllers 101, 102 and 103 apart from the brokers
	OneVoter         = Topology{dynamic: 1}  // each broker is a controller as well, and broker 1 the only voter yet
	ThreeVoters      = Topology{dynamic: 3}  // the same once brokers 2 and 3 were added
)

// Topologies are all of them, the default first.
var Topologies = []Topology{Combined, OneController, ThreeControllers, OneVoter, ThreeVoters}

// String is the topology as features name it: "three brokers with one separate controller".
func (t Topology) String() string {
	switch t {
	case Combined:
		return "three brokers"
	case OneController:
		return "three brokers with one separate controller"
	case ThreeControllers:
		return "three brokers with three separate controllers"
	case OneVoter:
		return "three brokers with a dynamic quorum of one voter"
	case ThreeVoters:
		return "three brokers with a dynamic quorum of three voters"
	}
	return fmt.Sprintf("three brokers with %d separate controllers and %d voters of a dynamic quorum", t.separate, t.dynamic)
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
	switch {
	case t.separate > 0:
		return t.Controllers()
	case t.Dynamic():
		return t.Brokers()[:t.dynamic]
	}
	return t.Brokers()
}

// IsVoter reports whether a node is one of those that form the quorum.
func (t Topology) IsVoter(id int) bool { return slices.Contains(t.Voters(), id) }

// Dynamic reports whether voters can be added and removed.
func (t Topology) Dynamic() bool { return t.dynamic > 0 }

// roles is the process.roles of a node. In a dynamic quorum a node is a controller before it is a voter.
func (t Topology) roles(id int) string {
	var roles []string
	if slices.Contains(t.Brokers(), id) {
		roles = append(roles, "broker")
	}
	if t.separate == 0 || slices.Contains(t.Controllers(), id) {
		roles = append(roles, "controller")
	}
	return strings.Join(roles, ",")
}

// quorumSettings tell a node who its controllers are, or where it may ask for them.
func (t Topology) quorumSettings() Properties {
	if t.Dynamic() {
		var servers []string
		for _, id := range t.Nodes() {
			servers = append(servers, fmt.Sprintf("%s:%d", Controllers.host(id), controllerPort))
		}
		return Properties{"controller.quorum.bootstrap.servers": strings.Join(servers, ",")}
	}
	voters := make([]string, 0, len(t.Voters()))
	for _, id := range t.Voters() {
		voters = append(voters, fmt.Sprintf("%d@%s:%d", id, Controllers.host(id), controllerPort))
	}
	return Properties{"controller.quorum.voters": strings.Join(voters, ",")}
}
