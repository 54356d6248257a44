package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-ha/cluster/wait"
)

// Pause freezes the broker's process where it stands: it runs no instruction, sends no heartbeat and answers nobody, yet
// its connections stay open and what is sent to it waits in the kernel's buffers. It returns when the process was frozen.
func (b *Broker) Pause(ctx context.Context) (time.Time, error) {
	b.want(false)
	what := fmt.Sprintf("%s paused by the engine", b)
	return wait.Until(ctx, what, pauseWithin, func(ctx context.Context) (time.Time, bool, error) {
		_, err := b.cluster.engine.ContainerPause(ctx, b.container, client.ContainerPauseOptions{})
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

// Resume lets a paused broker go on as if no time had passed. Resuming one that is not paused does nothing.
func (b *Broker) Resume(ctx context.Context) error {
	paused, err := b.Paused(ctx)
	if err != nil {
		return err
	}
	if paused {
		if _, err := b.cluster.engine.ContainerUnpause(ctx, b.container, client.ContainerUnpauseOptions{}); err != nil {
			return fmt.Errorf("%s: resume: %w", b, err)
		}
	}
	b.want(true)
	return nil
}

// Paused reports whether the broker's process is frozen.
func (b *Broker) Paused(ctx context.Context) (bool, error) {
	state, err := b.state(ctx)
	return state.Paused, err
}

// Answers reports whether the broker answers a request within a time.
func (b *Broker) Answers(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := b.ask(ctx, kmsg.NewPtrMetadataRequest())
	return err == nil
}

// unexpectedPause returns an error when the broker is meant to run and was frozen by somebody else.
func (b *Broker) unexpectedPause() error {
	if !b.isWanted() {
		return nil
	}
	return &exited{fmt.Sprintf("%s was paused, and not by the suite; see who did", b)}
}
