package steps

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/fixtures"
	"kafka-ha/fixtures/traffic"
)

// TestOnlyNewCommitsAreNew: a commit whose answer got lost is with the coordinator, and no consumer knows of it.
func TestOnlyNewCommitsAreNew(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.SeedTopics(1, "t"))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	commit := func(next int64) error {
		var offsets kadm.Offsets
		offsets.Add(kadm.Offset{Topic: "t", At: next, LeaderEpoch: -1})
		_, err := kadm.NewClient(client).CommitOffsets(t.Context(), "g", offsets)
		return err
	}
	require.NoError(t, commit(5))

	w := world(t)
	w.groups.all = []*group{{called: "1", name: "g", topic: &topic{spec: fixtures.TopicSpec{Name: "t"}}}}
	w.groups.ask, err = traffic.AskGroups(kafka.ListenAddrs())
	require.NoError(t, err)
	t.Cleanup(w.groups.ask.Close)
	require.ErrorContains(t, w.everyGroupCommits(t.Context(), 1), "committed 5 records, as before")

	later := make(chan error, 1)
	time.AfterFunc(time.Second, func() { later <- commit(6) })
	require.NoError(t, w.everyGroupCommits(t.Context(), 20))
	assert.NoError(t, <-later)
}
