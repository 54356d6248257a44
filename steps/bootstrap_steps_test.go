package steps

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func TestCompareLeaders(t *testing.T) {
	address := map[int]string{1: "127.0.0.1:20001", 2: "127.0.0.1:20002"}
	partitions := []cluster.Partition{{Topic: "t", ID: 0, Leader: 2}, {Topic: "t", ID: 1, Leader: 1}}
	to := func(partition, broker int32, at string) traffic.Answer {
		return traffic.Answer{Partition: partition, Broker: broker, Address: at}
	}
	for name, c := range map[string]struct {
		answers []traffic.Answer
		problem string
	}{
		"leaders, each at its address, passes":   {[]traffic.Answer{to(0, 2, address[2]), to(1, 1, address[1])}, ""},
		"leader, another broker, fails":          {[]traffic.Answer{to(0, 2, address[2]), to(1, 2, address[2])}, `partition 1 is led by broker 1 on 127.0.0.1:20001; the client wrote to broker 2`},
		"leader, at another's address, fails":    {[]traffic.Answer{to(0, 2, address[1])}, `the client wrote to broker 2 on "127.0.0.1:20001"`},
		"leader, nobody was written to, fails":   {[]traffic.Answer{to(0, -1, "")}, `the client wrote to broker -1 on ""`},
		"partition, none was chosen, fails":      {[]traffic.Answer{to(-1, -1, "")}, "the topic has no such partition"},
		"partition, one that is not there fails": {[]traffic.Answer{to(2, 1, address[1])}, "the topic has no such partition"},
		"writes, none, prove nothing":            {nil, "no write to look at"},
	} {
		t.Run(name, func(t *testing.T) {
			err := compareLeaders(c.answers, partitions, address)
			if c.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.problem)
		})
	}
}

func TestCompareFirst(t *testing.T) {
	const dead = "127.0.0.1:20001"
	first := func(address string, failed bool) traffic.Answer {
		return traffic.Answer{First: traffic.Dial{Address: address, Failed: failed}}
	}
	require.NoError(t, compareFirst([]traffic.Answer{first(dead, true), first(dead, true)}, dead))
	require.ErrorContains(t, compareFirst([]traffic.Answer{first(dead, true), first("127.0.0.1:20002", true)}, dead), `seen: one to "127.0.0.1:20002", opened: false`)
	require.ErrorContains(t, compareFirst([]traffic.Answer{first(dead, false)}, dead), "opened: true")
	require.ErrorContains(t, compareFirst(nil, dead), "no write to look at")
}

func TestPortsOf(t *testing.T) {
	sockets := []cluster.Socket{{Local: 9092}, {Local: 2181}, {Local: 40_000, Remote: 2181}, {Local: 40_001, Remote: 9093}}
	assert.Equal(t, []string{"one from port 2181 to port 0", "one from port 40000 to port 2181"}, portsOf(sockets, 2181))
	assert.Empty(t, portsOf(sockets, 2182))
}

// A group's file, with records of two partitions that it processed.
func TestStartCounts(t *testing.T) {
	book, err := ledger.Create(t.TempDir(), ledger.NewRunID(), "t")
	require.NoError(t, err)
	group, err := book.CreateGroup("late", ledger.GroupInfo{Name: "late", Commits: ledger.CommitsAfter})
	require.NoError(t, err)
	member, err := group.Member()
	require.NoError(t, err)
	require.NoError(t, group.Processed(member, []ledger.Record{{Partition: 0, Offset: 9}, {Partition: 0, Offset: 10}, {Partition: 1, Offset: 0}}))
	require.NoError(t, group.Close(nil, true, ""))
	file := ledger.GroupFile(group.Name())

	s := &start{ends: map[int32]int64{0: 10}}
	earlier, later, err := s.count(file)
	require.NoError(t, err)
	assert.Equal(t, 1, earlier, "offset 9 was there")
	assert.Equal(t, 2, later, "offset 10 was not, and partition 1 was empty")

	_, _, err = s.count(ledger.GroupFile(filepath.Join(t.TempDir(), "nothing.ndjson")))
	require.Error(t, err)
}

func TestWritesAreComparedWithTheirOwnTopic(t *testing.T) {
	w := world(t)
	require.ErrorContains(t, run(w, "Then each of these writes went to the leader of its partition"), "no write to look at")
	leaders := func(topic string, leader int) []cluster.Partition {
		return []cluster.Partition{{Topic: topic, Leader: leader}}
	}
	w.look = func(context.Context) (cluster.View, error) {
		return cluster.View{Brokers: map[int]cluster.BrokerView{
			1: {Topics: map[string][]cluster.Partition{"a": leaders("a", 1), "b": leaders("b", 2)}},
		}}, nil
	}
	w.answers, w.answered = []traffic.Answer{{Partition: 0, Broker: 2}}, w.use("a", w.spec("a", 1, 3, 2))
	w.use("b", w.spec("b", 1, 3, 2))
	err := run(w, "Then each of these writes went to the leader of its partition")
	require.ErrorContains(t, err, "partition 0 is led by broker 1", "b, the topic in use, is led by the broker that was written to")
}
