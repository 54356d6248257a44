package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
)

// BenchmarkStartToReady compares Start, which ends when three brokers are observed to be one cluster, with what a
// person would type: three plain docker runs at once of the same image with the same settings, until the third broker
// has logged that it runs. The two take turns; the ratio is that of the medians.
func BenchmarkStartToReady(b *testing.B) {
	ctx := b.Context()
	session, err := engine.Begin(ctx, false, func(string) {})
	require.NoError(b, err)
	defer func() { require.NoError(b, session.End(context.WithoutCancel(ctx), false)) }()
	var ours, plain []time.Duration
	for b.Loop() {
		began := time.Now()
		c, err := Start(ctx, On(session))
		require.NoError(b, err)
		ours = append(ours, time.Since(began))
		require.NoError(b, c.Close(ctx))
		plain = append(plain, plainStart(b, session))
	}
	b.ReportMetric(middle(ours).Seconds(), "s/ready")
	b.ReportMetric(middle(plain).Seconds(), "s/plain")
	b.ReportMetric(float64(middle(ours))/float64(middle(plain)), "ready/plain")
	b.ReportMetric(0, "ns/op")
}

func middle(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// plainStart leaves the engine's and the image's own ways alone: settings as KAFKA_ variables, the image's command,
// readiness by log line. What it makes carries the session's labels and is gone when it returns.
func plainStart(b *testing.B, session *engine.Session) time.Duration {
	c, err := prepare(b.Context(), []Option{On(session)})
	require.NoError(b, err)
	ports, err := freePorts(len(c.brokers))
	require.NoError(b, err)
	defer func() { require.NoError(b, c.Close(context.WithoutCancel(b.Context()))) }()
	for i, broker := range c.brokers {
		broker.port = ports[i]
		docker(b, append([]string{"volume", "create", broker.name()}, labelFlags(c)...)...)
	}
	began := time.Now()
	docker(b, append([]string{"network", "create", c.network()}, labelFlags(c)...)...)
	var all sync.WaitGroup
	for _, broker := range c.brokers {
		all.Go(func() { docker(b, plainRun(c, broker)...) })
	}
	all.Wait()
	for _, broker := range c.brokers {
		_, err := wait.Until(b.Context(), broker.name()+" runs", readyWithin, func(ctx context.Context) (string, bool, error) {
			logs, err := exec.CommandContext(ctx, "docker", "logs", broker.name()).CombinedOutput()
			return "not running", bytes.Contains(logs, []byte("Transitioning from RECOVERY to RUNNING")), err
		})
		require.NoError(b, err)
	}
	return time.Since(began)
}

func plainRun(c *Cluster, broker *Broker) []string {
	args := []string{
		"run", "-d", "--name", broker.name(), "--network", c.network(),
		"--network-alias", Clients.host(broker.ID), "--network-alias", Brokers.host(broker.ID), "--network-alias", Controllers.host(broker.ID),
		"-p", fmt.Sprintf("127.0.0.1:%d:%d", broker.port, clientPort), "-v", broker.name() + ":" + dataDir,
	}
	docker := map[string]string{
		"CLUSTER_ID": c.KafkaID, "KAFKA_HEAP_OPTS": brokerSize.heapOptions(), "KAFKA_OPTS": nameCache,
		// The image adds its own archives.
		"KAFKA_JVM_PERFORMANCE_OPTS": strings.Replace(brokerJVM, " -XX:SharedArchiveFile=/opt/kafka/kafka.jsa", "", 1),
	}
	for key, value := range broker.properties() {
		docker["KAFKA_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = value
	}
	for key, value := range docker {
		args = append(args, "-e", key+"="+value)
	}
	return append(append(args, labelFlags(c)...), c.image.Name)
}

func labelFlags(c *Cluster) []string {
	var flags []string
	for key, value := range c.labels {
		flags = append(flags, "--label", key+"="+value)
	}
	return flags
}

func docker(b *testing.B, args ...string) {
	out, err := exec.CommandContext(b.Context(), "docker", args...).CombinedOutput()
	require.NoError(b, err, string(out))
}
