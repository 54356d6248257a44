package clock

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWayOf(t *testing.T) {
	assert.Equal(t, HandsOver, WayOf("clean shutdown"))
	assert.Equal(t, Missed, WayOf("hard kill"))
	assert.Equal(t, Missed, WayOf("loss of its volume"))
	assert.Equal(t, Frozen, WayOf("a pause"))
	assert.Equal(t, Frozen, WayOf("isolation from everybody"), "what is not known")
}

func TestBudgets(t *testing.T) {
	raised := func(name string, to time.Duration) Settings {
		s := Settings{Times: map[string]time.Duration{}}
		for key, value := range defaults {
			s.Times[key] = value
		}
		s.Times[name] = to
		return s
	}
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for name, c := range map[string]struct {
		loss             Loss
		cluster, clients float64 // seconds
	}{
		"clean shutdown: no session to wait for":                 {Loss{Way: HandsOver, Settings: Defaults()}, 4, 9.1},
		"clean shutdown of the active controller: the same":      {Loss{Way: HandsOver, Controller: true, Settings: Defaults()}, 4, 9.1},
		"clean shutdown that hands nothing over: as a hard kill": {Loss{Way: HandsOver, Settings: Settings{Times: defaults, Abrupt: true}}, 14.125, 19.225},
		"hard kill: the session and an eighth":                   {Loss{Way: Missed, Settings: Defaults()}, 14.125, 19.225},
		"hard kill of the active controller: an election too":    {Loss{Way: Missed, Controller: true, Settings: Defaults()}, 19.125, 24.225},
		"pause: time-outs of clients more":                       {Loss{Way: Frozen, Settings: Defaults()}, 14.125, 25.225},
		"pause of the active controller: both":                   {Loss{Way: Frozen, Controller: true, Settings: Defaults()}, 19.125, 30.225},
		"pause, short session: a request holds clients up":       {Loss{Way: Frozen, Settings: raised(sessionTimeout, 4*time.Second)}, 8.5, 23.1},
		"hard kill, and another election early":                  {Loss{Way: Missed, Settings: Defaults(), Reelected: 2 * time.Second}, 16.125, 21.225},
		"hard kill of the controller, another election early":    {Loss{Way: Missed, Controller: true, Settings: Defaults(), Reelected: 4 * time.Second}, 19.125, 24.225},
		"hard kill of the controller, another election late":     {Loss{Way: Missed, Controller: true, Settings: Defaults(), Reelected: 8 * time.Second}, 22.125, 27.225},
		"hard kill, raised session":                              {Loss{Way: Missed, Settings: raised(sessionTimeout, 24*time.Second)}, 31, 36.1},
		"hard kill of the controller, raised fetch timeout":      {Loss{Way: Missed, Controller: true, Settings: raised(fetchTimeout, 5*time.Second)}, 22.125, 27.225},
		"hard kill of the controller, raised election timeout":   {Loss{Way: Missed, Controller: true, Settings: raised(electionTimeout, 3*time.Second)}, 23.125, 28.225},
		"hard kill of another, raised election timeout":          {Loss{Way: Missed, Settings: raised(electionTimeout, 3*time.Second)}, 14.125, 19.225},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, seconds(c.cluster), c.loss.Cluster().Total(), "%s", c.loss.Cluster())
			assert.Equal(t, seconds(c.clients), c.loss.Clients().Total(), "%s", c.loss.Clients())
		})
	}
	assert.Equal(t, seconds(49), Loss{Settings: Defaults()}.Lag().Total())
	assert.Equal(t, seconds(8.5), Loss{Settings: Defaults()}.Return().Total())
	assert.Equal(t, seconds(12.5), Loss{Settings: raised(fetchBackoff, 3*time.Second)}.Return().Total())
}

func TestBudgetNamesItsTerms(t *testing.T) {
	assert.Equal(t, "9.0 s default broker.session.timeout.ms + 1.1 s its check, an eighth + 2.0 s default controller.quorum.fetch.timeout.ms + "+
		"2.0 s default 2 × controller.quorum.election.timeout.ms + 1.0 s default controller.quorum.election.backoff.max.ms + "+
		"4.0 s allowance for a busy machine", Loss{Way: Missed, Controller: true, Settings: Defaults()}.Cluster().String())
	inForce := Settings{Times: defaults}
	assert.Equal(t, "9.0 s broker.session.timeout.ms + 1.1 s its check, an eighth + 4.0 s allowance for a busy machine",
		Loss{Way: Missed, Settings: inForce}.Cluster().String())
}

func TestInForce(t *testing.T) {
	ask := func(session time.Duration, shutdown string, problem error) Source {
		return Source{
			Millis: func(name string) (time.Duration, error) {
				if name == sessionTimeout {
					return session, problem
				}
				return defaults[name], nil
			},
			Text: func(string) (string, error) { return shutdown, nil },
		}
	}
	s, err := InForce(ask(9*time.Second, "true", nil))
	require.NoError(t, err)
	assert.Empty(t, s.Changed())
	s, err = InForce(ask(20*time.Second, "false", nil))
	require.NoError(t, err)
	assert.Equal(t, "broker.session.timeout.ms is 20.0 s (default 9.0 s), controlled.shutdown.enable is false (default true)", s.Changed())
	assert.Equal(t, "broker.session.timeout.ms is 20.0 s (default 9.0 s)", s.Changed(Loss{Way: Missed, Settings: s}.Cluster()), "of a hard kill")
	assert.Equal(t, s.Changed(), s.Changed(Loss{Way: HandsOver, Settings: s}.Cluster()), "of a clean shutdown")
	assert.Empty(t, s.Changed(Loss{Way: Missed, Settings: s}.Return()), "of a return")

	silent := errors.New("broker 2 does not answer")
	_, err = InForce(ask(0, "true", silent))
	require.ErrorIs(t, err, silent)
}
