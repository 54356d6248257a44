package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// As Kafka 4.3.1 prints it.
const printedStatus = `ClusterId:              tIYBRjI0qjVRTxl6FrMvZA
LeaderId:               2
LeaderEpoch:            7
HighWatermark:          229
MaxFollowerLag:         0
MaxFollowerLagTimeMs:   0
CurrentVoters:          [{"id": 1, "directoryId": "yPzLfSu8ttaCfZ5QzEwycA", "endpoints": ["CONTROLLER://controller-1:9094"]}, {"id": 2, "directoryId": "Nu8Zg6j0KtQ2XepOxN3-Lw", "endpoints": ["CONTROLLER://controller-2:9094"]}]
CurrentObservers:       []
`

func TestParseStatus(t *testing.T) {
	t.Run("status, as printed, is read", func(t *testing.T) {
		status, err := parseStatus(printedStatus)
		require.NoError(t, err)
		assert.Equal(t, Status{
			ClusterID: "tIYBRjI0qjVRTxl6FrMvZA", Leader: 2, Epoch: 7, HighWatermark: 229, Voters: []QuorumReplica{
				{ID: 1, Directory: "yPzLfSu8ttaCfZ5QzEwycA", Endpoints: []string{"CONTROLLER://controller-1:9094"}},
				{ID: 2, Directory: "Nu8Zg6j0KtQ2XepOxN3-Lw", Endpoints: []string{"CONTROLLER://controller-2:9094"}},
			},
		}, status)
	})
	for name, printed := range map[string]string{"nothing": "", "no number": "LeaderId: two", "no voters": "LeaderId: 1\nLeaderEpoch: 1\nHighWatermark: 1\nMaxFollowerLag: 0\nCurrentVoters: none"} {
		t.Run("status, "+name+", is refused", func(t *testing.T) {
			_, err := parseStatus(printed)
			require.Error(t, err)
		})
	}
}
