package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

// link is a way from the broker to a peer.
type link struct {
	on   cluster.Network
	peer int
}

func (l link) String() string { return fmt.Sprintf("node %d on the network of the %s", l.peer, l.on) }

// reaches tries all links at once and returns those that there are. A peer that is lost is not reached.
func (f *isolated) reaches(ctx context.Context) ([]link, error) {
	var (
		mu       sync.Mutex
		found    []link
		problems error
		tried    sync.WaitGroup
	)
	for on, peers := range f.peers {
		for _, peer := range peers {
			tried.Go(func() {
				ok, err := f.broker.Reaches(ctx, peer, on)
				mu.Lock()
				defer mu.Unlock()
				problems = errors.Join(problems, err)
				if ok {
					found = append(found, link{on, peer})
				}
			})
		}
	}
	tried.Wait()
	return found, problems
}

// reachesWithin bounds looks at all links: one where there is no way takes 2 s, and the engine some more on a busy machine.
const reachesWithin = 30 * time.Second

// peersEffect sees that of the peers which the broker reached before it reaches those still that it should, and no other:
// the replication of a broker that is not cut off would show only when replica.lag.time.max.ms has not passed in vain.
func (f *isolated) peersEffect(ctx context.Context) error {
	var links []link
	for _, l := range f.reached {
		if !f.cuts(l.on) {
			links = append(links, l)
		}
	}
	what := fmt.Sprintf("%s reaches %v and nobody else", f.broker, links)
	_, err := wait.Until(ctx, what, reachesWithin, func(ctx context.Context) ([]link, bool, error) {
		now, err := f.reaches(ctx)
		for _, l := range now {
			if f.cuts(l.on) {
				return now, false, wait.Stop(fmt.Errorf("%s still reaches %s", f.broker, l))
			}
		}
		return now, err == nil && !slices.ContainsFunc(links, func(l link) bool { return !slices.Contains(now, l) }), err
	})
	return err
}
