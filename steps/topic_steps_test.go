package steps

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
)

func TestRequestsForTopics(t *testing.T) {
	for name, c := range map[string]struct {
		had     bool
		answer  error
		refused bool
	}{
		"new one, granted, is there":             {false, nil, false},
		"new one, refused, is not":               {false, fmt.Errorf("create topic a: %w", kerr.InvalidReplicationFactor), true},
		"new one, refused by policy, is not":     {false, kerr.PolicyViolation, true},
		"new one, not answered in time, may be":  {false, kerr.RequestTimedOut, false},
		"new one, there unbeknown, is there":     {false, kerr.TopicAlreadyExists, false},
		"had before, requested again, is there":  {true, kerr.TopicAlreadyExists, false},
		"had before, with other settings, is so": {true, kerr.InvalidReplicationFactor, false},
		"had before, not answered in time, too":  {true, kerr.RequestTimedOut, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			var awaited []string
			w.sync = func(_ context.Context, topics ...string) error {
				awaited = topics
				return nil
			}
			one := w.use("a", w.spec("a", 12, 3, 2))
			require.NoError(t, w.noteRequest(one, w.spec("a", 6, 3, 2), c.had, c.answer))
			assert.Equal(t, c.refused, one.refused)
			assert.Equal(t, c.answer, w.refusal, "for a Then")
			assert.Equal(t, map[bool]int32{true: 6, false: 12}[c.answer == nil], one.spec.Partitions)
			require.NoError(t, w.awaitSync(t.Context()))
			assert.Len(t, awaited, map[bool]int{true: 0, false: 1}[c.refused], "a topic that is there is waited for")
		})
	}
	t.Run("not answered at all, is an error", func(t *testing.T) {
		w, lost := world(t), errors.New("connection lost")
		require.ErrorIs(t, w.noteRequest(w.use("a", w.spec("a", 1, 3, 2)), w.spec("a", 1, 3, 2), false, lost), lost)
	})
	t.Run("topics, known and unknown, are there or not", func(t *testing.T) {
		w := world(t)
		one := w.use("a", w.spec("a", 12, 3, 2))
		assert.True(t, one.isThere())
		one.refused = true
		assert.False(t, one.isThere())
		assert.False(t, (&topic{}).isThere(), "written to, and never made")
	})
}

func TestRefusalOfAnEarlierRequest(t *testing.T) {
	made := errors.New("made")
	w := world(t)
	require.NoError(t, w.noteRequest(w.use("a", w.spec("a", 1, 4, 2)), w.spec("a", 1, 4, 2), false, kerr.InvalidReplicationFactor))
	require.NoError(t, w.refusedWith("INVALID_REPLICATION_FACTOR"))
	require.ErrorIs(t, w.made(t.Context(), "b", w.spec("b", 1, 3, 2), func() error { return made }), made)
	require.ErrorContains(t, w.refusedWith("INVALID_REPLICATION_FACTOR"), "the request was granted, or none was made")
}
