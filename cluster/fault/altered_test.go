package fault

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// fakeAlterable is a broker that notes what it is, and how it was ended.
type fakeAlterable struct {
	*fakeNode
	is    cluster.Alteration
	deaf  bool // the engine does not carry out alterations
	ended []string
}

func (n *fakeAlterable) Shutdown(ctx context.Context) (cluster.Exit, error) {
	n.ended = append(n.ended, "shutdown")
	return n.fakeNode.Shutdown(ctx)
}

func (n *fakeAlterable) Kill(ctx context.Context) (cluster.Exit, error) {
	n.ended = append(n.ended, "kill")
	return n.fakeNode.Kill(ctx)
}

func (n *fakeAlterable) Alter(_ context.Context, as cluster.Alteration) error {
	if n.running {
		return errors.New("altered while it ran")
	}
	if !n.deaf {
		n.is = as
	}
	return nil
}

func (n *fakeAlterable) Altered() cluster.Alteration { return n.is }

func (n *fakeAlterable) Carries(context.Context) error {
	if n.deaf {
		return errors.New("broker 2 has another configuration than it was given")
	}
	return nil
}

func alteredFault(as, then cluster.Alteration) (*altered, *fakeAlterable) {
	b := &fakeAlterable{fakeNode: healthy(2)}
	return &altered{target: aimAt(cleanShutdown+", restarted on a volume of another cluster", b.fakeNode), broker: b, as: as, then: then}, b
}

func TestAltered(t *testing.T) {
	as := cluster.Alteration{VolumeOf: 1}
	t.Run("restarted as something else and healed, is what it was", func(t *testing.T) {
		f, b := alteredFault(as, cluster.Alteration{})
		assert.Equal(t, "broker 2 lost by clean shutdown, restarted on a volume of another cluster", f.Name())
		_, err := new(Stack).Inject(t.Context(), f)
		require.NoError(t, err)
		assert.True(t, b.running)
		assert.Equal(t, as, b.is)
		require.NoError(t, f.Heal(t.Context()))
		assert.True(t, b.running)
		assert.True(t, b.is.None())
	})
	t.Run("moved and healed, is where it moved to", func(t *testing.T) {
		then := cluster.Alteration{Move: cluster.Renamed}
		f, b := alteredFault(cluster.Alteration{Move: cluster.Renamed, Stale: true}, then)
		_, err := new(Stack).Inject(t.Context(), f)
		require.NoError(t, err)
		require.NoError(t, f.Heal(t.Context()))
		assert.Equal(t, then, b.is)
	})
	t.Run("an engine that alters nothing, has no effect", func(t *testing.T) {
		f, b := alteredFault(as, cluster.Alteration{})
		b.deaf = true
		_, err := new(Stack).Inject(t.Context(), f)
		require.ErrorContains(t, err, "no effect: broker 2 has another configuration")
	})
	for name, c := range map[string]struct {
		prepare func(b *fakeAlterable)
		want    []string
	}{
		"one that the others take for a broker, is shut down":   {func(*fakeAlterable) {}, []string{"shutdown", "shutdown"}},
		"one that they do not, is killed":                       {func(b *fakeAlterable) { b.fenced = true }, []string{"shutdown", "kill"}},
		"one that has ended by itself, is not ended once again": {func(b *fakeAlterable) { b.running = false }, []string{"shutdown"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, b := alteredFault(as, cluster.Alteration{})
				_, err := f.Inject(t.Context())
				require.NoError(t, err)
				c.prepare(b)
				require.NoError(t, f.Heal(t.Context()))
				assert.Equal(t, c.want, b.ended)
				assert.True(t, b.running)
			})
		})
	}
}

// lateWitness answers only the third question.
type lateWitness struct {
	*fakeNode
	asked int
}

func (n *lateWitness) SettingMillis(context.Context, string) (time.Duration, error) {
	if n.asked++; n.asked < 3 {
		return 0, errors.New("broker 1 does not answer")
	}
	return 9 * time.Second, nil
}

func TestWitnessThatHasJustStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, err := sessionOf(t.Context(), &lateWitness{fakeNode: healthy(1)})
		require.NoError(t, err)
		assert.Equal(t, 9*time.Second, session)
	})
}
