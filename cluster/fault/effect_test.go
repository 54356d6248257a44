package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// fakeNode is a broker on an engine that does what it is told, that takes every order and carries out none, or that
// carries it out on another broker.
type fakeNode struct {
	id                       int
	noop                     bool
	other                    *fakeNode
	running, paused, fenced  bool
	formatted                bool
	on                       []cluster.Network
	gently, harshly, kept    bool        // SIGKILL is carried out as SIGTERM, the other way round, volumes are not replaced
	lent                     error       // another node has its volume
	wired                    bool        // connections to peers go some other way
	answers, findsController func() bool // instead of what follows from the state
}

func healthy(id int) *fakeNode {
	return &fakeNode{id: id, running: true, formatted: true, on: []cluster.Network{cluster.Clients, cluster.Brokers, cluster.Controllers}}
}

func (n *fakeNode) String() string { return fmt.Sprintf("broker %d", n.id) }

func (n *fakeNode) do(what func(*fakeNode)) {
	switch {
	case n.other != nil:
		what(n.other)
	case !n.noop:
		what(n)
	}
}

func (n *fakeNode) Shutdown(context.Context) (cluster.Exit, error) { return n.end(!n.harshly), nil }

func (n *fakeNode) Kill(context.Context) (cluster.Exit, error) { return n.end(n.gently), nil }

func (n *fakeNode) end(gently bool) cluster.Exit {
	n.do(func(n *fakeNode) { n.running = false })
	if gently {
		return cluster.Exit{Code: 143, At: exitAt}
	}
	return cluster.Exit{Code: 137, At: exitAt}
}

func (n *fakeNode) CanLoseVolume() error { return n.lent }

func (n *fakeNode) ReplaceVolume(context.Context) error {
	n.do(func(n *fakeNode) { n.formatted = n.kept })
	return nil
}

func (n *fakeNode) Formatted(context.Context) (bool, error) { return n.formatted, nil }

func (n *fakeNode) Start(context.Context) error {
	n.do(func(n *fakeNode) { n.running, n.formatted = true, true })
	return nil
}

func (n *fakeNode) Running(context.Context) (bool, error) { return n.running, nil }

func (n *fakeNode) Pause(context.Context) (time.Time, error) {
	n.do(func(n *fakeNode) { n.paused = true })
	return exitAt, nil
}

func (n *fakeNode) Resume(context.Context) error {
	n.do(func(n *fakeNode) { n.paused = false })
	return nil
}

func (n *fakeNode) Paused(context.Context) (bool, error) { return n.paused, nil }

func (n *fakeNode) Disconnect(_ context.Context, from ...cluster.Network) (time.Time, error) {
	n.do(func(n *fakeNode) {
		n.on = slices.DeleteFunc(slices.Clone(n.on), func(on cluster.Network) bool { return slices.Contains(from, on) })
	})
	return exitAt, nil
}

func (n *fakeNode) Reconnect(context.Context) error {
	n.do(func(n *fakeNode) { n.on = healthy(n.id).on })
	return nil
}

func (n *fakeNode) Connected(context.Context) ([]cluster.Network, error) { return n.on, nil }

func (n *fakeNode) Answers(context.Context, time.Duration) bool {
	if n.answers != nil {
		return n.answers()
	}
	return n.running && !n.paused && slices.Contains(n.on, cluster.Clients)
}

func (n *fakeNode) FindsController(context.Context) bool {
	if n.findsController != nil {
		return n.findsController()
	}
	return slices.Contains(n.on, cluster.Controllers)
}

func (n *fakeNode) Reaches(_ context.Context, _ int, on cluster.Network) (bool, error) {
	return n.wired || slices.Contains(n.on, on), nil
}

func (n *fakeNode) SettingMillis(context.Context, string) (time.Duration, error) { return 0, nil }

// aimAt is a target among two healthy others, and the view that the cluster of the three has of itself.
func aimAt(kind string, n *fakeNode) target {
	others := []node{healthy(1), healthy(3)}
	peers := map[cluster.Network][]int{cluster.Brokers: {1, 3}, cluster.Controllers: {1, 3}}
	return target{kind: kind, id: n.id, broker: n, others: others, voters: others, peers: peers, view: func(context.Context) (cluster.View, error) {
		registered := []int{1, 2, 3}
		if n.fenced || !n.running || !slices.Contains(n.on, cluster.Controllers) {
			registered = []int{1, 3}
		}
		return cluster.View{Brokers: map[int]cluster.BrokerView{1: {Registered: registered}, 3: {Registered: registered}}}, nil
	}}
}

func inject(t *testing.T, kind string, n *fakeNode) error {
	t.Helper()
	f, err := way(aimAt(kind, n))
	require.NoError(t, err)
	_, err = new(Stack).Inject(t.Context(), f)
	return err
}

func TestEveryKindHasAnEffect(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind+", carried out, is seen to bite, and to be healed", func(t *testing.T) {
			n := healthy(2)
			f, err := way(aimAt(kind, n))
			require.NoError(t, err)
			s := new(Stack)
			_, err = s.Inject(t.Context(), f)
			require.NoError(t, err)
			require.NoError(t, f.Heal(t.Context()))
			require.Equal(t, healthy(2), n)
		})
		t.Run(kind+", not carried out, is found out", func(t *testing.T) {
			n := healthy(2)
			n.noop = true
			require.ErrorContains(t, inject(t, kind, n), "broker 2 lost by "+kind+": no effect: broker 2")
		})
		t.Run(kind+", of another container, is found out", func(t *testing.T) {
			n := healthy(2)
			n.other = healthy(3)
			require.ErrorContains(t, inject(t, kind, n), "no effect: broker 2")
		})
	}
}

// Each way in which an isolation can be less, or more, than it says.
func TestIsolationThatIsAnother(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	for name, c := range map[string]struct {
		kind  string
		spoil func(*fakeNode, *target)
		says  string
	}{
		"from clients, with a way past it": {
			fromClients, func(n *fakeNode, _ *target) { n.answers = yes }, "broker 2 still answers clients",
		},
		"from its peers, of a broker that is dead": {
			fromPeers, func(n *fakeNode, _ *target) { n.answers = no }, "broker 2 answers no client any more",
		},
		"from clients, from others too": {
			fromClients, func(n *fakeNode, _ *target) { n.on = n.on[:2] }, "broker 2 is cut off from the controllers too",
		},
		"from clients, and the controllers fence it": {
			fromClients, func(n *fakeNode, _ *target) { n.fenced = true }, "wanted: broker 2 registered and unfenced still",
		},
		"from the controllers, and it finds one": {
			fromControllers, func(n *fakeNode, _ *target) { n.findsController = yes }, "wanted: broker 2 finds no active controller",
		},
		"from its peers, with a way past it": {
			fromPeers, func(n *fakeNode, _ *target) { n.wired = true }, "broker 2 still reaches node ",
		},
		"from the other brokers, with a way past it": {
			fromBrokers, func(n *fakeNode, _ *target) { n.wired = true }, "on the network of the brokers",
		},
		"from the controllers, with a way past it": {
			fromControllers, func(n *fakeNode, _ *target) { n.wired = true }, "on the network of the controllers",
		},
		"from everyone, and nobody fences it": {
			fromEveryone, func(_ *fakeNode, t *target) {
				t.view = func(context.Context) (cluster.View, error) { return cluster.View{}, errors.New("x") }
			},
			"wanted: broker 2 fenced by the others",
		},
	} {
		t.Run(name+", is found out", func(t *testing.T) {
			t.Parallel()
			n := healthy(2)
			at := aimAt(c.kind, n)
			c.spoil(n, &at)
			f, err := way(at)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = new(Stack).Inject(ctx, f)
			require.ErrorContains(t, err, "no effect: ")
			require.ErrorContains(t, err, c.says)
		})
	}
}

// Each way in which the loss of a process can be another than it says.
func TestLossThatIsAnother(t *testing.T) {
	for name, c := range map[string]struct {
		kind  string
		spoil func(*fakeNode)
		says  string
	}{
		"clean shutdown, that is a kill":               {cleanShutdown, func(n *fakeNode) { n.harshly = true }, "ended in another way: {Code:137"},
		"hard kill, that is a shutdown":                {hardKill, func(n *fakeNode) { n.gently = true }, "ended in another way: {Code:143"},
		"loss of a volume, that is a shutdown":         {volumeLoss, func(n *fakeNode) { n.gently = true }, "ended in another way: {Code:143"},
		"loss of a volume, that is there still":        {volumeLoss, func(n *fakeNode) { n.kept = true }, "has its former volume still"},
		"a pause, of a process whose port still talks": {pause, func(n *fakeNode) { n.answers = func() bool { return true } }, "still answers"},
	} {
		t.Run(name+", is found out", func(t *testing.T) {
			n := healthy(2)
			c.spoil(n)
			require.ErrorContains(t, inject(t, c.kind, n), "broker 2 lost by "+c.kind+": no effect: broker 2 "+c.says)
		})
	}
}

func TestFencingNeedsAMajority(t *testing.T) {
	n, other := healthy(2), healthy(1)
	at := aimAt(fromEveryone, n)
	at.others = []node{other, healthy(3)}
	at.voters = at.others
	at.view = func(context.Context) (cluster.View, error) { return cluster.View{}, errors.New("nobody to ask") }
	other.on = other.on[:2]
	f, err := way(at)
	require.NoError(t, err)
	_, err = new(Stack).Inject(t.Context(), f)
	require.NoError(t, err, "two of three are cut off, so nobody can fence the second")
}

// The last voter of a dynamic quorum leaves brokers behind, and nobody who could fence it.
func TestFencingNeedsVoters(t *testing.T) {
	for left, voters := range map[string][]node{"nobody": nil, "one of two": {healthy(3)}} {
		t.Run("quorum, of which "+left+" is left, fences nobody", func(t *testing.T) {
			at := aimAt(fromEveryone, healthy(2))
			at.voters = voters
			at.view = func(context.Context) (cluster.View, error) { return cluster.View{}, errors.New("nobody to ask") }
			f, err := way(at)
			require.NoError(t, err)
			_, err = new(Stack).Inject(t.Context(), f)
			require.NoError(t, err)
		})
	}
}

func TestVolumeThatAnotherNodeHas(t *testing.T) {
	n := healthy(2)
	n.lent = errors.New("broker 3 has the volume of broker 2")
	_, err := way(aimAt(volumeLoss, n))
	require.EqualError(t, err, "broker 2 lost by loss of its volume: broker 3 has the volume of broker 2")
	require.Equal(t, []bool{true, true}, []bool{n.running, n.formatted}, "nothing was touched")
	_, err = way(aimAt(hardKill, n))
	require.NoError(t, err)
}
