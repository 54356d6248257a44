package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"kafka-ha/cluster/engine"
)

// Network is one of the three container networks of a cluster. Each listener has a network of its own, so that a broker
// can be cut off from clients, from brokers or from controllers alone, by disconnecting it from one of them.
type Network int

// The networks, each with what goes over it.
const (
	Clients     Network = iota // CLIENT listeners, which are published on the host
	Brokers                    // BROKER listeners: replication
	Controllers                // CONTROLLER listeners: the quorum, registration and heartbeats
	networks
)

// String is the network's word in messages and in its name on the engine.
func (n Network) String() string {
	return [...]string{"clients", "brokers", "controllers"}[n]
}

// host is the name of a node on the network. It resolves while the node runs and is connected there, and not at all
// otherwise. That is as good as a refused connection, at once; to a fixed address of a node that is gone Kafka would try
// to connect for socket.connection.setup.timeout.ms (10 s), its heartbeats with it (tried on Kafka 4.3.1).
func (n Network) host(id int) string {
	switch n {
	case Clients:
		return fmt.Sprintf("broker-%d.clients", id)
	case Controllers:
		return fmt.Sprintf("controller-%d", id)
	default:
		return hostname(id)
	}
}

// nameOptions bound a question for a name that does not resolve. An engine passes it on to name servers that a container
// may have no way to, and the JVM would wait 10 s for them.
var nameOptions = []string{"timeout:1", "attempts:1"}

// subnetTries is how often another process may take the address pool that the engine has just offered.
const subnetTries = 5

// firstHost leaves the first addresses of a subnet to the engine's gateway.
const firstHost = 10

// createNetworks makes the three networks in one of the engine's address pools. The engine keeps a container's address
// only in a subnet that was asked for by name, so it is made to choose a pool first, which is then divided.
func (c *Cluster) createNetworks(ctx context.Context) error {
	ctx, cancel, err := seeThrough(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	for try := 1; ; try++ {
		pool, err := c.offeredPool(ctx)
		if err == nil {
			err = c.divide(ctx, pool)
		}
		if err == nil || !isPoolClash(err) || try == subnetTries {
			return explainNetwork(err)
		}
		if err := c.removeNetworks(ctx); err != nil {
			return explainNetwork(err)
		}
	}
}

// offeredPool lets the engine choose a subnet and gives it back.
func (c *Cluster) offeredPool(ctx context.Context) (netip.Prefix, error) {
	made, err := c.engine.NetworkCreate(ctx, c.network(), client.NetworkCreateOptions{Driver: "bridge", Labels: c.labels})
	if err != nil {
		return netip.Prefix{}, err
	}
	found, err := c.engine.NetworkInspect(ctx, made.ID, client.NetworkInspectOptions{})
	if err != nil {
		return netip.Prefix{}, err
	}
	if _, err := c.engine.NetworkRemove(ctx, made.ID, client.NetworkRemoveOptions{}); err != nil {
		return netip.Prefix{}, err
	}
	for _, config := range found.Network.IPAM.Config {
		if config.Subnet.Addr().Is4() {
			return config.Subnet.Masked(), nil
		}
	}
	return netip.Prefix{}, fmt.Errorf("the engine gives networks no IPv4 addresses")
}

// divide makes the networks. Only the clients' one leads out of the engine: nothing but its listener is published.
func (c *Cluster) divide(ctx context.Context, pool netip.Prefix) error {
	for n := range networks {
		subnet, err := part(pool, int(n))
		if err != nil {
			return err
		}
		_, err = c.engine.NetworkCreate(ctx, c.networkName(n), client.NetworkCreateOptions{
			Driver: "bridge", Labels: c.labels, Internal: n != Clients,
			IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: subnet}}},
		})
		if err != nil {
			return err
		}
		c.subnets[n] = subnet
	}
	return nil
}

// part returns a quarter of an address pool.
func part(pool netip.Prefix, quarter int) (netip.Prefix, error) {
	const smallest = 25 // bits of a pool whose quarters have room for a cluster: 29 nodes less the first addresses
	bits := pool.Bits() + 2
	if pool.Bits() > smallest {
		return netip.Prefix{}, fmt.Errorf("the engine's address pool %s is too small for three networks, want /%d", pool, smallest)
	}
	base := pool.Addr().As4()
	value := uint32(base[0])<<24 | uint32(base[1])<<16 | uint32(base[2])<<8 | uint32(base[3])
	value += uint32(quarter) << (32 - bits)
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), bits), nil
}

// address is the place of a node on a network, for life.
func (c *Cluster) address(n Network, node int) netip.Addr {
	at := c.subnets[n].Addr()
	for range firstHost + c.place(node) {
		at = at.Next()
	}
	return at
}

// place counts the nodes of the cluster from 0.
func (c *Cluster) place(node int) int {
	return slices.Index(c.topology.Nodes(), node)
}

// networks are those that a node has a listener on, or needs to reach others.
func (n *Node) networks() []Network {
	if n.controller {
		return []Network{Controllers}
	}
	return []Network{Clients, Brokers, Controllers}
}

// endpoint is what a node is on a network.
func (n *Node) endpoint(on Network) *network.EndpointSettings {
	return &network.EndpointSettings{
		Aliases:    []string{n.host(on)},
		IPAMConfig: &network.EndpointIPAMConfig{IPv4Address: n.address(on)},
	}
}

func (c *Cluster) networkName(n Network) string { return c.network() + "-" + n.String() }

func (c *Cluster) removeNetworks(ctx context.Context) error {
	for n := range networks {
		_, err := c.engine.NetworkRemove(ctx, c.networkName(n), client.NetworkRemoveOptions{})
		if err != nil && !errdefs.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// isPoolClash tells that somebody else has taken the addresses between choosing and using them.
func isPoolClash(err error) bool { return strings.Contains(err.Error(), "overlaps with other") }

func explainNetwork(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "non-overlapping IPv4 address pool"), strings.Contains(err.Error(), "all predefined address pools"):
		return &engine.Problem{
			What: "the engine has no addresses left for another network",
			Do:   "remove networks that nobody uses (docker network prune) and run again", Err: err,
		}
	}
	return fmt.Errorf("container networks: %w", err)
}
