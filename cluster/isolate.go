package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/moby/moby/client"
)

// Disconnect cuts the running broker off from some of its networks and returns the moment at which that was done. What
// is under way on them is lost without a word; a client on the host is refused at once, since the engine ends the
// connections on the published port itself.
func (b *Broker) Disconnect(ctx context.Context, from ...Network) (time.Time, error) {
	if slices.Contains(from, Controllers) {
		b.setApart(true)
	}
	for _, n := range from {
		options := client.NetworkDisconnectOptions{Container: b.container}
		if _, err := b.cluster.engine.NetworkDisconnect(ctx, b.cluster.networkName(n), options); err != nil {
			return time.Time{}, fmt.Errorf("%s: disconnect from the %s: %w", b, n, err)
		}
	}
	if slices.Contains(from, Clients) {
		b.disconnect() // an observer's connection that the engine has not ended would tell of a broker that no client reaches
	}
	return time.Now(), nil
}

// Reconnect connects the broker to the networks that it is missing, under its former addresses.
func (b *Broker) Reconnect(ctx context.Context) error {
	there, err := b.Connected(ctx)
	if err != nil {
		return err
	}
	for n := range networks {
		if slices.Contains(there, n) {
			continue
		}
		options := client.NetworkConnectOptions{Container: b.container, EndpointConfig: b.endpoint(n)}
		if _, err := b.cluster.engine.NetworkConnect(ctx, b.cluster.networkName(n), options); err != nil {
			return fmt.Errorf("%s: reconnect to the %s: %w", b, n, err)
		}
	}
	b.setApart(false)
	return nil
}

// Connected returns the networks that the engine has the broker on.
func (b *Broker) Connected(ctx context.Context) ([]Network, error) {
	inspected, err := b.cluster.engine.ContainerInspect(ctx, b.container, client.ContainerInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: inspect: %w", b, err)
	}
	var there []Network
	for n := range networks {
		if _, ok := inspected.Container.NetworkSettings.Networks[b.cluster.networkName(n)]; ok {
			there = append(there, n)
		}
	}
	return there, nil
}

// FindsController reports whether the broker reaches an active controller, which may be itself.
func (b *Broker) FindsController(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, quorumWithin)
	defer cancel()
	found, err := b.quorum(ctx)
	return err == nil && found.Leader >= 0
}

// setApart notes that the node hears nothing from the other controllers, so that what it tells may be long out of date.
func (n *Node) setApart(apart bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.apart = apart
}

func (n *Node) isApart() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.apart
}
