package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/engine"
)

func TestNewKafkaID(t *testing.T) {
	seen := map[string]bool{}
	for range 2000 { // one in 64 would begin with a dash
		id := NewKafkaID()
		require.Regexp(t, `^[A-Za-z0-9_][A-Za-z0-9_-]{21}$`, id)
		raw, err := base64.RawURLEncoding.DecodeString(id)
		require.NoError(t, err)
		require.Len(t, raw, 16)
		require.False(t, seen[id])
		seen[id] = true
	}
}

func TestIsPortClash(t *testing.T) {
	for text, want := range map[string]bool{
		"Bind for 127.0.0.1:20001 failed: port is already allocated":                       true,
		"failed to bind host port 127.0.0.1:20001/tcp: address already in use":             true,
		"listen tcp4 127.0.0.1:20001: bind: address already in use":                        true,
		"No such image: apache/kafka:4.3.1":                                                false,
		"Conflict. The container name \"/kafka-ha-broker-1\" is already in use by another": false,
	} {
		assert.Equal(t, want, isPortClash(fmt.Errorf("start: %w", errors.New(text))), text)
	}
	assert.False(t, isPortClash(nil))
}

func TestBrokerExplain(t *testing.T) {
	b := &Node{ID: 2}
	t.Run("no error, stays none", func(t *testing.T) { assert.NoError(t, b.explain(nil)) })
	t.Run("port clash, to the last try, is a problem with ports", func(t *testing.T) {
		err := b.explain(errors.New("port is already allocated"))
		require.EqualError(t, err, "broker 2 gets no port: 5 ports of 127.0.0.1 were free and taken a moment later: port is already allocated; end what opens so many ports and run again")
		var problem *engine.Problem
		assert.ErrorAs(t, err, &problem)
	})
	t.Run("engine's disk, full, is a problem with space", func(t *testing.T) {
		err := b.explain(errors.New("write /var/lib/docker/x:\n no space left on device"))
		require.EqualError(t, err, "broker 2 cannot be created: the engine's disk is full: write /var/lib/docker/x: no space left on device; free space and run again")
	})
	t.Run("run, stopped meanwhile, is told as that", func(t *testing.T) {
		err := fmt.Errorf("create container: %w", context.Canceled)
		assert.Equal(t, err, b.explain(err))
	})
	t.Run("any other error, names the broker and keeps the cause", func(t *testing.T) {
		cause := errors.New("no such network")
		err := b.explain(cause)
		require.EqualError(t, err, "broker 2: no such network")
		require.ErrorIs(t, err, cause)
	})
}

func TestHeadString(t *testing.T) {
	head := Head{
		Image: "apache/kafka:4.3.1 (local)", Engine: "29.0.0", Kafka: "4.3.1", Topology: "three brokers", Memory: "heap 512 of 1024 MiB a broker", Overlay: "none", Took: 9876 * time.Millisecond,
		Features: map[string]int16{"group.version": 1, "metadata.version": 29, "a.version": 2},
	}
	assert.Equal(t, `image      apache/kafka:4.3.1 (local)
Kafka      4.3.1, engine 29.0.0
nodes      three brokers; heap 512 of 1024 MiB a broker
features   metadata.version 29, kraft.version 0, eligible.leader.replicas.version 0, a.version 2, group.version 1
settings   none
ready in   9.88s`, head.String())
	head.Settings = "broker.session.timeout.ms=6000"
	assert.Contains(t, head.String(), "\nsettings   none; over these broker.session.timeout.ms=6000\n")
	assert.Len(t, head.Features, 3, "printing changes nothing")
	assert.Contains(t, Head{}.String(), "metadata.version 0")
}

func TestVersionLine(t *testing.T) {
	match := versionLine.FindStringSubmatch("x\n[2026-11-29 17:00:00,000] INFO Kafka version: 4.3.1 (org.apache.kafka.common.utils.AppInfoParser)\n")
	require.NotNil(t, match)
	assert.Equal(t, "4.3.1", match[1])
}

func TestCluster(t *testing.T) {
	c := &Cluster{ID: "20261129-170000-abcd"}
	c.populate()
	for _, b := range c.brokers {
		b.port = 20000 + b.ID
	}
	t.Run("bootstrap, three brokers, is their addresses in order", func(t *testing.T) {
		assert.Equal(t, []string{"127.0.0.1:20001", "127.0.0.1:20002", "127.0.0.1:20003"}, c.Bootstrap())
	})
	t.Run("broker, known id, is found", func(t *testing.T) {
		b, err := c.Broker(3)
		require.NoError(t, err)
		assert.Equal(t, "broker 3", b.String())
	})
	t.Run("broker, unknown id, is an error that names the ids", func(t *testing.T) {
		_, err := c.Broker(0)
		require.EqualError(t, err, "broker 0: the cluster has brokers [1 2 3]")
	})
	t.Run("each broker, several fail, joins their errors", func(t *testing.T) {
		err := c.eachBroker(func(b *Broker) error {
			if b.ID == 2 {
				return nil
			}
			return fmt.Errorf("%s fails", b)
		})
		require.EqualError(t, err, "broker 1 fails\nbroker 3 fails")
	})
	t.Run("kept cluster, says where and how to remove it", func(t *testing.T) {
		c.brokers[1].want(true) // the only one that runs
		defer c.brokers[1].want(false)
		said := c.HowToReach()
		assert.Contains(t, said, "docker exec kafka-ha-20261129-170000-abcd-broker-2 kafka-topics.sh --bootstrap-server broker-2:9093 ")
		assert.Contains(t, said, "127.0.0.1:20001,127.0.0.1:20002,127.0.0.1:20003")
		assert.Contains(t, said, "kafka-ha-20261129-170000-abcd-broker-1")
	})
}

func TestContainerState(t *testing.T) {
	exited := containerState{&container.State{Status: "exited", ExitCode: 143, FinishedAt: "2026-11-29T17:00:00.5Z"}}
	assert.Equal(t, "exited (code 143)", exited.String())
	assert.Equal(t, "running", containerState{&container.State{Status: "running", Running: true}}.String())
	exit, err := exited.exit()
	require.NoError(t, err)
	assert.Equal(t, Exit{Code: 143, At: zero.Add(500 * time.Millisecond)}, exit)
	_, err = containerState{&container.State{FinishedAt: "never"}}.exit()
	require.ErrorContains(t, err, "exit time")
}

func TestTail(t *testing.T) {
	assert.Equal(t, "    c\n    d", tail("a\nb\nc\nd\n\n", 2))
	assert.Equal(t, "    a", tail("a\n", 5))
	assert.Len(t, strings.Split(tail(strings.Repeat("x\n", 40), 12), "\n"), 12)
}

// What a node complained of is told although other threads of it went on logging.
func TestDescribeExit(t *testing.T) {
	logs := "[2026-11-30 11:34:56,917] ERROR Encountered fatal fault (org.apache.kafka.x)\n" +
		"java.lang.RuntimeException: Received a fatal error\n\tat kafka.Kafka.main(Kafka.scala)\n" +
		"Caused by: org.apache.kafka.common.KafkaException: Socket server failed to bind\n" +
		strings.Repeat("[2026-11-30 11:34:57,404] INFO [RaftManager id=3] Completed transition (org.apache.kafka.y)\n", 2*lastLines)
	exit := func(code int, logs string) string {
		return describeExit(&Node{ID: 3}, containerState{&container.State{ExitCode: code}}, logs)
	}
	said := exit(1, logs)
	assert.Contains(t, said, "broker 3 exited by itself (code 1); mend what its last log lines complain of:")
	for _, word := range []string{"ERROR Encountered", "java.lang.RuntimeException: Received", "Caused by: org.apache.kafka.common.KafkaException"} {
		assert.Contains(t, said, word)
	}
	assert.NotContains(t, said, "INFO")
	assert.NotContains(t, said, "Kafka.scala")
	assert.Contains(t, exit(1, "exec: no such file\n"), "exec: no such file", "a node that was never Kafka")
	assert.Contains(t, exit(killed, logs), "INFO", "one that was killed need not have complained of it")
}
