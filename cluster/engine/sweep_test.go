package engine

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// owners returns labels of a living owner, a dead one, and one in another place.
func owners(t *testing.T) (living, dead, foreign string) {
	t.Helper()
	me, err := self()
	require.NoError(t, err)
	past, away := me, me
	past.started -= 3_600_000
	away.place = "other-machine-4026531836"
	return me.String(), past.String(), away.String()
}

// left is a container, a network and a volume of a run.
func left(run, owner string, more ...string) []thing {
	labels := map[string]string{LabelRun: run, LabelOwner: owner, LabelCluster: run + "-c"}
	for _, label := range more {
		labels[label] = "1"
	}
	return []thing{{"containers", run + "-broker-1", labels}, {"networks", run + "-net", labels}, {"volumes", run + "-vol", labels}}
}

func TestSpare(t *testing.T) {
	living, dead, foreign := owners(t)
	for name, c := range map[string]struct {
		owner, keep string
		kept        bool
		want        string
	}{
		"dead run, is removed":                              {owner: dead},
		"living run, is spared":                             {owner: living, want: alive},
		"living run, kept things asked for, is spared":      {owner: living, keep: "1", kept: true, want: alive},
		"run of another place, is spared and named":         {owner: foreign, want: "its process belongs to other-machine-4026531836"},
		"run of another place, asked for, is spared too":    {owner: foreign, keep: "1", kept: true, want: "its process belongs to other-machine-4026531836"},
		"dead run, kept, is spared":                         {owner: dead, keep: "1", want: "kept on request"},
		"dead run, kept and asked for, is removed":          {owner: dead, keep: "1", kept: true},
		"dead run, not kept and asked for, is removed":      {owner: dead, kept: true},
		"unreadable owner, is spared with the reason":       {owner: "me", want: `owner "me": want place/pid/start`},
		"no owner, asked for, is spared all the same":       {kept: true, want: `owner "": want place/pid/start`},
		"dead run, keep label with another value, does not": {owner: dead, keep: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, spare(map[string]string{LabelOwner: c.owner, LabelKeep: c.keep}, c.kept))
		})
	}
}

func TestSweep(t *testing.T) {
	living, dead, foreign := owners(t)
	everything := func() []thing {
		all := []thing{{"containers", "of-somebody", map[string]string{"com.example": "1"}}}
		all = append(all, left("r1-dead", dead)...)
		all = append(all, left("r2-living", living)...)
		all = append(all, left("r3-foreign", foreign)...)
		return append(all, left("r4-kept", dead, LabelKeep)...)
	}
	t.Run("a sweep before a run, removes the dead run only and names what it spares", func(t *testing.T) {
		fake := newFake(t, everything()...)
		swept, err := fake.connect().Sweep(t.Context(), false)
		require.NoError(t, err)
		require.Len(t, swept, 3)
		assert.Equal(t, "removed what run r1-dead left: 1 containers, 1 networks, 1 volumes", swept[0].String())
		assert.Equal(t, "spared what run r3-foreign left: 1 containers, 1 networks, 1 volumes (its process belongs to other-machine-4026531836; make sweep removes what is dead or was kept)", swept[1].String())
		assert.Equal(t, "kept on request", swept[2].Why)
		assert.Equal(t, []string{"r1-dead-broker-1", "r1-dead-vol", "r1-dead-net"}, fake.removed)
	})
	t.Run("a sweep that is asked for, removes the kept run too", func(t *testing.T) {
		fake := newFake(t, everything()...)
		swept, err := fake.connect().Sweep(t.Context(), true)
		require.NoError(t, err)
		require.Len(t, swept, 3)
		assert.True(t, swept[2].Removed)
		assert.Equal(t, []string{"r1-dead-broker-1", "r1-dead-vol", "r1-dead-net", "r4-kept-broker-1", "r4-kept-vol", "r4-kept-net"}, fake.removed)
	})
	t.Run("a run of which only a volume stands, is found", func(t *testing.T) {
		fake := newFake(t, left("r1", dead)[2])
		swept, err := fake.connect().Sweep(t.Context(), false)
		require.NoError(t, err)
		require.Len(t, swept, 1)
		assert.Equal(t, []string{"r1-vol"}, fake.removed)
	})
	t.Run("nothing stands, says nothing", func(t *testing.T) {
		swept, err := newFake(t).connect().Sweep(t.Context(), true)
		require.NoError(t, err)
		assert.Empty(t, swept)
	})
}

func TestRemove(t *testing.T) {
	t.Run("an engine that is still busy, is asked until nothing stands", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, left("r1", "o")...)
			asked := map[string]int{}
			fake.onRemove = func(one thing) (int, string) {
				if asked[one.name]++; asked[one.name] < 3 {
					return http.StatusConflict, "removal is already in progress"
				}
				return 0, ""
			}
			require.NoError(t, fake.connect().Remove(t.Context(), OfRun("r1")))
			assert.Empty(t, fake.standing)
		})
	})
	t.Run("a container that comes to be meanwhile, is removed too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, left("r1", "o")[0])
			late := left("r1", "o")[1]
			fake.onRemove = func(thing) (int, string) {
				fake.standing, fake.onRemove = append(fake.standing, late), nil
				return 0, ""
			}
			require.NoError(t, fake.connect().Remove(t.Context(), OfRun("r1")))
			assert.Equal(t, []string{"r1-broker-1", "r1-net"}, fake.removed)
		})
	})
	t.Run("one that somebody else removes first, is no error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, left("r1", "o")[0])
			fake.onRemove = func(thing) (int, string) {
				fake.standing = nil
				return http.StatusNotFound, "no such container"
			}
			require.NoError(t, fake.connect().Remove(t.Context(), OfRun("r1")))
		})
	})
	t.Run("a network in use, ends at the bound and is named", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake, began := newFake(t, left("r1", "o")...), time.Now()
			fake.onRemove = func(one thing) (int, string) {
				if one.kind == "networks" {
					return http.StatusForbidden, "network r1-net has active endpoints"
				}
				return 0, ""
			}
			err := fake.connect().Remove(t.Context(), OfRun("r1"))
			require.ErrorContains(t, err, "nothing is left of kafka-ha.run=r1")
			require.ErrorContains(t, err, "0 containers, 1 networks, 0 volumes")
			require.ErrorContains(t, err, "network r1-net has active endpoints")
			assert.Equal(t, removeWithin, time.Since(began))
		})
	})
	t.Run("other runs and other people's things, stay", func(t *testing.T) {
		fake := newFake(t, append(left("r1", "o"), append(left("r11", "o"), thing{"volumes", "mine", nil})...)...)
		require.NoError(t, fake.connect().Remove(t.Context(), OfRun("r1")))
		assert.Len(t, fake.standing, 4)
	})
	t.Run("one cluster of a run, the rest stays", func(t *testing.T) {
		fake := newFake(t, append(left("r1", "o"), left("r2", "o")...)...)
		require.NoError(t, fake.connect().Remove(t.Context(), OfCluster("r2-c")))
		assert.Equal(t, []string{"r2-broker-1", "r2-vol", "r2-net"}, fake.removed)
	})
	t.Run("a run that was stopped, ends at once with the reason", func(t *testing.T) {
		stopped := errors.New("the run was stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stopped)
		require.ErrorIs(t, newFake(t, left("r1", "o")...).connect().Remove(ctx, OfRun("r1")), stopped)
	})
}
