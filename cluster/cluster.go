// Package cluster runs real three-broker Kafka clusters in KRaft mode: it starts them, changes them one node at a
// time and observes them. What it reports was seen in the brokers' own answers, never concluded from log lines or
// from a call that came back without an error.
//
// It knows nothing of godog, of testing or of what is written to Kafka. Broker addresses are the one thing that it
// gives to package fixtures.
package cluster

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"kafka-ha/cluster/engine"
)

// Cluster is the nodes of a topology on container networks of their own, each with a volume of its own.
type Cluster struct {
	ID      string // unique within the run; part of every container's name
	KafkaID string // the cluster id that the nodes were formatted with
	Head    Head   // what runs here, known once the cluster is ready

	engine      *engine.Session
	mine        bool // the session began with this cluster and ends with it
	image       engine.Image
	topology    Topology
	settings    Settings
	overlay     Overlay
	labels      map[string]string
	progress    func(string)
	brokers     []*Broker
	controllers []*Node // those that are nothing else
	subnets     [networks]netip.Prefix
	ports       func(n int) ([]int, error)
	patience    time.Duration // how long a broker may take to shut down cleanly
	limits      limits

	founded bool  // a dynamic quorum has been founded, so that nodes are formatted to join it
	voters  []int // of a dynamic quorum, ids as the suite has changed them; nil before any change
	altered bool  // the suite has changed the members of a dynamic quorum, or tried to
}

// limits make a node's surroundings too small for it, for tests. The zero value sets none.
type limits struct {
	memory int64             // bytes of each container
	volume map[string]string // options of the volume driver
}

// Start starts a cluster and returns it once it is observed to be ready (see AwaitReady). On an error it leaves
// nothing behind.
func Start(ctx context.Context, opts ...Option) (*Cluster, error) {
	c, err := prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := c.boot(ctx); err != nil {
		// The caller's context may be what ended the start; removing needs one that is alive.
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func prepare(ctx context.Context, opts []Option) (*Cluster, error) {
	c := &Cluster{ID: newClusterID(), KafkaID: NewKafkaID(), progress: func(string) {}, ports: freePorts, patience: shutdownWithin}
	for _, opt := range opts {
		opt(c)
	}
	if c.engine == nil {
		session, err := engine.Begin(ctx, false, c.progress)
		if err != nil {
			return nil, err
		}
		c.engine, c.mine = session, true
	}
	if err := c.prepareImage(ctx); err != nil {
		if c.mine {
			return nil, errors.Join(err, c.engine.End(context.WithoutCancel(ctx), false))
		}
		return nil, err
	}
	c.populate()
	if said := c.settings.over(c.overlay); said != "" {
		c.progress("settings: " + said)
	}
	return c, nil
}

// populate gives the cluster the nodes of its topology.
func (c *Cluster) populate() {
	for _, id := range c.topology.Brokers() {
		c.brokers = append(c.brokers, &Broker{Node: Node{ID: id, cluster: c}})
	}
	for _, id := range c.topology.Controllers() {
		c.controllers = append(c.controllers, &Node{ID: id, cluster: c, controller: true})
	}
}

func (c *Cluster) prepareImage(ctx context.Context) error {
	var err error
	if c.labels, err = c.engine.Run.Labels(); err != nil {
		return err
	}
	c.labels[engine.LabelCluster] = c.ID
	if c.image.Name == "" {
		c.image, err = c.engine.ChooseImage(ctx, c.progress)
	}
	return err
}

// boot makes networks, volumes and containers, all nodes at once, and waits until they are one cluster.
func (c *Cluster) boot(ctx context.Context) error {
	began := time.Now()
	if err := c.createNetworks(ctx); err != nil {
		return err
	}
	ports, err := c.ports(len(c.brokers))
	if err != nil {
		return err
	}
	for i, b := range c.brokers {
		b.port = ports[i]
	}
	err = c.eachNode(func(n *Node) error { return n.create(ctx) })
	if err != nil {
		return err
	}
	if err := c.form(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	if c.Head, err = c.describe(ctx); err != nil {
		return err
	}
	c.Head.Took = took
	return c.remember(ctx)
}

// Close removes the cluster's containers, networks and volumes, killing what runs.
func (c *Cluster) Close(ctx context.Context) error {
	for _, b := range c.brokers {
		b.disconnect()
	}
	if c.engine == nil {
		return nil // it has nothing
	}
	err := c.engine.Remove(ctx, engine.OfCluster(c.ID))
	if c.mine {
		err = errors.Join(err, c.engine.End(ctx, false))
	}
	return err
}

// Bootstrap returns the client addresses of all brokers, running or not, in order of their ids.
func (c *Cluster) Bootstrap() []string {
	addresses := make([]string, 0, len(c.brokers))
	for _, b := range c.brokers {
		addresses = append(addresses, b.Address())
	}
	return addresses
}

// Brokers returns all brokers in order of their ids.
func (c *Cluster) Brokers() []*Broker { return slices.Clone(c.brokers) }

// Broker returns the broker with an id, or an error that names the ids there are.
func (c *Cluster) Broker(id int) (*Broker, error) {
	for _, b := range c.brokers {
		if b.ID == id {
			return b, nil
		}
	}
	return nil, fmt.Errorf("broker %d: the cluster has brokers %v", id, c.topology.Brokers())
}

// Nodes returns all nodes in order of their ids: the brokers, then the controllers that are nothing else.
func (c *Cluster) Nodes() []*Node {
	nodes := make([]*Node, 0, len(c.brokers)+len(c.controllers))
	for _, b := range c.brokers {
		nodes = append(nodes, &b.Node)
	}
	return append(nodes, c.controllers...)
}

// Node returns the node with an id, or an error that names the ids there are.
func (c *Cluster) Node(id int) (*Node, error) {
	for _, n := range c.Nodes() {
		if n.ID == id {
			return n, nil
		}
	}
	return nil, fmt.Errorf("node %d: the cluster has nodes %v", id, c.topology.Nodes())
}

// Controllers returns the nodes that form the quorum, in order of their ids: the brokers themselves in a combined
// topology.
func (c *Cluster) Controllers() []*Node {
	voters := c.Voters()
	return slices.DeleteFunc(c.Nodes(), func(n *Node) bool { return !slices.Contains(voters, n.ID) })
}

// Topology returns the cluster's shape.
func (c *Cluster) Topology() Topology { return c.topology }

// eachBroker runs do for all brokers at once and joins the errors.
func (c *Cluster) eachBroker(do func(*Broker) error) error { return atOnce(c.brokers, do) }

// eachNode runs do for all nodes at once and joins the errors.
func (c *Cluster) eachNode(do func(*Node) error) error { return atOnce(c.Nodes(), do) }

func atOnce[N any](all []N, do func(N) error) error {
	problems := make([]error, len(all))
	var running sync.WaitGroup
	for i, one := range all {
		running.Go(func() { problems[i] = do(one) })
	}
	running.Wait()
	return errors.Join(problems...)
}

func (c *Cluster) network() string { return "kafka-ha-" + c.ID }

// HowToReach says where a kept cluster answers and how to remove it.
func (c *Cluster) HowToReach() string {
	var names []string
	for _, n := range c.Nodes() {
		names = append(names, n.name())
	}
	running, err := c.reachable()
	if err != nil {
		running = c.brokers[0] // none will do
	}
	return fmt.Sprintf("cluster %s is kept: bootstrap servers %s; containers %s, in which Kafka's tools reach it, as in: "+
		"docker exec %s kafka-topics.sh --bootstrap-server %s:%d --list; remove it with: make sweep",
		c.ID, strings.Join(c.Bootstrap(), ","), strings.Join(names, ", "), running.name(), hostname(running.ID), brokerPort)
}

func newClusterID() string { return engine.NewRun(false).ID }

// NewKafkaID returns a random id of a cluster or a directory as kafka-storage random-uuid does: 16 bytes, base64 for URLs.
func NewKafkaID() string {
	var id [16]byte
	for {
		_, _ = rand.Read(id[:]) // never fails, see crypto/rand
		if text := base64.RawURLEncoding.EncodeToString(id[:]); !strings.HasPrefix(text, "-") {
			return text // Kafka's tools would take a leading dash for an option
		}
	}
}
