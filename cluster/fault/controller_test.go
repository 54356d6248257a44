package fault

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// fakeQuorum is three controllers, of which 103 is the active one as long as it runs and is not paused, then 102. The
// active one writes a record at each look; a controller that runs has all of them.
type fakeQuorum struct {
	nodes map[int]*fakeNode
	ends  map[int]int64
	end   int64
}

func newQuorum(ids ...int) *fakeQuorum {
	q := &fakeQuorum{nodes: map[int]*fakeNode{}, ends: map[int]int64{}, end: 100}
	for _, id := range ids {
		q.nodes[id] = healthy(id)
	}
	return q
}

func (q *fakeQuorum) view(context.Context) (cluster.View, error) {
	found := cluster.Quorum{Leader: -1}
	live := 0
	for id, n := range q.nodes {
		if n.running && !n.paused {
			found.Leader = max(found.Leader, id)
			live++
		}
	}
	if live <= len(q.nodes)/2 {
		return cluster.View{Quorum: cluster.Quorum{Leader: -1}}, nil
	}
	q.end++
	found.HighWatermark = q.end
	for id, n := range q.nodes {
		if n.running && !n.paused {
			q.ends[id] = q.end
		}
		found.Voters = append(found.Voters, cluster.QuorumReplica{ID: id, LogEndOffset: q.ends[id]})
	}
	return cluster.View{Quorum: found}, nil
}

func (q *fakeQuorum) fault(kind string, id int) (Fault, error) {
	f := &controller{kind: kind, id: id, process: q.nodes[id], view: q.view}
	for other, n := range q.nodes {
		if other != id {
			f.others = append(f.others, n)
		}
	}
	return f.way()
}

func TestControllerFaults(t *testing.T) {
	for _, kind := range []string{cleanShutdown, hardKill, volumeLoss, pause} {
		for role, id := range map[string]int{"the active one": 103, "a follower": 101} {
			t.Run(kind+" of "+role+", carried out, is seen to bite and to be over", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q := newQuorum(101, 102, 103)
					f, err := q.fault(kind, id)
					require.NoError(t, err)
					assert.Equal(t, id, f.Node())
					s := new(Stack)
					_, err = s.Inject(t.Context(), f)
					require.NoError(t, err)
					require.NoError(t, s.HealAll(t.Context()))
					assert.Equal(t, healthy(id), q.nodes[id])
				})
			})
		}
		t.Run(kind+", not carried out, is found out", func(t *testing.T) {
			q := newQuorum(101, 102, 103)
			q.nodes[101].noop = true
			f, err := q.fault(kind, 101)
			require.NoError(t, err)
			_, err = new(Stack).Inject(t.Context(), f)
			require.ErrorContains(t, err, "lost by "+kind+": no effect: ")
		})
		t.Run(kind+", of another container, is found out", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQuorum(101, 102, 103)
				q.nodes[101].other = q.nodes[102]
				f, err := q.fault(kind, 101)
				require.NoError(t, err)
				_, err = new(Stack).Inject(t.Context(), f)
				require.ErrorContains(t, err, "lost by "+kind+": no effect: ")
			})
		})
	}
	t.Run("pause, which the quorum does not notice, is found out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wrong := &controller{kind: pause, id: 101, process: healthy(101), view: newQuorum(101, 102, 103).view}
			f, err := wrong.way()
			require.NoError(t, err)
			_, err = new(Stack).Inject(t.Context(), f)
			require.ErrorContains(t, err, "no effect: wanted: the quorum goes on without")
		})
	})
	t.Run("pause of the only one, leaves no active controller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f, err := newQuorum(101).fault(pause, 101)
			require.NoError(t, err)
			_, err = new(Stack).Inject(t.Context(), f)
			require.NoError(t, err)
		})
	})
	t.Run("return, of one that follows nobody, is not taken for one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQuorum(101, 102, 103)
			q.nodes[101].running = false
			f, err := q.fault(hardKill, 101)
			require.NoError(t, err)
			began := time.Now()
			_, err = f.AwaitRecovery(t.Context())
			require.ErrorContains(t, err, "wanted: broker 101 follows or leads the quorum")
			assert.GreaterOrEqual(t, time.Since(began), returnWithin)
		})
	})
	t.Run("volume of the only one, is not to be lost", func(t *testing.T) {
		_, err := newQuorum(101).fault(volumeLoss, 101)
		require.ErrorContains(t, err, "is the only one: with its volume the metadata of the whole cluster would be lost for good")
	})
	t.Run("isolation, is for brokers", func(t *testing.T) {
		_, err := newQuorum(101).fault(fromPeers, 101)
		require.ErrorContains(t, err, `"isolation from its peers" is no way to lose`)
	})
}
