package cluster

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"kafka-ha/cluster/wait"
)

// reachWithin bounds the opening of a connection between two containers, which takes less than a millisecond; where there
// is no way nobody says so.
const reachWithin = 2 * time.Second

// Reaches reports whether the broker opens a connection to another node's listener on a network of the brokers' own. It is
// tried from inside the broker's container, to the fixed address: what the engine says of the networks counts for nothing.
func (b *Broker) Reaches(ctx context.Context, other int, on Network) (bool, error) {
	ports := map[Network]int{Brokers: brokerPort, Controllers: controllerPort}
	port, ok := ports[on]
	if !ok {
		return false, fmt.Errorf("%s reaches nobody on the network of the %s", b, on)
	}
	code, err := b.run(ctx, reachWithin, "bash", "-c", `exec 3<>"/dev/tcp/$0/$1"`,
		b.cluster.address(on, other).String(), fmt.Sprint(port))
	if err != nil {
		return false, fmt.Errorf("%s: reach node %d on the network of the %s: %w", b, other, on, err)
	}
	switch code {
	case 0:
		return true, nil
	case 1, 124, terminated: // refused or no route; out of time, by either kind of timeout(1)
		return false, nil
	}
	return false, fmt.Errorf("%s: reach node %d on the network of the %s: bash ended with code %d", b, other, on, code)
}

// runAgain is what the engine may take to begin and to end a command, on a busy machine.
const runAgain = 15 * time.Second

// run runs a command in the node's container and returns its exit code.
func (n *Node) run(ctx context.Context, within time.Duration, command ...string) (int, error) {
	docker := n.cluster.engine
	limited := append([]string{"timeout", fmt.Sprint(int(within.Seconds()))}, command...)
	made, err := docker.ExecCreate(ctx, n.container, client.ExecCreateOptions{Cmd: limited})
	if err != nil {
		return 0, err
	}
	if _, err := docker.ExecStart(ctx, made.ID, client.ExecStartOptions{Detach: true}); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("%q ends in the container of %s", command[0], n)
	return wait.Until(ctx, what, within+runAgain, func(ctx context.Context) (int, bool, error) {
		seen, err := docker.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
		return seen.ExitCode, err == nil && !seen.Running && (seen.PID > 0 || seen.ExitCode != 0), err
	})
}

// Formatted reports whether the node's volume is formatted: a new one is not before the node starts on it.
func (n *Node) Formatted(ctx context.Context) (bool, error) {
	meta := client.ContainerStatPathOptions{Path: path.Join(dataDir, "meta.properties")}
	_, err := n.cluster.engine.ContainerStatPath(ctx, n.container, meta)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: volume: %w", n, err)
	}
	return true, nil
}
