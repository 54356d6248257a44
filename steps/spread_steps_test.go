package steps

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	require.NoError(t, spread([]int{1, 1, 1}))
	require.NoError(t, spread([]int{101, 100, 100}))
	require.ErrorContains(t, spread([]int{102, 100, 100}), "within one; seen: by partition [102 100 100]")
	require.ErrorContains(t, spread([]int{3, 0, 0}), "within one; seen")
	require.ErrorContains(t, spread([]int{1, 0, 0}), "1 records over 3 partitions prove no even spread")
	require.ErrorContains(t, spread([]int{1, 1, 0}), "2 records over 3 partitions prove no even spread")
}
