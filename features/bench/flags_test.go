package main

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	usual, err := parse(nil)
	require.NoError(t, err)
	require.Equal(t, plan{rounds: defaultRounds, length: defaultLength, batch: 128 << 10, linger: 5 * time.Millisecond}, usual)
	p, err := parse([]string{"-rounds=1", "-length", "1m", "-batch", "1000012", "-linger", "0s", "-only", "reading"})
	require.NoError(t, err)
	require.Equal(t, plan{rounds: 1, length: time.Minute, batch: 1_000_012, only: "reading"}, p)
	require.Len(t, p.asked(), 1)
	require.Len(t, usual.asked(), 3)
	_, err = parse([]string{"-h"})
	require.ErrorIs(t, err, flag.ErrHelp)
}

func TestFlagsThatMakeNoSenseAreRefusedInOneLine(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
	}{
		{"-only", "nonsense", `-only "nonsense": there is no such comparison; want producing, verifiable or reading`},
		{"-batch", "3000000000", "-batch 3000000000: want 2048 to 1000012 bytes"},
		{"-batch", "4294967297", "-batch 4294967297: want 2048 to 1000012 bytes"}, // 1 as an int32
		{"-batch", "0", "-batch 0: want 2048 to 1000012 bytes"},
		{"-batch", "-1", "-batch -1: want 2048 to 1000012 bytes"},
		{"-batch", "99999999999999999999", `invalid value "99999999999999999999" for flag -batch: value out of range`},
		{"-linger", "-5s", "-linger -5s: want whole milliseconds, 0s to 1s"},
		{"-linger", "2s", "-linger 2s: want whole milliseconds, 0s to 1s"},
		{"-linger", "1500us", "-linger 1.5ms: want whole milliseconds, 0s to 1s"},
		{"-linger", "5", `invalid value "5" for flag -linger: parse error`},
		{"-length", "0", "-length 0s: want more than 0 and at most 1m0s"},
		{"-length", "-1s", "-length -1s: want more than 0 and at most 1m0s"},
		{"-length", "2562047h", "-length 2562047h0m0s: want more than 0 and at most 1m0s"},
		{"-rounds", "0", "-rounds 0: want 1 to 100"},
		{"-rounds", "-3", "-rounds -3: want 1 to 100"},
		{"-rounds", "1000000000", "-rounds 1000000000: want 1 to 100"},
		{"-round", "3", "flag provided but not defined: -round"},
		{"-rounds=3", "reading", `"reading": bench takes flags only; -help lists them`},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			_, err := parse([]string{c.name, c.value})
			require.EqualError(t, err, c.want)
		})
	}
}

// make bench has six minutes, of which the comparisons may take four.
func TestDefaultsFit(t *testing.T) {
	usual, err := parse(nil)
	require.NoError(t, err)
	require.LessOrEqual(t, usual.estimate(), 4*time.Minute)
	require.Equal(t, 200*time.Second, usual.estimate())

	longer, one := usual, usual
	longer.rounds, longer.length = 5, 2500*time.Millisecond
	require.Greater(t, longer.estimate(), 6*time.Minute, "what the defaults once were")
	sum := time.Duration(0)
	for _, c := range comparisons {
		one.only = c.name
		sum += one.estimate()
	}
	require.InDelta(t, (usual.estimate() + 2*ofCluster).Seconds(), sum.Seconds(), 20)
}
