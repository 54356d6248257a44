package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

func TestOnlyVoters(t *testing.T) {
	for name, c := range map[string]struct {
		topology cluster.Topology
		list     string
		says     string
	}{
		"separate controller, is refused":   {cluster.OneController, "1 and 2", "the brokers of this cluster do not vote"},
		"separate controllers, are refused": {cluster.ThreeControllers, "1 and 2", "the brokers of this cluster do not vote"},
		"dynamic quorum of one, is refused": {cluster.OneVoter, "1 and 2", "they are members of a dynamic quorum"},
		"dynamic quorum, is refused":        {cluster.ThreeVoters, "3", "they are members of a dynamic quorum"},
		"all voters, alter nothing":         {cluster.Combined, "1, 2 and 3", "brokers 1, 2 and 3 are all of the voters, so that nothing would be altered"},
		"all voters, in another order, too": {cluster.Combined, "3, 1 and 2", "so that nothing would be altered"},
	} {
		for _, line := range []string{
			"When broker 3 is restarted with brokers " + c.list + " as the only voters",
			"Given a new cluster of three brokers on empty volumes, with brokers " + c.list + " as the only voters",
		} {
			t.Run(name+": "+line, func(t *testing.T) {
				w := world(t)
				w.need.Topology = c.topology
				require.ErrorContains(t, run(w, line), c.says)
			})
		}
	}
	t.Run("some voters, are those", func(t *testing.T) {
		voters, err := world(t).onlyVoters("2 and 1")
		require.NoError(t, err)
		assert.Equal(t, []int{2, 1}, voters)
	})
}
