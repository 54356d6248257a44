package cluster

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
)

// freshPool is the smallest address pool that an engine may give.
func freshPool(t *testing.T) netip.Prefix {
	t.Helper()
	pool, err := netip.ParsePrefix("172.20.128.0/25")
	require.NoError(t, err)
	return pool
}

// advertising is a view in which all brokers agree on where each of them is.
func advertising(at map[int]string) View {
	seen := BrokerView{Registered: []int{1, 2, 3}, Advertised: at}
	return View{Brokers: map[int]BrokerView{1: seen, 2: seen, 3: seen}, Quorum: Quorum{Leader: 1, Voters: []QuorumReplica{{ID: 1}, {ID: 2}, {ID: 3}}}}
}

func TestRefused(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	somebody := listener.Addr().String()
	t.Cleanup(func() { _ = listener.Close() })
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := closed.Addr().String()
	require.NoError(t, closed.Close())

	as := func(three string) View {
		return advertising(map[int]string{1: "127.0.0.1:20001", 2: "127.0.0.1:20002", 3: three})
	}
	twoVote := as("127.0.0.1:20003")
	twoVote.Quorum.Voters = twoVote.Quorum.Voters[:2]
	leaderless := twoVote
	leaderless.Quorum.Leader = -1
	unknown := as("")
	delete(unknown.Brokers[1].Advertised, 3)
	for name, c := range map[string]struct {
		view View
		want string // of broker 3
	}{
		"each where it says, nobody":                        {as("127.0.0.1:20003"), ""},
		"broker that is not registered yet, nobody":         {unknown, ""},
		"no active controller to tell who votes, nobody":    {leaderless, ""},
		"two of one address, the one that is not there":     {as("127.0.0.1:20002"), "broker 3 advertises 127.0.0.1:20002, as broker 2 does, and is reached on 127.0.0.1:20003"},
		"address where nobody answers, its broker":          {as(nobody), "broker 3 advertises " + nobody + ", where nobody answers ("},
		"address where somebody else answers, its broker":   {as(somebody), "broker 3 advertises " + somebody + ", and is reached on 127.0.0.1:20003"},
		"a quorum without it, the broker that is a voter":   {twoVote, "broker 3 is no voter: the quorum has voters [1 2], want [1 2 3]"},
		"address that is none, the broker that gave it out": {as("no-address"), "broker 3 advertises no-address, where nobody answers ("},
	} {
		t.Run(name, func(t *testing.T) {
			err := node(t, Combined, 1).cluster.refused(t.Context(), c.view)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			found, ok := asRefusals(err)
			require.True(t, ok, "%v", err)
			require.Len(t, found, 1)
			assert.Equal(t, 3, found[0].ID)
			assert.True(t, strings.HasPrefix(found[0].Error(), c.want), found[0].Error())
			assert.True(t, wait.IsStop(err), "no wait can mend it")
		})
	}
	t.Run("controllers apart, none of them a voter, are named one by one", func(t *testing.T) {
		view := as("127.0.0.1:20003")
		err := node(t, ThreeControllers, 1).cluster.refused(t.Context(), view)
		require.ErrorContains(t, err, "controller 101 is no voter: ")
		require.ErrorContains(t, err, "\ncontroller 103 is no voter: ")
		assert.NotContains(t, err.Error(), "broker 1 is no voter")
	})
}

func TestTakes(t *testing.T) {
	c := node(t, Combined, 1).cluster
	whole := advertising(map[int]string{})
	silent := advertising(map[int]string{})
	delete(silent.Brokers, 3)
	unregistered := advertising(map[int]string{})
	unregistered.Brokers[2] = BrokerView{Registered: []int{1, 2}}
	leaderless := advertising(map[int]string{})
	leaderless.Quorum.Leader = -1
	for name, tc := range map[string]struct {
		view View
		want bool
	}{
		"that answers and is registered, is taken":      {whole, true},
		"that does not answer, is not":                  {silent, false},
		"that one broker does not see, is not":          {unregistered, false},
		"of a cluster without controller, nobody knows": {leaderless, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, c.takes(&c.brokers[2].Node, tc.view)) })
	}
}

func TestRefusalLines(t *testing.T) {
	for line, want := range map[string]bool{
		"ERROR [RaftManager id=3] Unexpected error INCONSISTENT_CLUSTER_ID in FETCH response: …":                         true,
		"INFO Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION":           true,
		"WARN [RaftManager id=2] Connection to node 3 could not be established. Node may not be available.":              false,
		"INFO [BrokerLifecycleManager id=3] Unable to register the broker because the RPC got timed out before it began": false,
	} {
		assert.Equal(t, want, refusal.MatchString(line), line)
	}
	assert.Equal(t, "short", shortened("short"))
	assert.Len(t, shortened(strings.Repeat("x", 5*quoted)), quoted+len("…"))
	_, ok := asRefusals(errors.New("another error"))
	assert.False(t, ok)
	assert.Equal(t, "a\nb", Refusals{{ID: 1, Why: "a"}, {ID: 2, Why: "b"}}.Error())
}

func TestNotFoundByPeers(t *testing.T) {
	c := node(t, Combined, 1).cluster
	for advertised, want := range map[string]string{
		"CLIENT://127.0.0.1:20003,BROKER://broker-3:9093": "",
		"": "",
		"CLIENT://127.0.0.1:20003,BROKER://broker-2:9093":  "broker 3 advertises broker-2:9093 to the other brokers, where broker 2 is, and is reached on broker-3:9093",
		"BROKER://broker-33:9093,CLIENT://127.0.0.1:20003": "broker 3 advertises broker-33:9093 to the other brokers, where nobody is, and is reached on broker-3:9093",
	} {
		assert.Equal(t, want, c.notFoundByPeers(c.brokers[2], advertised), advertised)
	}
}
