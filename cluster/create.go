package cluster

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the files that every node starts with
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/kafka"

	"kafka-ha/cluster/engine"
)

//go:embed node/start.sh
var startScript []byte

//go:embed node/log4j2.properties
var logSettings []byte

const (
	// A test cluster lives for minutes: the optimising compiler would take two cores' time from three brokers and
	// never give it back. The archive is where apache/kafka images keep it; a JVM without it starts all the same.
	brokerJVM = "-XX:+UseG1GC -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/opt/kafka/kafka.jsa"
	formatJVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/opt/kafka/storage.jsa"
	// A container has another address after a restart; the JVM would go on using the old one for 30 s, and remember
	// for 10 s that a stopped broker's name does not resolve.
	nameCache = "-Dsun.net.inetaddr.ttl=1 -Dsun.net.inetaddr.negative.ttl=1"
	portTries = 5
	// makeWithin bounds the engine's own work on one container, or a cluster's networks, which takes a second where nothing else goes on.
	makeWithin = 60 * time.Second
)

// create makes the node's volume and container and starts it; when somebody took a broker's port between
// choosing and binding it, with another port.
func (n *Node) create(ctx context.Context) error {
	for try := 1; ; try++ {
		err := n.make(ctx, true)
		if !isPortClash(err) || try == portTries {
			return n.explain(err)
		}
		nameless := client.ContainerRemoveOptions{Force: true, RemoveVolumes: true} // the named volume stays
		if _, err := n.cluster.engine.ContainerRemove(ctx, n.container, nameless); err != nil {
			return fmt.Errorf("%s: remove container: %w", n, err)
		}
		next, err := n.cluster.ports(1)
		if err != nil {
			return err
		}
		n.cluster.progress(fmt.Sprintf("%s: port %d was taken meanwhile, using %d", n, n.port, next[0]))
		n.port = next[0]
	}
}

// seeThrough returns a context for work of the engine that the end of ctx does not interrupt, only keep from beginning: an
// engine carries out a request whose caller is gone, and what comes up after the cluster was removed would stay.
func seeThrough(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("not created: %w", context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeWithin)
	return ctx, cancel, nil
}

// make creates the container (and the volume, unless it is there) through the Kafka module, and starts it if told to. It
// is seen through: a volume that is missing by then even comes up without our labels.
func (n *Node) make(ctx context.Context, start bool) error {
	ctx, cancel, err := seeThrough(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	c := n.cluster
	_, err = c.engine.VolumeCreate(ctx, client.VolumeCreateOptions{Name: n.volume(), Labels: c.labels, DriverOpts: c.limits.volume})
	if err != nil {
		return fmt.Errorf("%s: volume: %w", n, err)
	}
	n.want(start)
	n.setApart(false)
	n.directory = NewKafkaID()
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithName(n.name()),
		testcontainers.WithLabels(c.labels),
		testcontainers.WithEntrypoint(),
		testcontainers.WithCmd("sh", "/kafka-ha/start.sh"),
		testcontainers.WithMounts(testcontainers.VolumeMount(n.volume(), dataDir)),
		// Without these, each container gets a nameless volume.
		testcontainers.WithTmpfs(map[string]string{"/mnt/shared/config": "", "/etc/kafka/secrets": ""}),
		testcontainers.WithFiles(n.files()...),
		n.replaceModuleDefaults(),
	}
	options = append(options, n.placeOnHost()...)
	if !start {
		options = append(options, testcontainers.WithNoStart())
	}
	made, err := kafka.Run(ctx, c.image.Name, options...)
	if made != nil && made.Container != nil {
		n.container = made.GetContainerID()
	}
	if err != nil || !start {
		return err
	}
	return n.begin(ctx)
}

// replaceModuleDefaults drops what the Kafka module sets for one Confluent node: the environment of its image, the
// port that it publishes, and the hooks that copy its start script and wait for a log line.
func (n *Node) replaceModuleDefaults() testcontainers.CustomizeRequestOption {
	return func(req *testcontainers.GenericContainerRequest) error {
		req.LifecycleHooks = []testcontainers.ContainerLifecycleHooks{{PostCreates: []testcontainers.ContainerHook{n.joinOthers}}}
		req.ExposedPorts = nil
		if n.IsBroker() {
			req.ExposedPorts = []string{strconv.Itoa(clientPort) + "/tcp"}
		}
		first := n.networks()[0]
		req.Networks = []string{n.cluster.networkName(first)}
		req.EndpointSettingsModifier = func(all map[string]*network.EndpointSettings) {
			all[n.cluster.networkName(first)] = n.endpoint(first)
		}
		req.Env = map[string]string{
			"CLUSTER_ID":                     n.formattedFor(),
			"KAFKA_HA_DATA":                  dataDir,
			"KAFKA_HA_NODE_ID":               strconv.Itoa(n.takesItselfFor()),
			"KAFKA_HA_DIRECTORY_ID":          n.directory,
			"KAFKA_HA_FORMAT_OPTS":           formatJVM,
			"KAFKA_HA_FORMAT_ARGS":           strings.Join(n.formatArgs(), " "),
			"KAFKA_HEAP_OPTS":                n.size().heapOptions(),
			"KAFKA_JVM_PERFORMANCE_OPTS":     brokerJVM,
			"KAFKA_LOG4J_OPTS":               "-Dlog4j2.configurationFile=/kafka-ha/log4j2.properties",
			"KAFKA_OPTS":                     nameCache,
			"EXTRA_ARGS":                     "-name kafkaServer",   // no log of garbage collections
			"KAFKA_CONTROLLER_QUORUM_VOTERS": "see " + settingsFile, // the module would name one voter of its own
		}
		return nil
	}
}

// joinOthers connects a new container to the networks beside the one that it was created on.
func (n *Node) joinOthers(ctx context.Context, made testcontainers.Container) error {
	for _, on := range n.networks()[1:] {
		options := client.NetworkConnectOptions{Container: made.GetContainerID(), EndpointConfig: n.endpoint(on)}
		if _, err := n.cluster.engine.NetworkConnect(ctx, n.cluster.networkName(on), options); err != nil {
			return fmt.Errorf("network of the %s: %w", on, err)
		}
	}
	return nil
}

func (n *Node) files() []testcontainers.ContainerFile {
	settings := n.properties().String()
	return append(n.cluster.checkpoint(),
		nodeFile("start.sh", startScript), nodeFile("log4j2.properties", logSettings), nodeFile("server.properties", []byte(settings)))
}

// settingsFile is where a node finds its settings.
const settingsFile = "/kafka-ha/server.properties"

func nodeFile(name string, content []byte) testcontainers.ContainerFile {
	return testcontainers.ContainerFile{Reader: bytes.NewReader(content), ContainerFilePath: "/kafka-ha/" + name, FileMode: 0o644}
}

// placeOnHost bounds the container's memory and binds a broker's client listener to its port on the loopback interface
// only. A controller publishes nothing.
func (n *Node) placeOnHost() []testcontainers.ContainerCustomizer {
	var placed *container.HostConfig
	bound := testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
		placed = host
		host.DNSOptions = nameOptions
		host.Memory = cmp.Or(n.cluster.limits.memory, n.size().memory)
		host.MemorySwap = host.Memory
		host.PortBindings = network.PortMap{
			network.MustParsePort(strconv.Itoa(clientPort) + "/tcp"): {{
				HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: strconv.Itoa(n.port),
			}},
		}
	})
	if n.IsBroker() {
		return []testcontainers.ContainerCustomizer{bound}
	}
	// A container that asks for no port gets every port that its image exposes, and only after the modifier above.
	unpublish := func(context.Context, testcontainers.ContainerRequest) error {
		placed.PortBindings = nil
		return nil
	}
	hooks := testcontainers.ContainerLifecycleHooks{PreCreates: []testcontainers.ContainerRequestHook{unpublish}}
	return []testcontainers.ContainerCustomizer{bound, testcontainers.WithAdditionalLifecycleHooks(hooks)}
}

func isPortClash(err error) bool {
	if err == nil {
		return false
	}
	said := err.Error()
	return strings.Contains(said, "port is already allocated") || strings.Contains(said, "address already in use")
}

// explain names what the engine could not give.
func (n *Node) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case isPortClash(err):
		return &engine.Problem{
			What: fmt.Sprintf("%s gets no port: %d ports of 127.0.0.1 were free and taken a moment later", n, portTries),
			Do:   "end what opens so many ports and run again", Err: err,
		}
	case strings.Contains(err.Error(), "no space left on device"):
		return &engine.Problem{
			What: fmt.Sprintf("%s cannot be created: the engine's disk is full", n),
			Do:   "free space and run again", Err: err,
		}
	case strings.Contains(err.Error(), "executable file not found"):
		return &engine.Problem{
			What: fmt.Sprintf("%s cannot start from the image %s: it has no sh", n, n.cluster.image.Name),
			Do:   "use an image with the layout of apache/kafka, or unset KAFKA_HA_IMAGE",
		}
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s: %w", n, err)
}
