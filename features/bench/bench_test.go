package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"kafka-ha/fixtures/ledger"
)

func fixed(name string, goal float64, took ...time.Duration) *subject {
	return &subject{name: name, goal: goal, run: func(context.Context) (run, error) {
		next := took[0]
		took = took[1:]
		return run{records: 1000, took: next}, nil
	}}
}

func TestRatiosAreOfOneRoundAndTheMedianCounts(t *testing.T) {
	c := comparison{what: "producing", value: 1024, subjects: []*subject{
		fixed("ours", 0, time.Second, 2*time.Second, 4*time.Second),
		fixed("slow", 1.25, 2*time.Second, 2*time.Second, 6*time.Second),
		fixed("fast", 0.95, time.Second, time.Second, time.Second),
		fixed("by the way", 0, time.Second, time.Second, time.Second),
	}}
	require.NoError(t, c.take(t.Context(), 3))
	require.Equal(t, []float64{1, 1.5, 2}, c.ratios(c.subjects[1]))
	text := table([]comparison{c})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	require.Len(t, lines, 5)
	require.Contains(t, lines[1], "1 KiB")
	require.Contains(t, lines[1], "500     0.5")
	require.Contains(t, lines[2], "1.50 (1.00 to 2.00)   1.25 met")
	require.Contains(t, lines[3], "0.50 (0.25 to 1.00)   0.95 short of goal")
	require.Regexp(t, `0\.50 \(0\.25 to 1\.00\)$`, lines[4])
}

func TestRoundsGoThereAndBack(t *testing.T) {
	var order []string
	note := func(name string) *subject {
		return &subject{name: name, run: func(context.Context) (run, error) {
			order = append(order, name)
			return run{records: 1, took: 1}, nil
		}}
	}
	c := comparison{subjects: []*subject{note("a"), note("b")}}
	require.NoError(t, c.take(t.Context(), 3))
	require.Equal(t, []string{"a", "b", "b", "a", "a", "b"}, order)
}

func TestAFailedRunEndsTheComparison(t *testing.T) {
	broken := errors.New("no broker")
	c := comparison{subjects: []*subject{{name: "ours", run: func(context.Context) (run, error) { return run{}, broken }}}}
	err := c.take(t.Context(), 1)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "ours: ")
}

func TestMedian(t *testing.T) {
	require.Zero(t, median(nil))
	require.InDelta(t, 3, median([]float64{3}), 0)
	require.InDelta(t, 2, median([]float64{1, 3}), 0)
	require.InDelta(t, 2, median([]float64{1, 2, 9}), 0)
	for want, f := range map[string]float64{"0": 0, "999": 999, "1,000": 1000, "1,234,568": 1234567.9} {
		require.Equal(t, want, grouped(f))
	}
}

const performance = `500000 records sent, 92336.1 records/sec (8.81 MB/sec), 12.1 ms avg latency, 345.0 ms max latency.
612345 records sent, 122469.0 records/sec (11.68 MB/sec), 12.1 ms avg latency, 345.00 ms max latency.
1000 records sent, 111.5 records/sec (0.01 MB/sec), 7.33 ms avg latency, 405.00 ms max latency, 2 ms 50th, 38 ms 95th, 60 ms 99th, 61 ms 99.9th.
`

func TestPerformanceIsTheLastSummary(t *testing.T) {
	r, err := parsePerformance(performance, 1000)
	require.NoError(t, err)
	require.InDelta(t, 111.5, r.rate(), 0.01)
	const steady = "750 steady state records sent, 200.0 records/sec (0.02 MB/sec), 3.1 ms avg latency, 9.00 ms max latency, " +
		"1 ms 50th, 2 ms 95th, 3 ms 99th, 4 ms 99.9th.\n"
	r, err = parsePerformance(performance+steady, 750)
	require.NoError(t, err)
	require.InDelta(t, 200, r.rate(), 0.01)
	for name, out := range map[string]string{
		"another count":  performance + steady,
		"only progress":  strings.SplitAfter(performance, "\n")[0],
		"an exception":   "org.apache.kafka.common.errors.TimeoutException: no",
		"nothing at all": "",
	} {
		_, err := parsePerformance(out, 1000)
		require.Error(t, err, name)
	}
}

func TestVerifiableMustHaveEveryRecordAcknowledged(t *testing.T) {
	const end = `{"timestamp":1,"name":"tool_data","sent":10,"acked":10,"target_throughput":-1,"avg_throughput":20.0}` + "\n"
	r, err := parseVerifiable(end, 10)
	require.NoError(t, err)
	require.InDelta(t, 20, r.rate(), 0.01)
	for name, out := range map[string]string{
		"one not acknowledged": strings.Replace(end, `"acked":10`, `"acked":9`, 1),
		"another line":         strings.Replace(end, "tool_data", "shutdown_complete", 1),
		"no rate":              strings.Replace(end, "20.0", "0.0", 1),
		"no JSON":              "Exception in thread main",
	} {
		_, err := parseVerifiable(out, 10)
		require.Error(t, err, name)
	}
}

// What is measured does what it says, each on a fake cluster.
func TestSubjectsSendAndReadEverything(t *testing.T) {
	fake, err := kfake.NewCluster(kfake.SeedTopics(12, "full", "plain"))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	s := &site{plan: plan{batch: 16 << 10, linger: time.Millisecond}, bootstrap: fake.ListenAddrs(), scratch: t.TempDir()}
	l := load{value: 100, records: 20_000}
	r, err := s.ours(t.Context(), "full", l, func(book *ledger.Ledger) error {
		for _, read := range []func() (run, error){
			func() (run, error) { return s.judge(t.Context(), "full", l, book) },
			func() (run, error) { return s.readBack(t.Context(), "full", l, book) },
			func() (run, error) { return s.read(t.Context(), "full", l) },
		} {
			r, err := read()
			require.NoError(t, err)
			require.Equal(t, l.records, r.records)
			require.Positive(t, r.took)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, l.records, r.records)
	_, err = s.plain(t.Context(), "plain", l)
	require.NoError(t, err)
	require.NoError(t, s.holds(t.Context(), "plain", l.records))
	require.NoError(t, s.holds(t.Context(), "full", l.records))
	require.ErrorContains(t, s.holds(t.Context(), "full", l.records+1), "full holds 20000 records, want 20001")
}
