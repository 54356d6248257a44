package steps

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewClusterWhileANodeIsLost(t *testing.T) {
	for _, line := range []string{
		"Given a new cluster of three brokers on empty volumes",
		"Given a new cluster of three brokers on empty volumes, with brokers 1 and 2 as the only voters",
	} {
		t.Run(line, func(t *testing.T) {
			w := world(t)
			_, err := w.faults.Inject(t.Context(), lostFault{})
			require.NoError(t, err)
			require.ErrorContains(t, run(w, line), ": let it return first, a new cluster has every node")
		})
	}
}
