package steps

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/verdict"
)

// disk is a broker's volume that holds such headers, at offsets from 5 on, of the topic "orders", or cannot be read.
type disk struct {
	headers [][]byte
	err     error
}

func (d disk) Search(_ context.Context, topic string, partition int, header string, found func(int64, []byte)) (int64, error) {
	if topic != "orders" || partition != 3 || header != "eid" {
		return 0, errors.New("looked in the wrong place")
	}
	for i, h := range d.headers {
		found(5+int64(i), h)
	}
	return int64(len(d.headers)), d.err
}

func TestLookForLost(t *testing.T) {
	lost := func(t *testing.T) (*ledger.Ledger, []byte) {
		t.Helper()
		l, err := ledger.Create(t.TempDir(), 7, "orders")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		p, err := l.Register(ledger.ProducerInfo{Name: "traffic", Acks: "all", Idempotent: true})
		require.NoError(t, err)
		ids, err := p.AttemptAll([]string{"veh0"}, nil)
		require.NoError(t, err)
		require.NoError(t, p.Acknowledged(1, 3, 0))
		log, err := l.CreateLog("orders")
		require.NoError(t, err)
		require.NoError(t, log.Bounds(ledger.Bounds{Partition: 3}))
		require.NoError(t, log.Close([]ledger.Progress{{Partition: 3}}, 0, true, ""))
		return l, ids[0].AppendBinary(nil)
	}
	gone := errors.New("disk says no")
	other := ledger.EventID{Run: 8, Sequence: 1}.AppendBinary(nil)
	for name, c := range map[string]struct {
		volumes func(id []byte) map[int]volume
		want    string
		err     error
	}{
		"stored on two of three brokers, was only not delivered": {func(id []byte) map[int]volume {
			return map[int]volume{1: disk{headers: [][]byte{other, id}}, 2: disk{}, 3: disk{headers: [][]byte{id}}}
		}, "in the log segments of brokers 1 and 3: stored, only not delivered", nil},
		"stored nowhere, among other records, is lost": {func([]byte) map[int]volume {
			return map[int]volume{1: disk{headers: [][]byte{other, []byte("x")}}, 2: disk{}, 3: disk{}}
		}, "in no log segment of brokers 1, 2 and 3: lost by the brokers", nil},
		"one broker unreadable, is not among those looked at": {func([]byte) map[int]volume {
			return map[int]volume{1: disk{}, 2: disk{err: gone}, 3: disk{}}
		}, "in no log segment of brokers 1 and 3: lost by the brokers", gone},
		"all brokers unreadable, nothing is known": {func([]byte) map[int]volume {
			return map[int]volume{1: disk{err: gone}}
		}, "no broker's log segments were looked through", gone},
	} {
		t.Run(name, func(t *testing.T) {
			l, id := lost(t)
			v, err := verdict.Judge(l.Dir())
			require.NoError(t, err)
			require.EqualValues(t, 1, v.Found[verdict.Lost])
			require.ErrorIs(t, lookForLost(t.Context(), c.volumes(id), l, v), c.err)
			again, err := verdict.Judge(l.Dir())
			require.NoError(t, err)
			assert.Equal(t, verdict.Broken, again.Result)
			assert.Equal(t, c.want, again.Offenders[verdict.Lost][0].Note)
		})
	}
}
