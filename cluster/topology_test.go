package cluster

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTopologyNodes(t *testing.T) {
	for name, c := range map[string]struct {
		topology            Topology
		controllers, voters []int
		roles               map[int]string
	}{
		"three brokers": {Combined, []int{}, []int{1, 2, 3}, map[int]string{1: "broker,controller", 3: "broker,controller"}},
		"three brokers with one separate controller": {
			OneController, []int{101}, []int{101},
			map[int]string{1: "broker", 3: "broker", 101: "controller"},
		},
		"three brokers with three separate controllers": {
			ThreeControllers, []int{101, 102, 103}, []int{101, 102, 103},
			map[int]string{2: "broker", 101: "controller", 103: "controller"},
		},
		"three brokers with a dynamic quorum of one voter":    {OneVoter, []int{}, []int{1}, map[int]string{1: "broker,controller", 3: "broker,controller"}},
		"three brokers with a dynamic quorum of three voters": {ThreeVoters, []int{}, []int{1, 2, 3}, map[int]string{2: "broker,controller"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, name, c.topology.String())
			assert.Equal(t, []int{1, 2, 3}, c.topology.Brokers())
			assert.Equal(t, append([]int{1, 2, 3}, c.controllers...), c.topology.Nodes())
			assert.Equal(t, c.controllers, c.topology.Controllers())
			assert.Equal(t, c.voters, c.topology.Voters())
			for id, roles := range c.roles {
				assert.Equal(t, roles, c.topology.roles(id))
			}
		})
	}
	assert.Equal(t, Topology{}, Combined, "the default is the zero value")
	assert.Equal(t, Combined, Topologies[0])
}

func TestRenderTopologies(t *testing.T) {
	const three = "101@controller-101:9094,102@controller-102:9094,103@controller-103:9094"
	for name, c := range map[string]struct {
		topology Topology
		id       int
		key      string
		want     string
	}{
		"broker beside a controller, role, is broker only":         {OneController, 1, "process.roles", "broker"},
		"broker beside a controller, voters, are the controller":   {OneController, 2, "controller.quorum.voters", "101@controller-101:9094"},
		"broker beside a controller, listeners, none for a quorum": {OneController, 2, "listeners", "CLIENT://broker-2.clients:9092,BROKER://broker-2:9093"},
		"broker beside a controller, advertised, both of its own":  {OneController, 2, "advertised.listeners", "CLIENT://127.0.0.1:20002,BROKER://broker-2:9093"},
		"broker beside three controllers, voters, are all three":   {ThreeControllers, 2, "controller.quorum.voters", three},
		"controller, role, is controller only":                     {OneController, 101, "process.roles", "controller"},
		"controller, id, is its own":                               {ThreeControllers, 103, "node.id", "103"},
		"controller, voters, are all three":                        {ThreeControllers, 103, "controller.quorum.voters", three},
		"controller, listeners, the quorum's only":                 {OneController, 101, "listeners", "CONTROLLER://controller-101:9094"},
		"controller, advertised, the quorum's only":                {OneController, 101, "advertised.listeners", "CONTROLLER://controller-101:9094"},
		"controller, inter-broker listener, has none":              {OneController, 101, "inter.broker.listener.name", ""},
		"dynamic quorum, voters, are told to nobody":               {OneVoter, 1, "controller.quorum.voters", ""},
		"dynamic quorum, servers to ask, are all nodes":            {ThreeVoters, 3, "controller.quorum.bootstrap.servers", "controller-1:9094,controller-2:9094,controller-3:9094"},
		"dynamic quorum, advertised, has its controller too":       {OneVoter, 2, "advertised.listeners", "CLIENT://127.0.0.1:20002,BROKER://broker-2:9093,CONTROLLER://controller-2:9094"},
		"static quorum, servers to ask, are none":                  {Combined, 2, "controller.quorum.bootstrap.servers", ""},
		"controller, default of the suite, has it":                 {OneController, 101, "default.replication.factor", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, node(t, c.topology, c.id).properties()[c.key])
		})
	}
	t.Run("setting that is wanted, on brokers and controllers, beats overlay and default", func(t *testing.T) {
		for _, id := range []int{1, 2, 101} {
			n := node(t, OneController, id)
			n.cluster.overlay = Overlay{Path: "my", All: Properties{"broker.session.timeout.ms": "20000", "num.io.threads": "4"}, Each: map[int]Properties{2: {"broker.session.timeout.ms": "30000"}}}
			n.cluster.settings = Settings{Properties: Properties{"broker.session.timeout.ms": "6000", "min.insync.replicas": "1", "node.id": "9"}}
			properties := n.properties()
			assert.Equal(t, "6000", properties["broker.session.timeout.ms"])
			assert.Equal(t, "1", properties["min.insync.replicas"])
			assert.Equal(t, "4", properties["num.io.threads"], "what nobody wants otherwise is the user's")
			assert.NotEqual(t, "9", properties["node.id"])
		}
	})
}

func TestNodes(t *testing.T) {
	c := node(t, ThreeControllers, 1).cluster
	t.Run("node, broker or controller, is found under its name", func(t *testing.T) {
		for id, name := range map[int]string{2: "broker 2", 103: "controller 103"} {
			n, err := c.Node(id)
			require.NoError(t, err)
			assert.Equal(t, name, n.String())
			assert.Equal(t, id < firstController, n.IsBroker())
			assert.Equal(t, id >= firstController, c.topology.IsVoter(id))
		}
	})
	t.Run("node, unknown, is an error that names the ids", func(t *testing.T) {
		_, err := c.Node(4)
		require.EqualError(t, err, "node 4: the cluster has nodes [1 2 3 101 102 103]")
	})
	t.Run("broker, controller's id, is refused", func(t *testing.T) {
		_, err := c.Broker(101)
		require.EqualError(t, err, "broker 101: the cluster has brokers [1 2 3]")
	})
	t.Run("controllers, separate, are the quorum", func(t *testing.T) {
		require.Len(t, c.Controllers(), 3)
		assert.Equal(t, "controller 101", c.Controllers()[0].String())
	})
	t.Run("controllers, combined, are the brokers", func(t *testing.T) {
		all := node(t, Combined, 1).cluster.Controllers()
		require.Len(t, all, 3)
		assert.Equal(t, "broker 1", all[0].String())
	})
	t.Run("clients, are given the brokers' addresses only", func(t *testing.T) {
		assert.Equal(t, []string{"127.0.0.1:20001", "127.0.0.1:20002", "127.0.0.1:20003"}, c.Bootstrap())
	})
	t.Run("memory, with controllers, is told of both", func(t *testing.T) {
		assert.Equal(t, "heap 512 of 1024 MiB a broker, heap 256 of 512 MiB a controller", c.memory())
		assert.Equal(t, "heap 512 of 1024 MiB a broker", node(t, Combined, 1).cluster.memory())
		assert.Equal(t, "-Xms256m -Xmx256m", c.controllers[0].size().heapOptions())
	})
	t.Run("kept cluster, names controllers' containers too", func(t *testing.T) {
		assert.Contains(t, c.HowToReach(), "kafka-ha-20261129-170000-abcd-controller-103")
	})
}

func TestTopologyLacks(t *testing.T) {
	quorum := func(leader int, voters ...int) Quorum {
		q := Quorum{Leader: leader, HighWatermark: 100}
		for _, id := range voters {
			q.Voters = append(q.Voters, QuorumReplica{ID: id, LogEndOffset: 100})
		}
		return q
	}
	lagging := quorum(101, 101, 102, 103)
	lagging.Voters[1].LogEndOffset, lagging.Voters[2].LogEndOffset = 96, 95
	unknown := quorum(101, 101, 102, 103)
	unknown.Voters[2].LogEndOffset = -1
	for name, c := range map[string]struct {
		topology Topology
		quorum   Quorum
		want     []string
	}{
		"combined, as it should be, lacks nothing":              {Combined, quorum(2, 1, 2, 3), nil},
		"one controller, as it should be, lacks nothing":        {OneController, quorum(101, 101), nil},
		"three controllers, as they should be, lack nothing":    {ThreeControllers, quorum(102, 101, 102, 103), nil},
		"combined, led by a controller apart, is told":          {Combined, quorum(101, 101), []string{"quorum: voters [101], want [1 2 3]", "quorum: active controller 101, want one of [1 2 3]"}},
		"one controller, where brokers vote, is told":           {OneController, quorum(1, 1, 2, 3), []string{"quorum: voters [1 2 3], want [101]", "quorum: active controller 1, want one of [101]"}},
		"three controllers, one not a voter, is told":           {ThreeControllers, quorum(102, 101, 102), []string{"quorum: voters [101 102], want [101 102 103]"}},
		"three controllers, nobody active, is told":             {ThreeControllers, Quorum{Leader: -1}, []string{"quorum: no active controller"}},
		"three controllers, one too far behind, is told":        {ThreeControllers, lagging, []string{"quorum: voter 103 is 5 records of the metadata log behind"}},
		"three controllers, one that never fetched, is told":    {ThreeControllers, unknown, []string{"quorum: voter 103 is 101 records of the metadata log behind"}},
		"three controllers, one that is only observer, is told": {ThreeControllers, Quorum{Leader: 101, Voters: []QuorumReplica{{ID: 101}, {ID: 102}}, Observers: []QuorumReplica{{ID: 103}}}, []string{"quorum: voters [101 102], want [101 102 103]", "quorum: node 103 is an observer and should be a voter"}},
	} {
		t.Run(name, func(t *testing.T) {
			view := View{Brokers: map[int]BrokerView{1: sees(), 2: sees(), 3: sees()}, Quorum: c.quorum}
			assert.Equal(t, c.want, c.topology.Lacks(view))
		})
	}
	t.Run("brokers, silent or not registered, are told one by one", func(t *testing.T) {
		view := View{
			Brokers: map[int]BrokerView{1: sees(), 2: {Registered: []int{1, 2}}}, Silent: map[int]error{3: errors.New("is stopped")},
			Quorum: quorum(101, 101),
		}
		assert.Equal(t, []string{"broker 2 sees brokers [1 2] registered and unfenced, want [1 2 3]", "broker 3: is stopped"}, OneController.Lacks(view))
	})
}

func TestParseSettings(t *testing.T) {
	t.Run("settings and levels, are told apart", func(t *testing.T) {
		s, err := ParseSettings(map[string]string{"broker.session.timeout.ms": "6000", "eligible.leader.replicas.version": "0", "a.b": ""})
		require.NoError(t, err)
		assert.Equal(t, Properties{"broker.session.timeout.ms": "6000", "a.b": ""}, s.Properties)
		assert.Equal(t, map[string]int{"eligible.leader.replicas.version": 0}, s.Features)
		assert.Equal(t, "a.b=, broker.session.timeout.ms=6000, eligible.leader.replicas.version=0", s.String())
		assert.False(t, s.Empty())
	})
	t.Run("nothing, is empty", func(t *testing.T) {
		s, err := ParseSettings(nil)
		require.NoError(t, err)
		assert.True(t, s.Empty())
		assert.Empty(t, s.String())
	})
	t.Run("suite's own, is refused", func(t *testing.T) {
		_, err := ParseSettings(map[string]string{"node.id": "7"})
		require.EqualError(t, err, "setting node.id: the suite must own it; remove it")
	})
	for _, level := range []string{"", "on", "-1", "1.5", "99999"} {
		t.Run("level "+level+", no small number, is refused", func(t *testing.T) {
			_, err := ParseSettings(map[string]string{"kraft.version": level})
			require.ErrorContains(t, err, "setting kraft.version: ")
			require.ErrorContains(t, err, "is no feature level; give a number, 0 for off")
		})
	}
}

func TestSettingsOfACluster(t *testing.T) {
	c := node(t, OneController, 1).cluster
	c.image.ID = "sha256:abc"
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // Linux; elsewhere the user's own folder is only named, not used
	t.Run("format, levels wanted, are told to the tool in order", func(t *testing.T) {
		c.settings = Settings{Features: map[string]int{"group.version": 1, "eligible.leader.replicas.version": 0}}
		assert.Equal(t, []string{"--feature", "eligible.leader.replicas.version=0", "--feature", "group.version=1"}, c.controllers[0].formatArgs())
	})
	t.Run("kept format, for other settings, is another", func(t *testing.T) {
		c.settings = Settings{}
		files := []string{c.checkpointFile()}
		c.settings = Settings{Features: map[string]int{"eligible.leader.replicas.version": 0}}
		files = append(files, c.checkpointFile())
		c.settings.Properties = Properties{"min.insync.replicas": "1"}
		files = append(files, c.checkpointFile())
		assert.Len(t, slices.Compact(files), 3)
		assert.Contains(t, files[0], "sha256-abc.bootstrap.checkpoint")
		c.overlay = Overlay{Path: "my", All: Properties{"a": "1"}}
		assert.Empty(t, c.checkpointFile(), "the user's own settings are not ours to keep")
	})
	t.Run("settings wanted, also in the overlay, are named", func(t *testing.T) {
		overlay := Overlay{Path: "my.properties", All: Properties{"a": "0", "b": "0"}, Each: map[int]Properties{2: {"c": "0"}}}
		s := Settings{Properties: Properties{"a": "1", "c": "1", "d": "1"}}
		assert.Equal(t, "the scenario's own a, c, not that of my.properties", s.over(overlay))
		assert.Empty(t, s.over(Overlay{}))
	})
}
