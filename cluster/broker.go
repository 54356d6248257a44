package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/twmb/franz-go/pkg/kgo"

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

// Broker is one node of a cluster: a container, its volume and its place on the host.
type Broker struct {
	ID int

	cluster   *Cluster
	container string // id
	port      int    // of the client listener on 127.0.0.1, kept for life

	mu       sync.Mutex
	life     string // when the process that the suite started last was started, as the engine writes it
	wanted   bool   // it is meant to be running: when it is not, something went wrong
	apart    bool   // the suite has cut it off from the controllers
	sessions [lines]*kgo.Client
}

// Exit says how and when a broker's process ended.
type Exit struct {
	Code   int       // 143 after SIGTERM, 137 after SIGKILL
	At     time.Time // by the engine's clock
	OOM    bool      // the kernel killed it for memory
	Forced bool      // it was asked to shut down cleanly and had to be killed in the end
}

// Address is where clients on the host reach the broker.
func (b *Broker) Address() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }

// String names the broker as messages do: "broker 2".
func (b *Broker) String() string { return fmt.Sprintf("broker %d", b.ID) }

// Shutdown stops the broker cleanly: SIGTERM, upon which it hands its leaders over (controlled shutdown) and exits. A
// broker that does not exit in time is killed and that is an error, with Exit.Forced set.
func (b *Broker) Shutdown(ctx context.Context) (Exit, error) {
	exit, err := b.end(ctx, "SIGTERM", b.cluster.patience)
	var late *wait.Error
	if !errors.As(err, &late) || ctx.Err() != nil {
		return exit, err
	}
	exit, killErr := b.end(ctx, "SIGKILL", killWithin)
	exit.Forced = true
	return exit, errors.Join(fmt.Errorf("%s did not shut down cleanly and was killed: %w", b, err), killErr)
}

// Kill ends the broker with SIGKILL: no controlled shutdown, the others learn of it by missing heartbeats.
func (b *Broker) Kill(ctx context.Context) (Exit, error) { return b.end(ctx, "SIGKILL", killWithin) }

func (b *Broker) end(ctx context.Context, signal string, within time.Duration) (Exit, error) {
	b.want(false)
	_, err := b.cluster.engine.ContainerKill(ctx, b.container, client.ContainerKillOptions{Signal: signal})
	if err != nil {
		return Exit{}, fmt.Errorf("%s: %s: %w", b, signal, err)
	}
	what := fmt.Sprintf("%s exits after %s", b, signal)
	state, err := wait.Until(ctx, what, within, func(ctx context.Context) (containerState, bool, error) {
		state, err := b.state(ctx)
		return state, err == nil && !state.Running, err
	})
	if err != nil {
		return Exit{}, err
	}
	return state.exit()
}

// Start starts the broker again on the same volume and port. It returns once the process runs; that the broker is
// back in the cluster is for the caller to await.
func (b *Broker) Start(ctx context.Context) error {
	b.want(true)
	if _, err := b.cluster.engine.ContainerStart(ctx, b.container, client.ContainerStartOptions{}); err != nil {
		b.want(false)
		if isPortClash(err) {
			return &engine.Problem{
				What: fmt.Sprintf("%s cannot come back: its port %d on 127.0.0.1 was taken meanwhile", b, b.port),
				Do:   "end the process that holds it and run again",
			}
		}
		return fmt.Errorf("%s: start: %w", b, err)
	}
	return b.begin(ctx)
}

// ReplaceVolume gives a stopped broker a new, empty volume, as after the loss of its disk. The next Start formats it.
func (b *Broker) ReplaceVolume(ctx context.Context) error {
	docker := b.cluster.engine
	if _, err := docker.ContainerRemove(ctx, b.container, client.ContainerRemoveOptions{RemoveVolumes: true}); err != nil {
		return fmt.Errorf("%s: remove container: %w", b, err)
	}
	if _, err := docker.VolumeRemove(ctx, b.name(), client.VolumeRemoveOptions{}); err != nil {
		return fmt.Errorf("%s: remove volume: %w", b, err)
	}
	return b.make(ctx, false)
}

// Running reports whether the broker's process runs.
func (b *Broker) Running(ctx context.Context) (bool, error) {
	state, err := b.state(ctx)
	return state.Running, err
}

// Logs returns what the broker has logged since a moment, in all its lives; the zero time means from the beginning.
func (b *Broker) Logs(ctx context.Context, since time.Time) (string, error) {
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true}
	if !since.IsZero() {
		options.Since = since.Format(time.RFC3339Nano)
	}
	stream, err := b.cluster.engine.ContainerLogs(ctx, b.container, options)
	if err != nil {
		return "", fmt.Errorf("%s: logs: %w", b, err)
	}
	defer func() { _ = stream.Close() }()
	var text strings.Builder
	if _, err := stdcopy.StdCopy(&text, &text, stream); err != nil && !errors.Is(err, io.EOF) {
		return text.String(), fmt.Errorf("%s: logs: %w", b, err)
	}
	return text.String(), nil
}

func (b *Broker) name() string { return fmt.Sprintf("%s-broker-%d", b.cluster.network(), b.ID) }

func (b *Broker) want(running bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wanted = running
}

func (b *Broker) isWanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wanted
}

type containerState struct{ *container.State }

func (b *Broker) state(ctx context.Context) (containerState, error) {
	inspected, err := b.cluster.engine.ContainerInspect(ctx, b.container, client.ContainerInspectOptions{})
	if err != nil {
		return containerState{&container.State{}}, fmt.Errorf("%s: inspect: %w", b, err)
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
