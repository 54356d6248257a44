package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"kafka-ha/cluster/wait"
)

// Pause freezes the node's process where it stands: it runs no instruction, sends no heartbeat and answers nobody, yet
// its connections stay open and what is sent to it waits in the kernel's buffers. It returns when the process was frozen.
func (n *Node) Pause(ctx context.Context) (time.Time, error) {
	n.want(false)
	what := fmt.Sprintf("%s paused by the engine", n)
	return wait.Until(ctx, what, pauseWithin, func(ctx context.Context) (time.Time, bool, error) {
		_, err := n.cluster.engine.ContainerPause(ctx, n.container, client.ContainerPauseOptions{})
		if err != nil && !strings.Contains(err.Error(), notFrozen) {
			err = wait.Stop(err)
		}
		return time.Now(), err == nil, err
	})
}

// On a busy machine the engine may give up waiting until every thread of a process has stopped. It lets the process go on
// then and says that it was "unable to freeze" it; asked again, it succeeds.
const (
	notFrozen   = "unable to freeze"
	pauseWithin = 15 * time.Second
)

// Resume lets a paused node go on as if no time had passed. Resuming one that is not paused does nothing.
func (n *Node) Resume(ctx context.Context) error {
	paused, err := n.Paused(ctx)
	if err != nil {
		return err
	}
	if paused {
		if _, err := n.cluster.engine.ContainerUnpause(ctx, n.container, client.ContainerUnpauseOptions{}); err != nil {
			return fmt.Errorf("%s: resume: %w", n, err)
		}
	}
	n.want(true)
	return nil
}

// Paused reports whether the node's process is frozen.
func (n *Node) Paused(ctx context.Context) (bool, error) {
	state, err := n.state(ctx)
	return state.Paused, err
}

// unexpectedPause returns an error when the node is meant to run and was frozen by somebody else.
func (n *Node) unexpectedPause() error {
	if !n.isWanted() {
		return nil
	}
	return &exited{fmt.Sprintf("%s was paused, and not by the suite; see who did", n)}
}
