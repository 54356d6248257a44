package clock

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The broker settings that decide how long a loss is felt.
const (
	sessionTimeout  = "broker.session.timeout.ms"
	fetchTimeout    = "controller.quorum.fetch.timeout.ms"
	electionTimeout = "controller.quorum.election.timeout.ms"
	electionBackoff = "controller.quorum.election.backoff.max.ms"
	quorumRequest   = "controller.quorum.request.timeout.ms"
	fetchWait       = "replica.fetch.wait.max.ms"
	fetchBackoff    = "replica.fetch.backoff.ms"
	lagTime         = "replica.lag.time.max.ms"

	controlledShutdown = "controlled.shutdown.enable"
)

// defaults are Kafka's own, the same from 4.0 to 4.4.
var defaults = map[string]time.Duration{
	sessionTimeout: 9 * time.Second, fetchTimeout: 2 * time.Second, electionTimeout: time.Second, electionBackoff: time.Second,
	quorumRequest: 2 * time.Second, fetchWait: 500 * time.Millisecond, fetchBackoff: time.Second,
	lagTime: 30 * time.Second,
}

// Settings are values of broker settings.
type Settings struct {
	Times   map[string]time.Duration // by name
	Abrupt  bool                     // controlled.shutdown.enable=false: a clean shutdown hands nothing over
	Default bool                     // they are Kafka's defaults, whatever the cluster has
}

// Defaults are the settings of a cluster that nobody has set.
func Defaults() Settings { return Settings{Times: defaults, Default: true} }

// Source asks a broker: a *cluster.Broker.
type Source struct {
	Millis func(name string) (time.Duration, error)
	Text   func(name string) (string, error)
}

// InForce asks for the settings in force.
func InForce(from Source) (Settings, error) {
	s := Settings{Times: map[string]time.Duration{}}
	for name := range defaults {
		var err error
		if s.Times[name], err = from.Millis(name); err != nil {
			return s, err
		}
	}
	enabled, err := from.Text(controlledShutdown)
	s.Abrupt = enabled == "false"
	return s, err
}

// Changed says which settings are not Kafka's defaults: "broker.session.timeout.ms is 20.0 s (default 9.0 s)". It is empty
// when all are. With a budget it says that of the settings which the budget is made of.
func (s Settings) Changed(of ...Budget) string {
	var changed []string
	note := func(name, value, standard string) {
		decides := len(of) == 0 || slices.ContainsFunc(of, func(b Budget) bool { return b.madeOf(name) })
		if decides && value != standard {
			changed = append(changed, fmt.Sprintf("%s is %s (default %s)", name, value, standard))
		}
	}
	for name, value := range s.Times {
		note(name, short(value), short(defaults[name]))
	}
	note(controlledShutdown, fmt.Sprint(!s.Abrupt), "true")
	slices.Sort(changed)
	return strings.Join(changed, ", ")
}
