package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestParseAssignment(t *testing.T) {
	for text, want := range map[string]Assignment{
		"1":           {{1}},
		"1:2:3":       {{1, 2, 3}},
		"3:1,2:3,1:2": {{3, 1}, {2, 3}, {1, 2}},
	} {
		got, err := ParseAssignment(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		"":           `"" is no broker id`,
		"1::2":       `"" is no broker id`,
		"1:2,":       `"" is no broker id`,
		"1:2:2":      "broker 2 stands twice in 1:2:2",
		"1:2:3,1:2":  "partitions with 3 and with 2 replicas",
		"1:99999999": `"99999999" is no broker id`,
		"-1:2":       `"-1" is no broker id`,
	} {
		_, err := ParseAssignment(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `replica assignment "`+text+`"`)
	}
}

func TestCreateAssignedTopic(t *testing.T) {
	c, fake := fakeBrokers(t, ledBy3) // with the controller, which is asked
	var asked kmsg.CreateTopicsRequestTopic
	refused := func(code int16) {
		fake.ControlKey(int16(kmsg.CreateTopics), func(req kmsg.Request) (kmsg.Response, error, bool) {
			asked = req.(*kmsg.CreateTopicsRequest).Topics[0]
			response := req.ResponseKind().(*kmsg.CreateTopicsResponse)
			response.Topics = append(response.Topics, kmsg.CreateTopicsResponseTopic{Topic: asked.Topic, ErrorCode: code})
			return response, nil, true
		})
	}
	refused(0)
	require.NoError(t, c.CreateAssignedTopic(t.Context(), "email", Assignment{{1, 2, 3}, {3, 2, 1}}, map[string]string{"min.insync.replicas": "2"}))
	require.Len(t, asked.ReplicaAssignment, 2)
	assert.Equal(t, []int32{3, 2, 1}, asked.ReplicaAssignment[1].Replicas, "in the order of preference")
	assert.EqualValues(t, 1, asked.ReplicaAssignment[1].Partition)
	assert.EqualValues(t, -1, asked.NumPartitions)
	assert.EqualValues(t, -1, asked.ReplicationFactor)
	require.Len(t, asked.Configs, 1)
	assert.Equal(t, "2", *asked.Configs[0].Value)

	refused(kerr.InvalidReplicaAssignment.Code)
	require.ErrorIs(t, c.CreateAssignedTopic(t.Context(), "email", Assignment{{1, 2, 3}}, nil), kerr.InvalidReplicaAssignment)
}
