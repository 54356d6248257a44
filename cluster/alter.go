package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Alteration is how a node differs from what its cluster's topology makes of it: what somebody gets wrong who builds or
// mends a cluster by hand. The zero value is a node as it should be.
type Alteration struct {
	ForeignID string // the cluster id that its volume, another one than its own, is formatted for
	NodeID    int    // the node that it takes itself for, on a volume that is formatted for that one
	VolumeOf  int    // the node whose volume it has
	Voters    []int  // those of the topology's voters that its configuration names; nil for all of them
	Observer  bool   // it is a broker only, where the topology has it vote
	Client    string // the address that it advertises to clients
	Peer      int    // the node whose address it advertises to the other brokers
	Move      Move   // it has other addresses on the container networks
	Stale     bool   // its own configuration has the names that it had before it moved
}

// Move is what became of a node's addresses.
type Move int

// Moves. The nodes of a cluster know each other by name; where they are written down by address, as many guides do it, a
// new address is a new name.
const (
	Stays       Move = iota
	Readdressed      // new addresses behind the same names
	Renamed          // new names and new addresses; nobody answers under the former names
)

// renamed ends the names of a node that was renamed.
const renamed = "-moved"

// ForeignCluster is a node on a volume that was formatted for another cluster.
func ForeignCluster() Alteration { return Alteration{ForeignID: NewKafkaID()} }

// Unanswered is a broker that tells clients of an address where nobody answers.
func (c *Cluster) Unanswered() (Alteration, error) {
	free, err := c.ports(1)
	if err != nil {
		return Alteration{}, err
	}
	return Alteration{Client: fmt.Sprintf("127.0.0.1:%d", free[0])}, nil
}

// Alter makes a stopped node anew as somebody has altered it, on the volume that goes with that. The zero Alteration
// makes it what it should be, on its own volume, which nothing has touched meanwhile. Others that were renamed are in its
// configuration under their new names from then on.
func (n *Node) Alter(ctx context.Context, as Alteration) error {
	if err := n.removeContainer(ctx); err != nil {
		return err
	}
	if other := n.otherVolume(); n.volume() == other {
		if err := n.removeVolume(ctx, other); err != nil {
			return err
		}
	}
	n.mu.Lock()
	n.as = as
	n.mu.Unlock()
	return n.make(ctx, false)
}

// Altered returns how the node differs from what it should be.
func (n *Node) Altered() Alteration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.as
}

// None reports that the node is what it should be.
func (a Alteration) None() bool { return reflect.ValueOf(a).IsZero() }

// Carries reports, by the engine's word, whether the node has the configuration and the volume of its alteration.
func (n *Node) Carries(ctx context.Context) error {
	inspected, err := n.cluster.engine.ContainerInspect(ctx, n.container, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("%s: inspect: %w", n, err)
	}
	for _, m := range inspected.Container.Mounts {
		if m.Destination == dataDir && m.Name != n.volume() {
			return fmt.Errorf("%s has volume %s, not %s", n, m.Name, n.volume())
		}
	}
	settings, err := n.file(ctx, "/kafka-ha/server.properties")
	if err == nil && settings != n.properties().String() {
		err = fmt.Errorf("%s has another configuration than it was given", n)
	}
	return err
}

// file reads a small file of the node's container, whether it runs or not.
func (n *Node) file(ctx context.Context, name string) (string, error) {
	content, err := n.cluster.readFile(ctx, n, name)
	return string(content), err
}

func (n *Node) otherVolume() string { return n.name() + "-other" }

// volume is the name of the volume that the node's container has.
func (n *Node) volume() string {
	as := n.Altered()
	if as.ForeignID != "" || as.NodeID != 0 {
		return n.otherVolume()
	}
	if owner, err := n.cluster.Node(as.VolumeOf); err == nil {
		return owner.name()
	}
	return n.name()
}

// OwnVolume is an error while the node has another volume than its own: what lies on that tells nothing of its own.
func (n *Node) OwnVolume() error {
	if n.volume() != n.name() {
		return fmt.Errorf("%s has another volume than its own now, which would be looked at instead; let it return first", n)
	}
	return nil
}

// lent is an error while another node has the node's volume.
func (n *Node) lent() error {
	for _, other := range n.cluster.Nodes() {
		if other.ID != n.ID && other.volume() == n.name() {
			return fmt.Errorf("%s has the volume of %s, which can not be lost meanwhile; let it return first", other, n)
		}
	}
	return nil
}

// formattedFor is the cluster id that an empty volume of the node is formatted with.
func (n *Node) formattedFor() string { return cmp.Or(n.Altered().ForeignID, n.cluster.KafkaID) }

// takesItselfFor is the id in the node's configuration.
func (n *Node) takesItselfFor() int { return cmp.Or(n.Altered().NodeID, n.ID) }

// host is the node's name on a network.
func (n *Node) host(on Network) string {
	if n.Altered().Move == Renamed {
		return on.host(n.ID) + renamed
	}
	return on.host(n.ID)
}

// beyond is how far the new addresses lie behind those of all nodes that a cluster may have.
const beyond = 10

// address is the node's place on a network.
func (n *Node) address(on Network) netip.Addr {
	at := n.cluster.address(on, n.ID)
	if n.Altered().Move == Stays {
		return at
	}
	for range beyond {
		at = at.Next()
	}
	return at
}

// alter writes the alterations into the node's settings: its own, and the names of those that were renamed.
func (n *Node) alter(p Properties) {
	as := n.Altered()
	p["node.id"] = strconv.Itoa(n.takesItselfFor())
	if voters := p["controller.quorum.voters"]; as.Voters != nil {
		p["controller.quorum.voters"] = strings.Join(slices.DeleteFunc(strings.Split(voters, ","), func(voter string) bool {
			id, _, _ := strings.Cut(voter, "@")
			return !slices.ContainsFunc(as.Voters, func(one int) bool { return strconv.Itoa(one) == id })
		}), ",")
	}
	if as.Observer {
		p["process.roles"] = "broker"
		p["listeners"], _, _ = strings.Cut(p["listeners"], ",CONTROLLER://")
	}
	if as.Client != "" {
		p["advertised.listeners"] = strings.Replace(p["advertised.listeners"], fmt.Sprintf("127.0.0.1:%d", n.port), as.Client, 1)
	}
	if as.Peer != 0 {
		own, other := "BROKER://"+Brokers.host(n.ID)+":", "BROKER://"+Brokers.host(as.Peer)+":"
		p["advertised.listeners"] = strings.Replace(p["advertised.listeners"], own, other, 1)
	}
	for _, other := range n.cluster.Nodes() {
		if other.Altered().Move == Renamed && (other.ID != n.ID || !as.Stale) {
			rename(p, other.ID)
		}
	}
}

// addressed are the settings in which nodes have addresses.
var addressed = []string{"listeners", "advertised.listeners", "controller.quorum.voters", "controller.quorum.bootstrap.servers"}

func rename(p Properties, node int) {
	for _, key := range addressed {
		for on := range networks {
			if at, ok := p[key]; ok {
				p[key] = strings.ReplaceAll(at, on.host(node)+":", on.host(node)+renamed+":")
			}
		}
	}
}

// alteredNodes are those that are not what they should be.
func (c *Cluster) alteredNodes() []*Node {
	return slices.DeleteFunc(c.Nodes(), func(n *Node) bool { return n.Altered().None() })
}

// unalter ends the altered nodes and makes them what they should be. It does not start them.
func (c *Cluster) unalter(ctx context.Context) error {
	var problems []error
	for _, n := range c.alteredNodes() {
		running, err := n.Running(ctx)
		if err == nil && running {
			_, err = n.Kill(ctx)
		}
		if err != nil && !errdefs.IsNotFound(err) { // without a container there is nothing to end
			problems = append(problems, err)
			continue
		}
		problems = append(problems, n.Alter(ctx, Alteration{}))
	}
	return errors.Join(problems...)
}
