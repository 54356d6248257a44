package cluster

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
)

func TestPart(t *testing.T) {
	for name, c := range map[string]struct{ pool, first, second, third string }{
		"usual pool":     {"172.31.0.0/16", "172.31.0.0/18", "172.31.64.0/18", "172.31.128.0/18"},
		"second kind":    {"192.168.240.0/20", "192.168.240.0/22", "192.168.244.0/22", "192.168.248.0/22"},
		"smallest there": {"10.0.0.128/25", "10.0.0.128/27", "10.0.0.160/27", "10.0.0.192/27"},
	} {
		t.Run(name+", divided, has three parts that share nothing", func(t *testing.T) {
			for quarter, want := range []string{c.first, c.second, c.third} {
				got, err := part(netip.MustParsePrefix(c.pool), quarter)
				require.NoError(t, err)
				assert.Equal(t, want, got.String())
			}
		})
	}
	t.Run("pool without room, is refused with its size", func(t *testing.T) {
		_, err := part(netip.MustParsePrefix("10.0.0.0/27"), 0)
		require.EqualError(t, err, "the engine's address pool 10.0.0.0/27 is too small for three networks, want /25")
	})
}

func TestAddresses(t *testing.T) {
	c := &Cluster{topology: OneController}
	c.populate()
	for n := range networks {
		subnet, err := part(netip.MustParsePrefix("10.0.0.0/16"), int(n))
		require.NoError(t, err)
		c.subnets[n] = subnet
	}
	for n, want := range map[Network]string{
		Clients: "broker-2.clients 10.0.0.11", Brokers: "broker-2 10.0.64.11", Controllers: "controller-2 10.0.128.11",
	} {
		at := c.brokers[1].endpoint(n)
		assert.Equal(t, want, at.Aliases[0]+" "+at.IPAMConfig.IPv4Address.String())
	}
	assert.Equal(t, "10.0.128.13", c.controllers[0].endpoint(Controllers).IPAMConfig.IPv4Address.String())
}

func TestExplainNetwork(t *testing.T) {
	none := errors.New("could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network")
	problem := new(engine.Problem)
	require.ErrorAs(t, explainNetwork(none), &problem)
	assert.Contains(t, problem.Error(), "docker network prune")
	require.EqualError(t, explainNetwork(errors.New("no")), "container networks: no")
	require.NoError(t, explainNetwork(nil))
	assert.True(t, isPoolClash(errors.New("Pool overlaps with other one on this address space")))
}
