package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// toolWithin bounds a run of one of Kafka's command-line tools: a JVM that starts beside three others, which takes two
// seconds where nothing else goes on, and the request.timeout.ms (30 s) of its client.
const toolWithin = 60 * time.Second

// toolEnv keeps the node's own options from a tool in its container: the heap, since both share the container's memory, and
// the log, which would be mixed with what the tool prints.
var toolEnv = []string{
	"KAFKA_HEAP_OPTS=-Xmx96m", "KAFKA_JVM_PERFORMANCE_OPTS=-XX:+UseSerialGC -XX:TieredStopAtLevel=1", "EXTRA_ARGS=",
	"KAFKA_LOG4J_OPTS=-Dlog4j2.configurationFile=/opt/kafka/config/tools-log4j2.yaml",
}

// Tool runs one of Kafka's command-line tools in the node's container, where it needs the launcher in /opt/kafka/bin
// alone, and returns what it printed. A tool that ends with another code than 0 is an error that quotes its last lines.
func (n *Node) Tool(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolWithin)
	defer cancel()
	docker := n.cluster.engine
	command := append([]string{"/opt/kafka/bin/" + name}, args...)
	options := client.ExecCreateOptions{Cmd: command, Env: toolEnv, AttachStdout: true, AttachStderr: true}
	made, err := docker.ExecCreate(ctx, n.container, options)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", name, n, err)
	}
	attached, err := docker.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", name, n, err)
	}
	defer context.AfterFunc(ctx, attached.Close)() // reading ends with ctx
	defer attached.Close()
	var printed, complained bytes.Buffer
	_, err = stdcopy.StdCopy(&printed, &complained, attached.Reader)
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s in %s: not done within %s: %w", name, n, toolWithin, context.Cause(ctx))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s in %s: %w", name, n, err)
	}
	ended, err := docker.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", name, n, err)
	}
	if ended.ExitCode != 0 {
		said := tail(printed.String()+complained.String(), lastLines)
		return "", fmt.Errorf("%s in %s ended with code %d:\n%s", name, n, ended.ExitCode, said)
	}
	return printed.String(), nil
}
