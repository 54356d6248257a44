package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
)

// A dynamic quorum is founded by one node, extended over the protocol, and never taken for what it is not yet.
func TestDynamicQuorum(t *testing.T) {
	session := begin(t)
	c, err := Start(t.Context(), On(session), WithTopology(OneVoter))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		nothingLeft(t, c)
	})
	t.Run("it begins with one voter, which is not three", func(t *testing.T) {
		view, err := c.View(t.Context())
		require.NoError(t, err)
		assert.Empty(t, OneVoter.Lacks(view))
		assert.Equal(t, []string{
			"quorum: voters [1], want [1 2 3]", "quorum: node 2 is an observer and should be a voter", "quorum: node 3 is an observer and should be a voter",
		}, ThreeVoters.Lacks(view))
		assert.Equal(t, []string{"CONTROLLER://controller-1:9094"}, view.Quorum.Voters[0].Endpoints)
		assert.Equal(t, c.brokers[0].directory, view.Quorum.Voters[0].Directory)
		assert.False(t, c.Altered())
	})
	t.Run("two are added", func(t *testing.T) {
		for _, id := range []int{2, 3} {
			member, err := c.Candidate(t.Context(), id)
			require.NoError(t, err)
			require.NoError(t, c.AddVoter(t.Context(), member))
			require.ErrorIs(t, c.AddVoter(t.Context(), member), kerr.DuplicateVoter)
		}
		require.NoError(t, c.awaitShape(t.Context(), ThreeVoters))
		assert.True(t, c.Altered())
		assert.Equal(t, []int{1, 2, 3}, c.Voters())
	})
	t.Run("made anew, it begins with one voter again", func(t *testing.T) {
		require.NoError(t, c.Renew(t.Context()))
		assert.False(t, c.Altered())
	})
}
