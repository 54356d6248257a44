package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func reading(stopped bool, took time.Duration, session time.Duration) Reading {
	return Reading{
		Clock: "fenced", Since: "the loss", Stopped: stopped, Took: took,
		Budget: Budget{{sessionTimeout, 9 * time.Second}}, InForce: Budget{{sessionTimeout, session}},
		Settings: Settings{Times: map[string]time.Duration{sessionTimeout: session}},
	}
}

func TestReading(t *testing.T) {
	const s = time.Second
	t.Run("stopped, exactly at its budget, is within", func(t *testing.T) { require.NoError(t, reading(true, 9*s, 9*s).Err()) })
	t.Run("stopped, before the loss, is within", func(t *testing.T) { require.NoError(t, reading(true, -s, 9*s).Err()) })
	t.Run("stopped, beyond its budget, is over and names terms", func(t *testing.T) {
		r := reading(true, 9*s+1, 9*s)
		assert.True(t, r.Over())
		require.EqualError(t, r.Err(), "wanted: fenced, from the loss within 9.0 s = 9.0 s broker.session.timeout.ms; seen: 9.0 s")
	})
	t.Run("not stopped, within its budget, is not over and does not hold", func(t *testing.T) {
		assert.False(t, reading(false, 8*s, 9*s).Over())
		require.ErrorContains(t, reading(false, 8*s, 9*s).Err(), "seen: not in 8.0 s")
	})
	t.Run("beyond a default budget, names the setting that is raised", func(t *testing.T) {
		require.EqualError(t, reading(false, 12*s, 20*s).Err(), "wanted: fenced, from the loss within 9.0 s = 9.0 s broker.session.timeout.ms; "+
			"seen: not in 12.0 s; in force: broker.session.timeout.ms is 20.0 s (default 9.0 s), which allows 20.0 s")
	})
	t.Run("beyond its budget, does not name what is raised and decides something else", func(t *testing.T) {
		r := reading(false, 12*s, 9*s)
		r.Settings.Times[fetchBackoff] = 20 * s
		require.NotContains(t, r.Err().Error(), fetchBackoff)
	})
	t.Run("decided, when it has stopped or is over", func(t *testing.T) {
		assert.True(t, reading(true, 8*s, 9*s).Decided())
		assert.False(t, reading(false, 9*s, 9*s).Decided())
		assert.True(t, reading(false, 9*s+1, 9*s).Decided())
	})
}

func TestJudge(t *testing.T) {
	require.EqualError(t, Judge(nil), "nothing was timed")
	require.NoError(t, Judge([]Reading{reading(true, time.Second, 9*time.Second)}))
	err := Judge([]Reading{reading(true, time.Second, 9*time.Second), reading(true, time.Minute, 9*time.Second)})
	require.ErrorContains(t, err, "seen: 60.0 s")
}

func TestResolutionIsGranted(t *testing.T) {
	r := reading(true, 9200*time.Millisecond, 9*time.Second)
	r.Resolution = 200 * time.Millisecond
	require.NoError(t, r.Err())
	r.Took++
	require.ErrorContains(t, r.Err(), "within 9.2 s = 9.0 s broker.session.timeout.ms + 0.2 s resolution of the timeline; seen: 9.2 s")
}

func TestTable(t *testing.T) {
	over := reading(true, 10500*time.Millisecond, 9*time.Second)
	over.Where, over.Resolution = "telemetry-3", 100*time.Millisecond
	assert.Equal(t, `clocks of broker 1 lost by hard kill
  clock                  measured              budget  + resolution
  fenced, from the loss  8.0 s                 9.0 s   0.0 s
  fenced, from the loss  10.5 s (telemetry-3)  9.0 s   0.1 s         OVER
  9.0 s = 9.0 s broker.session.timeout.ms
  OVER: longer than the budget, which is red where the scenario states it
  left no ISR`, Table("clocks of broker 1 lost by hard kill", []Reading{reading(true, 8*time.Second, 9*time.Second), over}, "left no ISR"))
}
