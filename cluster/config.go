package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Ports inside a container. On the host only the client listener is published, on a port of its own per broker.
const (
	clientPort     = 9092 // CLIENT: clients on the host
	brokerPort     = 9093 // BROKER: replication between brokers
	controllerPort = 9094 // CONTROLLER: the quorum
)

const dataDir = "/var/lib/kafka/data" // the volume that the official image declares for it

// Properties are the settings of one node, as in server.properties.
type Properties map[string]string

// suiteOwned are the settings that make three containers one cluster that clients on the host can reach. An overlay
// must not touch them: with other values the suite would run against something else than it reports.
var suiteOwned = []string{
	"advertised.listeners", "broker.id", "broker.rack", "controller.listener.names", "controller.quorum.bootstrap.servers",
	"controller.quorum.voters", "early.start.listeners", "host.name", "inter.broker.listener.name", "listener.security.protocol.map",
	"listeners", "log.dir", "log.dirs", "metadata.log.dir", "node.id", "port", "process.roles", "security.inter.broker.protocol",
}

// suiteDefaults are what the features rely on where Kafka's own default would make a scenario a race or a single
// point of failure. An overlay may change them: that is how somebody sees a feature fail for a real reason.
func suiteDefaults() Properties {
	return Properties{
		"auto.create.topics.enable":    "false", // A2: a mistyped topic must not come to be
		"auto.leader.rebalance.enable": "false", // A10: leadership returns by an election that the scenario asks for, not by a timer
		"default.replication.factor":   "3",
		"min.insync.replicas":          "2",
		// Internal topics would otherwise follow the single-broker defaults of some images.
		"offsets.topic.replication.factor":                 "3",
		"offsets.topic.num.partitions":                     "6", // C6: few enough that a handful of groups has its offsets in every one
		"transaction.state.log.replication.factor":         "3",
		"transaction.state.log.min.isr":                    "2",
		"share.coordinator.state.topic.replication.factor": "3",
		"share.coordinator.state.topic.min.isr":            "2",
		"group.initial.rebalance.delay.ms":                 "0", // the first member of a group need not wait 3 s for others
	}
}

// ownedBySuite reports a setting that is not for anybody else to change.
func ownedBySuite(key string) bool {
	return slices.Contains(suiteOwned, key) || strings.HasPrefix(key, "listener.name.")
}

// properties returns the node's settings: the suite's defaults, then the user's overlay, then what is wanted of this
// cluster, then what the suite owns. Separate controllers get them all too, since some of the brokers' settings are
// read by the active controller alone (broker.session.timeout.ms, default.replication.factor).
func (n *Node) properties() Properties {
	c := n.cluster
	all := suiteDefaults()
	maps.Copy(all, c.overlay.For(n.ID))
	maps.Copy(all, c.settings.Properties)
	maps.Copy(all, c.topology.quorumSettings())
	roles := c.topology.roles(n.ID)
	maps.Copy(all, Properties{
		"process.roles":                  roles,
		"node.id":                        strconv.Itoa(n.ID),
		"controller.listener.names":      "CONTROLLER",
		"listener.security.protocol.map": "CLIENT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"log.dirs":                       dataDir,
	})
	// Each listens on its own network alone. An engine that may not reach a broker through the clients' network publishes
	// the port through another one (seen on 20.10), where nothing must answer then.
	var listeners, advertised []string
	listen := func(to *[]string, listener, host string, port int) {
		*to = append(*to, fmt.Sprintf("%s://%s:%d", listener, host, port))
	}
	if strings.Contains(roles, "broker") {
		all["inter.broker.listener.name"] = "BROKER"
		listen(&listeners, "CLIENT", Clients.host(n.ID), clientPort)
		listen(&listeners, "BROKER", Brokers.host(n.ID), brokerPort)
		listen(&advertised, "CLIENT", "127.0.0.1", n.port)
		listen(&advertised, "BROKER", Brokers.host(n.ID), brokerPort)
	}
	if strings.Contains(roles, "controller") {
		listen(&listeners, "CONTROLLER", Controllers.host(n.ID), controllerPort)
	}
	if n.controller || c.topology.Dynamic() { // a voter is known by what it advertises, not by what all were told beforehand
		listen(&advertised, "CONTROLLER", Controllers.host(n.ID), controllerPort)
	}
	all["listeners"], all["advertised.listeners"] = strings.Join(listeners, ","), strings.Join(advertised, ",")
	n.alter(all)
	return all
}

// hostname is a broker's name on the brokers' network.
func hostname(id int) string { return fmt.Sprintf("broker-%d", id) }

// String renders server.properties, sorted by key.
func (p Properties) String() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", keyEnds.Replace(escape(key)), escape(p[key]))
	}
	return b.String()
}

// keyEnds escapes what would end a key, or make the line a comment.
var keyEnds = strings.NewReplacer(" ", `\ `, "=", `\=`, ":", `\:`, "#", `\#`, "!", `\!`)

// escape keeps a text on one line and its backslashes and leading space, as java.util.Properties reads them. Kafka reads
// the file as ISO 8859-1, so that other letters must be given by their UTF-16 codes.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`).Replace(text)
	if strings.HasPrefix(text, " ") {
		text = `\` + text
	}
	var b strings.Builder
	for _, code := range utf16.Encode([]rune(text)) {
		if code < utf8.RuneSelf {
			b.WriteByte(byte(code))
		} else {
			fmt.Fprintf(&b, `\u%04x`, code)
		}
	}
	return b.String()
}
