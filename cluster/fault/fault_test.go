package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

var exitAt = time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)

// fake is a fault that only says what is asked of it; each of its errors is what the call of that name returns.
type fake struct {
	id                             int
	inject, effect, heal, recovery error
	said                           *[]string
	mu                             *sync.Mutex
}

func (f *fake) Name() string { return fmt.Sprintf("broker %d lost by fake", f.id) }
func (f *fake) Node() int    { return f.id }

func (f *fake) say(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*f.said = append(*f.said, fmt.Sprintf("%s %d", what, f.id))
}

func (f *fake) Inject(context.Context) (time.Time, error) {
	f.say("inject")
	return exitAt, f.inject
}

func (f *fake) AwaitEffect(context.Context) error {
	f.say("effect")
	return f.effect
}

func (f *fake) Heal(context.Context) error {
	f.say("heal")
	return f.heal
}

func (f *fake) AwaitRecovery(context.Context) (time.Time, error) {
	f.say("recovery")
	return exitAt.Add(time.Minute), f.recovery
}

type scene struct {
	Stack
	said []string
	mu   sync.Mutex
}

func (s *scene) fake(id int) *fake { return &fake{id: id, said: &s.said, mu: &s.mu} }

func TestStack(t *testing.T) {
	broken := errors.New("engine says no")
	ctx := t.Context()

	t.Run("two faults, injected in order, heal newest first and then wait for both", func(t *testing.T) {
		s := &scene{}
		for _, id := range []int{1, 2} {
			l, err := s.Inject(ctx, s.fake(id))
			require.NoError(t, err)
			assert.Equal(t, exitAt, l.At)
		}
		require.NoError(t, s.HealAll(ctx))
		assert.Equal(t, []string{"inject 1", "effect 1", "inject 2", "effect 2", "heal 2", "heal 1", "recovery 2", "recovery 1"}, s.said)
		assert.Empty(t, s.Open())
		require.Len(t, s.All(), 2)
		assert.Equal(t, exitAt.Add(time.Minute), s.All()[0].Returned)
	})
	t.Run("healed faults, healed again, are left alone", func(t *testing.T) {
		s := &scene{}
		_, err := s.Inject(ctx, s.fake(1))
		require.NoError(t, err)
		require.NoError(t, s.HealAll(ctx))
		s.said = nil
		require.NoError(t, s.HealAll(ctx))
		assert.Empty(t, s.said)
	})
	t.Run("second fault, same broker, is refused and not injected", func(t *testing.T) {
		s := &scene{}
		_, err := s.Inject(ctx, s.fake(1))
		require.NoError(t, err)
		_, err = s.Inject(ctx, s.fake(1))
		require.EqualError(t, err, "broker 1 lost by fake: it is lost already (broker 1 lost by fake)")
		assert.Equal(t, []string{"inject 1", "effect 1"}, s.said)
	})
	t.Run("second fault, same broker after healing, is injected", func(t *testing.T) {
		s := &scene{}
		_, err := s.Inject(ctx, s.fake(1))
		require.NoError(t, err)
		require.NoError(t, s.Heal(ctx, 1))
		_, err = s.Inject(ctx, s.fake(1))
		require.NoError(t, err)
		assert.Len(t, s.Open(), 1)
		assert.Len(t, s.All(), 2)
	})
	t.Run("injection, fails half way, stays on the stack and is healed", func(t *testing.T) {
		s := &scene{}
		f := s.fake(1)
		f.inject = broken
		l, err := s.Inject(ctx, f)
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "broker 1 lost by fake: inject: ")
		require.NotNil(t, l)
		require.NoError(t, s.HealAll(ctx))
		assert.Equal(t, []string{"inject 1", "heal 1", "recovery 1"}, s.said)
	})
	t.Run("fault, without effect, says so and is healed", func(t *testing.T) {
		s := &scene{}
		f := s.fake(2)
		f.effect = errors.New("broker 2 still runs")
		_, err := s.Inject(ctx, f)
		require.EqualError(t, err, "broker 2 lost by fake: no effect: broker 2 still runs")
		require.NoError(t, s.HealAll(ctx))
		assert.Contains(t, s.said, "heal 2")
	})
	t.Run("healing, fails for some, heals the others and tells every failure", func(t *testing.T) {
		s := &scene{}
		faults := []*fake{s.fake(1), s.fake(2), s.fake(3)}
		faults[2].heal = broken
		faults[0].recovery = errors.New("not registered")
		for _, f := range faults {
			_, err := s.Inject(ctx, f)
			require.NoError(t, err)
		}
		err := s.HealAll(ctx)
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "broker 3 lost by fake: heal: engine says no")
		require.ErrorContains(t, err, "broker 1 lost by fake: recovery: not registered")
		assert.Equal(t, []string{"heal 3", "heal 2", "heal 1", "recovery 2", "recovery 1"}, s.said[6:])
		require.Len(t, s.Open(), 1, "what could not be healed is open still")
		assert.Zero(t, s.All()[0].Returned, "nobody saw it return")
		assert.Equal(t, 3, s.Open()[0].Fault.Node())
	})
	t.Run("healing one broker, leaves the other lost", func(t *testing.T) {
		s := &scene{}
		for _, id := range []int{1, 2} {
			_, err := s.Inject(ctx, s.fake(id))
			require.NoError(t, err)
		}
		require.NoError(t, s.Heal(ctx, 1))
		require.Len(t, s.Open(), 1)
		assert.Equal(t, 2, s.Open()[0].Fault.Node())
		require.EqualError(t, s.Heal(ctx, 1), "node 1 is not lost")
	})
	t.Run("faults at once, from several goroutines, are all on the stack", func(t *testing.T) {
		s := &scene{}
		var all sync.WaitGroup
		for id := range 50 {
			all.Go(func() {
				_, err := s.Inject(ctx, s.fake(id))
				assert.NoError(t, err)
			})
		}
		all.Wait()
		assert.Len(t, s.All(), 50)
	})
}

func TestOf(t *testing.T) {
	t.Run("node that the cluster has not, is an error that names those it has", func(t *testing.T) {
		_, err := Of(hardKill, &cluster.Cluster{}, 4)
		require.EqualError(t, err, "node 4: the cluster has nodes [1 2 3]")
	})
	t.Run("kind that is none, is an error that names the kinds", func(t *testing.T) {
		_, err := way(target{kind: "earthquake"})
		require.EqualError(t, err, `"earthquake" is no way to lose a node; use one of ["clean shutdown" "hard kill" `+
			`"loss of its volume" "a pause" "isolation from its peers" "isolation from clients" "isolation from everyone" `+
			`"isolation from the controllers" "isolation from the other brokers"]`)
	})
	for _, kind := range Kinds {
		t.Run("kind "+kind+", gives a fault of that name", func(t *testing.T) {
			f, err := way(target{kind: kind, id: 2, broker: healthy(2)})
			require.NoError(t, err)
			assert.Equal(t, "broker 2 lost by "+kind, f.Name())
			assert.Equal(t, 2, f.Node())
		})
	}
}

func TestLostString(t *testing.T) {
	assert.Equal(t, "broker 1 lost by fake: not carried out", Lost{Fault: (&scene{}).fake(1)}.String())
	l := Lost{Fault: (&scene{}).fake(1), At: exitAt}
	assert.Equal(t, "broker 1 lost by fake at 17:00:00.000", l.String())
	l.Healed = exitAt.Add(1500 * time.Millisecond)
	assert.Equal(t, "broker 1 lost by fake at 17:00:00.000, healed 1.5 s later", l.String())
	l.Returned = l.Healed.Add(4 * time.Second)
	assert.Equal(t, "broker 1 lost by fake at 17:00:00.000, healed 1.5 s later, back 4.0 s after that", l.String())
}

func TestLostMoment(t *testing.T) {
	asked := time.Now()
	engine := func(after time.Duration) time.Time { return asked.Add(after).Round(0) } // without a monotonic reading
	for name, c := range map[string]struct {
		at   time.Time
		want time.Duration // after it was asked
		off  time.Duration
	}{
		"an exit between asking and seeing, is where the engine says": {engine(2 * time.Second), 2 * time.Second, 0},
		"an exit right when it was asked, likewise":                   {engine(0), 0, 0},
		"an exit right when it was seen, likewise":                    {engine(3 * time.Second), 3 * time.Second, 0},
		"an exit before it was asked, betrays another clock":          {engine(-time.Millisecond), 3 * time.Second, 3 * time.Second},
		"an exit after it was seen, betrays another clock":            {engine(time.Hour), 3 * time.Second, 3 * time.Second},
		"a moment of this process, is what it is":                     {asked.Add(time.Second), time.Second, 0},
		"an exit in another time zone, is the same moment":            {engine(time.Second).In(time.FixedZone("", 3600)), time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := Lost{Asked: asked, At: c.at, Seen: asked.Add(3 * time.Second)}
			at, off := l.Moment()
			assert.Equal(t, c.want, at.Sub(asked))
			assert.Equal(t, c.off, off)
		})
	}
}
