package steps

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
)

func TestParseBrokers(t *testing.T) {
	for text, want := range map[string][]int{"2": {2}, "1 and 2": {1, 2}, "1, 2 and 3": {1, 2, 3}, "3,1": {3, 1}, "1, 2, and 3": {1, 2, 3}} {
		t.Run("list "+text+", is read in its order", func(t *testing.T) {
			ids, err := parseBrokers(text)
			require.NoError(t, err)
			assert.Equal(t, want, ids)
		})
	}
	for text, want := range map[string]string{
		"4":                "the cluster has brokers 1, 2 and 3, not 4",
		"0":                "not 0",
		"1 and 1":          "broker 1 stands there twice",
		"1 an 2":           `"an" is no broker id`,
		"12":               "not 12",
		"":                 "name at least one",
		"and":              "name at least one",
		"9999999999999999": "not 9999999999999999",
	} {
		t.Run("list "+text+", is an error that quotes it", func(t *testing.T) {
			_, err := parseBrokers(text)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, `brokers "`+text+`"`)
		})
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "12": 12, "14,278": 14278, "1,000,000": 1000000} {
		n, err := parseCount(text)
		require.NoError(t, err)
		assert.Equal(t, want, n, text)
	}
	for _, text := range []string{"", ",", "many", "1.5", "99999999999999999999"} {
		_, err := parseCount(text)
		require.EqualError(t, err, `"`+text+`" is no number`)
	}
}

func TestBrokers(t *testing.T) {
	for want, ids := range map[string][]int{"broker 2": {2}, "brokers 1 and 2": {1, 2}, "brokers 1, 2 and 3": {1, 2, 3}} {
		assert.Equal(t, want, brokers(ids))
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"A broker is lost, and returns":     "a-broker-is-lost-and-returns",
		"min.insync.replicas=2: 12 leaders": "min-insync-replicas-2-12-leaders",
		"  ../../etc/passwd ":               "etc-passwd",
		"브로커 2":                             "2",
		"":                                  "",
	} {
		assert.Equal(t, want, slug(name))
	}
	long := slug("word word word word word word word word word word word word word word word word")
	assert.Len(t, long, 59)
	assert.NotRegexp(t, "-$", long)
}

func TestRefusedWith(t *testing.T) {
	for name, c := range map[string]struct {
		refusal error
		err     string
	}{
		"request, refused as wanted, holds":          {kerr.InvalidReplicationFactor, ""},
		"request, granted or not made, is an error":  {nil, "wanted: refused with INVALID_REPLICATION_FACTOR; seen: the request was granted, or none was made"},
		"request, refused otherwise, tells both":     {kerr.TopicAlreadyExists, "wanted: refused with INVALID_REPLICATION_FACTOR; seen: TOPIC_ALREADY_EXISTS: Topic with this name already exists."},
		"request, failed on the way, is no refusal":  {errors.New("INVALID_REPLICATION_FACTOR"), "wanted: refused with INVALID_REPLICATION_FACTOR; seen: INVALID_REPLICATION_FACTOR"},
		"request, refused within a text, is as good": {errors.Join(errors.New("create topic x"), kerr.InvalidReplicationFactor), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := (&World{refusal: c.refusal}).refusedWith("INVALID_REPLICATION_FACTOR")
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.err)
			}
		})
	}
}

func TestHasCode(t *testing.T) {
	assert.True(t, hasCode(traffic.Answer{Err: kerr.NotEnoughReplicas}, "NOT_ENOUGH_REPLICAS"))
	assert.False(t, hasCode(traffic.Answer{Err: kerr.NotEnoughReplicasAfterAppend}, "NOT_ENOUGH_REPLICAS"))
	assert.False(t, hasCode(traffic.Answer{Err: errors.New("NOT_ENOUGH_REPLICAS")}, "NOT_ENOUGH_REPLICAS"))
	assert.False(t, hasCode(traffic.Answer{}, "NOT_ENOUGH_REPLICAS"))
}

func TestAnswers(t *testing.T) {
	acked := func(partition int32) traffic.Answer {
		return traffic.Answer{Outcome: ledger.KindAcknowledged, Partition: partition, Offset: 5}
	}
	rejected := traffic.Answer{Outcome: ledger.KindRejected, Partition: 1, Err: kerr.NotEnoughReplicas}
	unknown := traffic.Answer{Outcome: ledger.KindIndeterminate, Partition: 2, Err: kerr.NotEnoughReplicasAfterAppend}
	for name, c := range map[string]struct {
		answers  []traffic.Answer
		sentence string
		err      string
	}{
		"all acknowledged, each acknowledged, holds":     {[]traffic.Answer{acked(0), acked(1)}, "each of these writes is acknowledged", ""},
		"one rejected, each acknowledged, names it once": {[]traffic.Answer{acked(0), rejected}, "each of these writes is acknowledged", "wanted: each of 2 writes acknowledged; seen: " + rejected.String()},
		"no write, each acknowledged, is no proof":       {nil, "each of these writes is acknowledged", "no write to look at"},
		"no write, none acknowledged, is no proof":       {nil, "none of these writes is acknowledged", "no write to look at"},
		"all rejected, rejected with, holds":             {[]traffic.Answer{rejected, rejected}, "each of these writes is rejected with NOT_ENOUGH_REPLICAS", ""},
		"all rejected, rejected with another, does not":  {[]traffic.Answer{rejected}, "the write is rejected with UNKNOWN_TOPIC_OR_PARTITION", "each of 1 writes rejected with UNKNOWN_TOPIC_OR_PARTITION"},
		"indeterminate, rejected with, does not":         {[]traffic.Answer{unknown}, "the write is rejected with NOT_ENOUGH_REPLICAS_AFTER_APPEND", "each of 1 writes rejected"},
		"rejected, none acknowledged, holds":             {[]traffic.Answer{rejected, unknown}, "none of these writes is acknowledged", ""},
		"one acknowledged, none acknowledged, does not":  {[]traffic.Answer{rejected, acked(3)}, "none of these writes is acknowledged", "partition 3: acknowledged"},
		"indeterminate, none rejected with, holds":       {[]traffic.Answer{unknown}, "none of these writes is rejected with NOT_ENOUGH_REPLICAS", ""},
		"one rejected, none rejected with, does not":     {[]traffic.Answer{unknown, rejected}, "none of these writes is rejected with NOT_ENOUGH_REPLICAS", "each of 2 writes not rejected"},
		"one indeterminate, some, holds":                 {[]traffic.Answer{rejected, unknown}, "some of these writes are indeterminate", ""},
		"none indeterminate, some, does not":             {[]traffic.Answer{rejected, acked(0)}, "some of these writes are indeterminate", "wanted: some of 2 writes indeterminate"},
		"no write, some, does not":                       {nil, "some of these writes are indeterminate", "wanted: some of 0 writes indeterminate"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.answers = c.answers
			err := run(w, "Then "+c.sentence)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}
