package cluster

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
)

// altered are the nodes of a cluster that does not run, some of them altered.
func altered(t *testing.T, topology Topology, id int, as map[int]Alteration) *Node {
	t.Helper()
	n := node(t, topology, id)
	n.cluster.KafkaID = "ours"
	for other, alteration := range as {
		one, err := n.cluster.Node(other)
		require.NoError(t, err)
		one.as = alteration
	}
	return n
}

func TestRenderAltered(t *testing.T) {
	const listeners = "CLIENT://broker-3.clients:9092,BROKER://broker-3:9093,CONTROLLER://controller-3:9094"
	moved := map[int]Alteration{3: {Move: Renamed}}
	stale := map[int]Alteration{3: {Move: Renamed, Stale: true}}
	for name, c := range map[string]struct {
		topology Topology
		id       int
		as       map[int]Alteration
		key      string
		want     string
	}{
		"nothing altered, node id, is its own":             {Combined, 3, nil, "node.id", "3"},
		"another's id, node id, is that":                   {Combined, 3, map[int]Alteration{3: {NodeID: 2}}, "node.id", "2"},
		"another's id, listeners, stay its own":            {Combined, 3, map[int]Alteration{3: {NodeID: 2}}, "listeners", listeners},
		"some voters, voters, are those":                   {Combined, 3, map[int]Alteration{3: {Voters: []int{1, 3}}}, "controller.quorum.voters", "1@controller-1:9094,3@controller-3:9094"},
		"no voter, roles, is a broker only":                {Combined, 3, map[int]Alteration{3: {Observer: true}}, "process.roles", "broker"},
		"no voter, listeners, none for the quorum":         {Combined, 3, map[int]Alteration{3: {Observer: true}}, "listeners", "CLIENT://broker-3.clients:9092,BROKER://broker-3:9093"},
		"client address, advertised, is that":              {Combined, 3, map[int]Alteration{3: {Client: "127.0.0.1:9"}}, "advertised.listeners", "CLIENT://127.0.0.1:9,BROKER://broker-3:9093"},
		"another's address for brokers, advertised, it is": {Combined, 3, map[int]Alteration{3: {Peer: 2}}, "advertised.listeners", "CLIENT://127.0.0.1:20003,BROKER://broker-2:9093"},
		"moved, own configuration stale, has former name":  {Combined, 3, stale, "listeners", listeners},
		"moved, own configuration, has its new names":      {Combined, 3, moved, "listeners", "CLIENT://broker-3.clients-moved:9092,BROKER://broker-3-moved:9093,CONTROLLER://controller-3-moved:9094"},
		"moved, advertised, has its new name":              {Combined, 3, moved, "advertised.listeners", "CLIENT://127.0.0.1:20003,BROKER://broker-3-moved:9093"},
		"moved, another's voters, have its new name":       {Combined, 1, stale, "controller.quorum.voters", "1@controller-1:9094,2@controller-2:9094,3@controller-3-moved:9094"},
		"moved behind its name, voters, stay":              {Combined, 1, map[int]Alteration{3: {Move: Readdressed}}, "controller.quorum.voters", "1@controller-1:9094,2@controller-2:9094,3@controller-3:9094"},
		"broker moved, voters apart, stay":                 {OneController, 1, moved, "controller.quorum.voters", "101@controller-101:9094"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, altered(t, c.topology, c.id, c.as).properties()[c.key])
		})
	}
}

func TestAlteredNode(t *testing.T) {
	for name, c := range map[string]struct {
		as              Alteration
		volume, cluster string
		id              int
	}{
		"nothing altered, has its own":           {Alteration{}, "broker-3", "ours", 3},
		"another cluster, has another volume":    {Alteration{ForeignID: "theirs"}, "broker-3-other", "theirs", 3},
		"another's id, has another volume":       {Alteration{NodeID: 2}, "broker-3-other", "ours", 2},
		"another's volume, has that":             {Alteration{VolumeOf: 2}, "broker-2", "ours", 3},
		"another address, has its own":           {Alteration{Move: Renamed}, "broker-3", "ours", 3},
		"another address for clients, is itself": {Alteration{Client: "127.0.0.1:9"}, "broker-3", "ours", 3},
	} {
		t.Run(name, func(t *testing.T) {
			n := altered(t, Combined, 3, map[int]Alteration{3: c.as})
			assert.Equal(t, n.cluster.network()+"-"+c.volume, n.volume())
			assert.Equal(t, c.cluster, n.formattedFor())
			assert.Equal(t, c.id, n.takesItselfFor())
			assert.Equal(t, name[:7] == "nothing", n.Altered().None())
			assert.Len(t, n.cluster.alteredNodes(), map[bool]int{true: 0, false: 1}[n.Altered().None()])
		})
	}
	t.Run("another cluster, has an id of its own each time", func(t *testing.T) {
		one, other := ForeignCluster(), ForeignCluster()
		assert.NotEqual(t, one.ForeignID, other.ForeignID)
	})
}

func TestMovedEndpoint(t *testing.T) {
	n := altered(t, ThreeControllers, 3, nil)
	pool := freshPool(t)
	for on := range networks {
		subnet, err := part(pool, int(on))
		require.NoError(t, err)
		n.cluster.subnets[on] = subnet
	}
	was := n.endpoint(Brokers)
	assert.Equal(t, []string{"broker-3"}, was.Aliases)
	n.as = Alteration{Move: Readdressed}
	behind := n.endpoint(Brokers)
	assert.Equal(t, was.Aliases, behind.Aliases)
	assert.NotEqual(t, was.IPAMConfig.IPv4Address, behind.IPAMConfig.IPv4Address)
	n.as = Alteration{Move: Renamed, Stale: true}
	away := n.endpoint(Brokers)
	assert.Equal(t, []string{"broker-3-moved"}, away.Aliases)
	taken := map[string]bool{}
	for _, other := range n.cluster.Nodes() {
		other.as = Alteration{}
		taken[other.address(Brokers).String()] = true
		other.as = Alteration{Move: Renamed}
		at := other.address(Brokers)
		taken[at.String()] = true
		assert.True(t, n.cluster.subnets[Brokers].Contains(at.Next()), "%s is not the last one, which is for broadcasts", at)
	}
	assert.Len(t, taken, 2*len(n.cluster.Nodes()), "every node has room to move")
}

// A node that has another volume tells nothing of its own, and a volume that another node has is not the node's to lose.
// No engine is there: whoever asks it for something falls over.
func TestVolumeThatIsNotItsOwn(t *testing.T) {
	for name, as := range map[string]Alteration{
		"another cluster's": {ForeignID: "theirs"}, "another id's": {NodeID: 2}, "another node's": {VolumeOf: 2},
	} {
		t.Run(name+", is not looked at, and not lost", func(t *testing.T) {
			const says = "broker 3 has another volume than its own now"
			n := altered(t, Combined, 3, map[int]Alteration{3: as})
			b, err := n.cluster.Broker(3)
			require.NoError(t, err)
			_, err = b.Stored(t.Context(), "telemetry", 1)
			require.ErrorContains(t, err, says)
			_, err = n.cluster.DirectoryOf(t.Context(), 3)
			require.ErrorContains(t, err, says)
			require.ErrorContains(t, n.CanLoseVolume(), says)
		})
	}
	t.Run("its own, is looked at", func(t *testing.T) {
		require.NoError(t, altered(t, Combined, 3, map[int]Alteration{3: {Move: Renamed}}).OwnVolume())
	})
	t.Run("its own and another's, is not lost", func(t *testing.T) {
		const says = "broker 3 has the volume of broker 2"
		n := altered(t, Combined, 2, map[int]Alteration{3: {VolumeOf: 2}})
		require.NoError(t, n.OwnVolume())
		require.ErrorContains(t, n.CanLoseVolume(), says)
		require.ErrorContains(t, n.ReplaceVolume(t.Context()), says)
		other, err := n.cluster.Node(1)
		require.NoError(t, err)
		require.NoError(t, other.CanLoseVolume())
	})
}

// bare is an engine that has nothing: no container, no volume, and none can be made.
type bare struct {
	mu    sync.Mutex
	asked []string
}

func (b *bare) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	b.asked = append(b.asked, r.Method+" "+r.URL.Path[len("/v1.00"):])
	b.mu.Unlock()
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.WriteString(`{"message":"no such thing"}`)
	response := w.Result()
	response.Request = r
	return response, nil
}

// What failed between the removal of a container and the making of the next one leaves neither.
func TestRemovalOfWhatIsNotThere(t *testing.T) {
	nothing := &bare{}
	docker, err := client.New(client.WithHTTPClient(&http.Client{Transport: nothing}), client.WithAPIVersion("1.51"))
	require.NoError(t, err)
	n := altered(t, Combined, 2, nil)
	n.container = "gone"
	n.cluster.engine = &engine.Session{Engine: &engine.Engine{Client: docker}}
	require.NoError(t, n.removeContainer(t.Context()))
	require.NoError(t, n.removeVolume(t.Context(), n.name()))
	assert.Equal(t, []string{"DELETE /containers/gone", "DELETE /volumes/" + n.name()}, nothing.asked)
	nothing.asked = nil
	for _, other := range n.cluster.Nodes() {
		other.container = "gone"
	}
	require.ErrorContains(t, n.cluster.RenewAs(t.Context(), nil), "volume", "the making of the next one fails here")
	assert.Contains(t, nothing.asked, "POST /volumes/create", "and is tried")
}
