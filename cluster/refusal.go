package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kafka-ha/cluster/wait"
)

// Refused is a node that the others do not take, or that clients do not find, with the reason. No wait mends it: a
// process that lives is not yet a broker of the cluster.
type Refused struct { //nolint:errname // callers read cluster.Refused, which says it better
	ID  int
	Why string // names the node
}

// Error is the reason.
func (r *Refused) Error() string { return r.Why }

// Refusals are the nodes because of which a cluster will not be ready, ids ascending.
type Refusals []*Refused //nolint:errname // as above

// Error has a line, or a block, for each node.
func (r Refusals) Error() string {
	lines := make([]string, 0, len(r))
	for _, one := range r {
		lines = append(lines, one.Why)
	}
	return strings.Join(lines, "\n")
}

// refused returns an error that ends any wait when a node can never be what the topology says. Each is something that
// was observed: who votes, where brokers say that they are, what a volume is formatted for. That a volume is another
// node's is no refusal yet: that the node was turned away for it must stand in its own log, or it has exited.
func (c *Cluster) refused(ctx context.Context, view View) error {
	var found Refusals
	for _, n := range c.Nodes() {
		why := c.topology.neverVotes(n, view.Quorum)
		if why == "" && n.IsBroker() {
			why = c.notFound(n, view)
		}
		if why == "" && !c.takes(n, view) {
			why = n.turnedAway(ctx)
		}
		if why != "" {
			found = append(found, &Refused{ID: n.ID, Why: why})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return wait.Stop(found)
}

// neverVotes tells of a node that should vote and does not, where the voters are fixed.
func (t Topology) neverVotes(n *Node, quorum Quorum) string {
	voters := idsOf(quorum.Voters)
	if t.Dynamic() || quorum.Leader < 0 || !t.IsVoter(n.ID) || slices.Contains(voters, n.ID) {
		return ""
	}
	return fmt.Sprintf("%s is no voter: the quorum has voters %v, want %v (controller.quorum.voters, fixed at the start)",
		n, voters, t.Voters())
}

// answersWithin bounds the opening of a connection on this machine.
const answersWithin = time.Second

// notFound tells of a broker that advertises an address at which clients do not find it. Kafka takes any.
func (c *Cluster) notFound(n *Node, view View) string {
	at := view.advertised(n.ID)
	own := fmt.Sprintf("127.0.0.1:%d", n.port)
	if at == "" || at == own {
		return ""
	}
	for _, other := range c.brokers {
		if other.ID != n.ID && view.advertised(other.ID) == at {
			return fmt.Sprintf("%s advertises %s, as %s does, and is reached on %s: clients find only one of them", n, at, other, own)
		}
	}
	connection, err := net.DialTimeout("tcp", at, answersWithin)
	if err != nil {
		return fmt.Sprintf("%s advertises %s, where nobody answers (%v), and is reached on %s", n, at, err, own)
	}
	_ = connection.Close()
	return fmt.Sprintf("%s advertises %s, and is reached on %s", n, at, own)
}

// notFoundByPeers tells of a broker that advertises an address at which the other brokers do not find it.
func (c *Cluster) notFoundByPeers(b *Broker, advertised string) string {
	own := fmt.Sprintf("%s:%d", b.host(Brokers), brokerPort)
	for endpoint := range strings.SplitSeq(advertised, ",") {
		at, ok := strings.CutPrefix(strings.TrimSpace(endpoint), "BROKER://")
		if !ok || at == own {
			continue
		}
		for _, other := range c.brokers {
			if at == fmt.Sprintf("%s:%d", other.host(Brokers), brokerPort) {
				return fmt.Sprintf("%s advertises %s to the other brokers, where %s is, and is reached on %s", b, at, other, own)
			}
		}
		return fmt.Sprintf("%s advertises %s to the other brokers, where nobody is, and is reached on %s", b, at, own)
	}
	return ""
}

// takes reports whether the others take a node for what it should be.
func (c *Cluster) takes(n *Node, view View) bool {
	if view.Quorum.Leader < 0 {
		return false
	}
	if n.IsBroker() {
		if _, answers := view.Brokers[n.ID]; !answers {
			return false
		}
	}
	for _, seen := range view.Brokers {
		if n.IsBroker() && !slices.Contains(seen.Registered, n.ID) {
			return false
		}
	}
	return true
}

// turnedAway tells why a node that runs, or that was altered and has exited, is none of the cluster's; empty when it may
// still come to be one.
func (n *Node) turnedAway(ctx context.Context) string {
	if !n.isWanted() {
		return ""
	}
	if why, gone := n.exitedAltered(ctx); gone {
		return why
	}
	is, ok := n.identity(ctx)
	if !ok || is == n.wantedIdentity() {
		return ""
	}
	word := n.lastRefusal(ctx)
	if word == "" {
		return ""
	}
	return fmt.Sprintf("%s is turned away: its volume is formatted for %s, want %s. Its log: %s", n, is, n.wantedIdentity(), word)
}

// exitedAltered tells how a node that somebody has altered ended by itself. The exit of any other ends every wait.
func (n *Node) exitedAltered(ctx context.Context) (string, bool) {
	if n.Altered().None() {
		return "", false
	}
	return n.ExitedByItself(ctx)
}

// ExitedByItself reports whether the node is meant to run and does not, and how it ended, with its last log lines.
func (n *Node) ExitedByItself(ctx context.Context) (string, bool) {
	state, err := n.state(ctx)
	if err != nil || state.Running || state.Status == "created" || !n.isWanted() {
		return "", false
	}
	logs, err := n.Logs(ctx, time.Time{})
	if err != nil {
		logs = err.Error()
	}
	return describeExit(n, state, logs), true
}

// identity is what a volume says of its node (meta.properties).
type identity struct{ cluster, node string }

func (i identity) String() string { return fmt.Sprintf("cluster %s, node %s", i.cluster, i.node) }

func (n *Node) wantedIdentity() identity { return identity{n.cluster.KafkaID, strconv.Itoa(n.ID)} }

// identity reads the node's volume, once in each of its lives; not formatted yet, it has none.
func (n *Node) identity(ctx context.Context) (identity, bool) {
	n.mu.Lock()
	life, known := n.life, n.known
	n.mu.Unlock()
	if known.life == life {
		return known.is, known.is != identity{}
	}
	text, err := n.file(ctx, dataDir+"/meta.properties")
	if err != nil {
		return identity{}, false
	}
	var is identity
	for line := range strings.Lines(text) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), "="); key {
		case "cluster.id":
			is.cluster = value
		case "node.id":
			is.node = value
		}
	}
	if is.cluster == "" || is.node == "" {
		return is, false // it is being written
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known = knownIdentity{life: life, is: is}
	return is, true
}

type knownIdentity struct {
	life string
	is   identity
}

// refusal is a line with which a node says that it was turned away. Brokers say it of a registration that they will try
// again, controllers of each request.
var refusal = regexp.MustCompile(`INCONSISTENT_CLUSTER_ID|DUPLICATE_BROKER_REGISTRATION`)

// lastRefusal is the latest such line of the node's present life, with what names its cause and no more.
func (n *Node) lastRefusal(ctx context.Context) string {
	n.mu.Lock()
	life := n.life
	n.mu.Unlock()
	since, err := time.Parse(time.RFC3339Nano, life)
	if err != nil {
		return ""
	}
	logs, err := n.Logs(ctx, since)
	if err != nil {
		return ""
	}
	last := ""
	for line := range strings.Lines(logs) {
		if refusal.MatchString(line) {
			last = line
		}
	}
	return strings.TrimSpace(shortened(last))
}

// quoted is how much of a line is told; Kafka prints whole requests and responses.
const quoted = 200

func shortened(line string) string {
	if len(line) > quoted {
		return line[:quoted] + "…"
	}
	return line
}

// asRefusals returns the refusals that an error is about.
func asRefusals(err error) (Refusals, bool) {
	var found Refusals
	ok := errors.As(err, &found)
	return found, ok
}
