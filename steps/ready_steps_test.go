package steps

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

func TestRefusedAt(t *testing.T) {
	three := &cluster.Refused{ID: 3, Why: "broker 3 is turned away: INCONSISTENT_CLUSTER_ID"}
	two := &cluster.Refused{ID: 2, Why: "broker 2 is turned away: INCONSISTENT_CLUSTER_ID"}
	for name, c := range map[string]struct {
		err  error
		says string // empty: it is as wanted
	}{
		"that broker for that reason, is so":        {fmt.Errorf("wait: %w", cluster.Refusals{three}), ""},
		"nobody, since it is ready, is not":         {nil, "seen: the cluster is ready, after 2s"},
		"nobody, since it is not ready yet, is not": {errors.New("wanted: three brokers ready"), "seen: no broker was refused within 2s: wanted: three brokers ready"},
		"another broker, is not":                    {cluster.Refusals{two}, "seen, after 2s: broker 2 is turned away"},
		"that broker and another one, is not":       {cluster.Refusals{two, three}, "seen, after 2s: broker 2 is turned away"},
		"that broker for another reason, is not":    {cluster.Refusals{{ID: 3, Why: "broker 3 is no voter"}}, "seen, after 2s: broker 3 is no voter"},
	} {
		t.Run(name, func(t *testing.T) {
			err := refusedAt(c.err, 3, "INCONSISTENT_CLUSTER_ID", 2*time.Second)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `wanted: readiness that fails at broker 3, because of "INCONSISTENT_CLUSTER_ID"`)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestProcessesRun(t *testing.T) {
	w := world(t)
	var down int
	w.runs = func(_ context.Context, node int) (bool, error) { return node != down, nil }
	require.NoError(t, run(w, "Then the processes of brokers 1, 2 and 3 run"))
	down = 2
	require.EqualError(t, run(w, "Then the processes of brokers 1, 2 and 3 run"),
		"wanted: the processes of brokers 1, 2 and 3 run; seen: that of broker 2 does not, or is frozen")
}

func TestCorrectionOfABrokerThatIsNot(t *testing.T) {
	w := world(t)
	w.cluster = &cluster.Cluster{}
	err := run(w, "When the configuration of broker 4 is corrected")
	require.ErrorContains(t, err, "broker 4: the cluster has brokers")
	require.NotContains(t, err.Error(), "out of date")
}

func TestSentencesOfAlterations(t *testing.T) {
	for name, c := range map[string]struct{ line, says string }{
		"volume of its own, is refused":            {"Given broker 2 is restarted on the volume of broker 2", "broker 2 is itself; name two brokers"},
		"address of its own, is refused":           {"Given broker 2 is restarted and tells clients the address of broker 2", "broker 2 is itself; name two brokers"},
		"volume of a broker that is not, is not":   {"Given broker 2 is restarted on the volume of broker 7", "broker 7: the cluster has nodes 1, 2 and 3"},
		"voters that are no brokers, is refused":   {"Given a new cluster of three brokers on empty volumes, with brokers 1 and 7 as the only voters", "not 7"},
		"readiness that fails at two, is refused":  {"Then within 5 seconds readiness fails at brokers 1 and 2, because of \"x\"", "are brokers 1 and 2; name one"},
		"exit of a lost broker that is not, is so": {"Then within 5 seconds the lost broker exits by itself, saying \"x\"", "no broker was lost in this scenario"},
		"correction of others, nobody moved":       {"Given the configurations of the other brokers are corrected, one broker after the other", "no broker has moved in this scenario"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, run(world(t), c.line), c.says)
		})
	}
}
