package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
)

const (
	// shutdownWithin bounds a clean shutdown. Kafka sets itself no bound for the usual case (it heartbeats until the
	// controller has moved every leader away); two seconds are usual, a node that has lost its quorum waits for
	// broker.session.timeout.ms (9 s) and more before it gives up.
	shutdownWithin = 60 * time.Second
	killWithin     = 15 * time.Second // SIGKILL needs no consent; what takes time is the engine's own cleaning up
)

// Node is one process of a cluster: a container, its volume and its place on the host. It is a broker, a controller, or
// both in one.
type Node struct {
	ID int

	cluster    *Cluster
	controller bool   // it is a controller and nothing else
	container  string // id
	directory  string // id for the metadata log's directory, where its format lets the suite choose
	port       int    // of the client listener on 127.0.0.1, kept for life; 0 for a controller, which publishes none

	mu     sync.Mutex
	life   string // when the process that the suite started last was started, as the engine writes it
	wanted bool   // it is meant to be running: when it is not, something went wrong
	apart  bool   // the suite has cut it off from the controllers
	as     Alteration
	known  knownIdentity
}

// Exit says how and when a node's process ended.
type Exit struct {
	Code   int       // 143 after SIGTERM, 137 after SIGKILL
	At     time.Time // by the engine's clock
	OOM    bool      // the kernel killed it for memory
	Forced bool      // it was asked to shut down cleanly and had to be killed in the end
}

// Clean reports that the process ended by SIGTERM, as it was asked to, and not by force.
func (e Exit) Clean() bool { return e.Code == terminated && !e.Forced }

// Killed reports that the process was ended by SIGKILL, and not for want of memory.
func (e Exit) Killed() bool { return e.Code == killed && !e.OOM }

// String names the node as messages do: "broker 2", "controller 101". A broker that is a controller too is a broker.
func (n *Node) String() string {
	if n.controller {
		return fmt.Sprintf("controller %d", n.ID)
	}
	return fmt.Sprintf("broker %d", n.ID)
}

// IsBroker reports whether the node is a broker, whatever else it is.
func (n *Node) IsBroker() bool { return !n.controller }

// Shutdown stops the node cleanly: SIGTERM, upon which a broker hands its leaders over (controlled shutdown) and exits. A
// node that does not exit in time is killed and that is an error, with Exit.Forced set.
func (n *Node) Shutdown(ctx context.Context) (Exit, error) {
	exit, err := n.end(ctx, "SIGTERM", n.cluster.patience)
	var late *wait.Error
	if !errors.As(err, &late) || ctx.Err() != nil {
		return exit, err
	}
	exit, killErr := n.end(ctx, "SIGKILL", killWithin)
	exit.Forced = true
	return exit, errors.Join(fmt.Errorf("%s did not shut down cleanly and was killed: %w", n, err), killErr)
}

// Kill ends the node with SIGKILL: no controlled shutdown, the others learn of it by missing heartbeats.
func (n *Node) Kill(ctx context.Context) (Exit, error) { return n.end(ctx, "SIGKILL", killWithin) }

func (n *Node) end(ctx context.Context, signal string, within time.Duration) (Exit, error) {
	n.want(false)
	_, err := n.cluster.engine.ContainerKill(ctx, n.container, client.ContainerKillOptions{Signal: signal})
	if err != nil {
		return Exit{}, fmt.Errorf("%s: %s: %w", n, signal, err)
	}
	what := fmt.Sprintf("%s exits after %s", n, signal)
	state, err := wait.Until(ctx, what, within, func(ctx context.Context) (containerState, bool, error) {
		state, err := n.state(ctx)
		return state, err == nil && !state.Running, err
	})
	if err != nil {
		return Exit{}, err
	}
	return state.exit()
}

// Start starts the node again on the same volume and port. It returns once the process runs; that the node is
// back in the cluster is for the caller to await.
func (n *Node) Start(ctx context.Context) error {
	n.want(true)
	if _, err := n.cluster.engine.ContainerStart(ctx, n.container, client.ContainerStartOptions{}); err != nil {
		n.want(false)
		if isPortClash(err) {
			return &engine.Problem{
				What: fmt.Sprintf("%s cannot come back: its port %d on 127.0.0.1 was taken meanwhile", n, n.port),
				Do:   "end the process that holds it and run again",
			}
		}
		return fmt.Errorf("%s: start: %w", n, err)
	}
	return n.begin(ctx)
}

// ReplaceVolume gives a stopped node a new, empty volume, as after the loss of its disk. The next Start formats it.
func (n *Node) ReplaceVolume(ctx context.Context) error {
	if err := n.lent(); err != nil {
		return err
	}
	if err := n.removeContainer(ctx); err != nil {
		return err
	}
	if err := n.removeVolume(ctx, n.name()); err != nil {
		return err
	}
	n.cluster.memberLost()
	return n.make(ctx, false)
}

// CanLoseVolume is an error while the node's volume is not its own to lose: it has another one, or another node has it.
func (n *Node) CanLoseVolume() error {
	if err := n.OwnVolume(); err != nil {
		return err
	}
	return n.lent()
}

// removeContainer removes the node's container, unless that was done already by what failed after it.
func (n *Node) removeContainer(ctx context.Context) error {
	options := client.ContainerRemoveOptions{RemoveVolumes: true}
	if _, err := n.cluster.engine.ContainerRemove(ctx, n.container, options); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("%s: remove container: %w", n, err)
	}
	return nil
}

// removeVolume removes one of the node's volumes, unless that was done already.
func (n *Node) removeVolume(ctx context.Context, name string) error {
	if _, err := n.cluster.engine.VolumeRemove(ctx, name, client.VolumeRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("%s: remove volume: %w", n, err)
	}
	return nil
}

// Running reports whether the node's process runs.
func (n *Node) Running(ctx context.Context) (bool, error) {
	state, err := n.state(ctx)
	return state.Running, err
}

// Logs returns what the node has logged since a moment, in all its lives; the zero time means from the beginning.
func (n *Node) Logs(ctx context.Context, since time.Time) (string, error) {
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true}
	if !since.IsZero() {
		options.Since = since.Format(time.RFC3339Nano)
	}
	stream, err := n.cluster.engine.ContainerLogs(ctx, n.container, options)
	if err != nil {
		return "", fmt.Errorf("%s: logs: %w", n, err)
	}
	defer func() { _ = stream.Close() }()
	var text strings.Builder
	if _, err := stdcopy.StdCopy(&text, &text, stream); err != nil && !errors.Is(err, io.EOF) {
		return text.String(), fmt.Errorf("%s: logs: %w", n, err)
	}
	return text.String(), nil
}

func (n *Node) name() string {
	on := Brokers
	if n.controller {
		on = Controllers
	}
	return n.cluster.network() + "-" + on.host(n.ID)
}

func (n *Node) want(running bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wanted = running
}

func (n *Node) isWanted() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.wanted
}

type containerState struct{ *container.State }

func (n *Node) state(ctx context.Context) (containerState, error) {
	inspected, err := n.cluster.engine.ContainerInspect(ctx, n.container, client.ContainerInspectOptions{})
	if err != nil {
		return containerState{&container.State{}}, fmt.Errorf("%s: inspect: %w", n, err)
	}
	return containerState{inspected.Container.State}, nil
}

// String is the engine's word for the state: "running", "exited (code 143)".
func (s containerState) String() string {
	if s.Running {
		return string(s.Status)
	}
	return fmt.Sprintf("%s (code %d)", s.Status, s.ExitCode)
}

func (s containerState) exit() (Exit, error) {
	at, err := time.Parse(time.RFC3339Nano, s.FinishedAt)
	if err != nil {
		return Exit{}, fmt.Errorf("exit time: %w", err)
	}
	return Exit{Code: s.ExitCode, At: at, OOM: s.OOMKilled}, nil
}
