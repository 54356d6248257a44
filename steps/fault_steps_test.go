package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/fault"
)

// sham is a fault on a broker that an engine takes the order for. Some engines carry it out on some brokers only.
type sham struct {
	how   string
	node  int
	bites bool
}

func (f *sham) Name() string                                     { return fmt.Sprintf("broker %d lost by %s", f.node, f.how) }
func (f *sham) Node() int                                        { return f.node }
func (f *sham) Inject(context.Context) (time.Time, error)        { return time.Now(), nil }
func (f *sham) Heal(context.Context) error                       { return nil }
func (f *sham) AwaitRecovery(context.Context) (time.Time, error) { return time.Now(), nil }

func (f *sham) AwaitEffect(context.Context) error {
	if !f.bites {
		return errors.New("seen: nothing")
	}
	return nil
}

// shamWorld is a healthy cluster on an engine that loses only some brokers when it is told to.
func shamWorld(t *testing.T, loses ...int) *World {
	t.Helper()
	view := seen(part(0, 2, 2, 3, 1), part(1, 1, 1, 2, 3))
	view.Quorum.Leader = 3
	w := watching(t, view).World
	w.sync = func(context.Context, ...string) error { return nil }
	w.aim = func(how string, node int) (fault.Fault, error) {
		return &sham{how: how, node: node, bites: slices.Contains(loses, node)}, nil
	}
	return w
}

// Each sentence that loses brokers, in each way, is red when one of them is not lost: nothing is stated of a cluster that
// has lost less than the feature says.
func TestLossesThatDoNotBite(t *testing.T) {
	var sentences []string
	for _, how := range fault.Kinds {
		for _, who := range []string{"broker 2", "the leader of partition 0", "a follower of partition 1", "the active controller"} {
			sentences = append(sentences, fmt.Sprintf("%s is lost by %s", who, how))
		}
		sentences = append(sentences,
			fmt.Sprintf("brokers 1 and 2 are lost by %s, one after the other", how),
			fmt.Sprintf("brokers 1, 2 and 3 are lost by %s at once", how))
	}
	for _, how := range []string{"clean shutdown", "hard kill"} {
		sentences = append(sentences, fmt.Sprintf("the brokers are restarted one after the other by %s, each when every ISR is full", how))
	}
	for _, sentence := range sentences {
		t.Run(sentence, func(t *testing.T) {
			require.ErrorContains(t, run(shamWorld(t), "When "+sentence), ": no effect: seen: nothing")
			require.NoError(t, run(shamWorld(t, 1, 2, 3), "When "+sentence))
		})
	}
	t.Run("the second of two, is found out too", func(t *testing.T) {
		require.ErrorContains(t, run(shamWorld(t, 1), "When brokers 1 and 2 are lost by hard kill, one after the other"),
			"broker 2 lost by hard kill: no effect")
		require.ErrorContains(t, run(shamWorld(t, 1, 3), "When brokers 1, 2 and 3 are lost by hard kill at once"),
			"broker 2 lost by hard kill: no effect")
		require.ErrorContains(t, run(shamWorld(t, 1, 2),
			"When the brokers are restarted one after the other by hard kill, each when every ISR is full"), "broker 3 lost by hard kill: no effect")
	})
	t.Run("a loss that did not bite, is none that could be timed", func(t *testing.T) {
		w := shamWorld(t)
		require.Error(t, run(w, "When broker 2 is lost by a pause"))
		_, err := w.timing(t.Context(), 2)
		assert.EqualError(t, err, "broker 2 was not lost in this scenario")
	})
}
