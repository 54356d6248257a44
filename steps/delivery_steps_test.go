package steps

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/verdict"
)

// judgedGroup is a group that has processed the one event of the topic in use, and was judged. A broker is lost, so that
// nobody waits for the ISR.
func judgedGroup(t *testing.T, w *World) (*group, *ledger.Producer) {
	t.Helper()
	_, err := w.faults.Inject(t.Context(), lostFault{})
	require.NoError(t, err)
	w.dir = t.TempDir()
	topic := w.use("a", w.spec("a", 1, 3, 2))
	book, err := w.book(topic)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	log, err := book.CreateGroup("1", ledger.GroupInfo{Name: "1", Commits: ledger.CommitsAfter})
	require.NoError(t, err)
	g := &group{called: "1", topic: topic, log: log}
	w.groups.all = append(w.groups.all, g)
	p, err := book.Register(ledger.ProducerInfo{Name: "p"})
	require.NoError(t, err)
	id, err := p.Attempt("v")
	require.NoError(t, err)
	require.NoError(t, p.Acknowledged(id.Sequence, 0, 0))
	member, err := log.Member()
	require.NoError(t, err)
	require.NoError(t, log.Processed(member, []ledger.Record{{Key: "v", HasID: true, ID: id}}))
	require.NoError(t, g.close([]ledger.Drained{{Next: 1, End: 1}}, nil))
	return g, p
}

// TestADeliveryIsJudgedAgainWhenItsTopicIsWrittenTo: the same sentence must not be green for events that nobody has read.
func TestADeliveryIsJudgedAgainWhenItsTopicIsWrittenTo(t *testing.T) {
	w := world(t)
	g, p := judgedGroup(t, w)
	holds := func(_ *group, d verdict.Delivery) error { return d.Err() }
	require.NoError(t, w.judged(t.Context(), g, holds))
	first := g.delivery
	require.NoError(t, w.judged(t.Context(), g, holds))
	assert.Same(t, first, g.delivery, "nothing was written meanwhile")

	_, err := w.book(g.topic)
	require.NoError(t, err)
	require.NoError(t, w.judged(t.Context(), g, holds), "another group was made, nothing was written")
	_, err = w.join(t.Context(), g, 0)
	require.ErrorContains(t, err, "was judged already")

	_, err = w.book(g.topic)
	require.NoError(t, err)
	_, err = w.join(t.Context(), g, 0)
	require.ErrorContains(t, err, "was judged already", "although nobody has judged what was written since")
	id, err := p.Attempt("v")
	require.NoError(t, err)
	require.NoError(t, p.Acknowledged(id.Sequence, 0, 1))
	require.ErrorContains(t, w.judged(t.Context(), g, holds), "1 events were sent after the consumers had left")
}

func TestGroupsOfAnotherTopicDrainNothing(t *testing.T) {
	w := world(t)
	w.groups.all = []*group{{called: "1", topic: w.use("orders", w.spec("orders", 1, 3, 2))}}
	w.use("bills", w.spec("bills", 1, 3, 2))
	err := w.everyGroupDrains(context.Background(), 1)
	require.ErrorContains(t, err, `group "1" reads topic "orders", and the topic in use is "bills"`)
	w.current = w.groups.all[0].topic
	require.ErrorContains(t, w.everyGroupDrains(context.Background(), 1), "has no consumer")
}

func TestAnEmptyTopicIsNotDrained(t *testing.T) {
	g := &group{called: "1", topic: &topic{called: "orders"}}
	require.ErrorContains(t, g.drainedRecords(nil), `topic "orders" has no record`)
	require.ErrorContains(t, g.drainedRecords([]ledger.Drained{{}, {Partition: 1}}), `topic "orders" has no record`)
	require.NoError(t, g.drainedRecords([]ledger.Drained{{}, {Partition: 1, Next: 1, End: 1}}))
}
