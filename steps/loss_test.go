package steps

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cucumber/godog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
)

func TestPlan(t *testing.T) {
	w := world(t)
	w.need.Topology = cluster.ThreeControllers
	for name, c := range map[string]struct {
		nodes, ways string
		want        []planned
	}{
		"one way, is for all":        {"brokers 2 and 1", "hard kill", []planned{{2, "hard kill"}, {1, "hard kill"}}},
		"two ways, are one for each": {"brokers 3 and 1", "hard kill and a pause", []planned{{3, "hard kill"}, {1, "a pause"}}},
		"controllers, come first":    {"controllers 101 and 103, broker 2", "hard kill", []planned{{101, "hard kill"}, {103, "hard kill"}, {2, "hard kill"}}},
		"of their volumes, is of its volume for each": {
			"brokers 1 and 2", "loss of their volumes", []planned{{1, "loss of its volume"}, {2, "loss of its volume"}},
		},
		"three ways, are one for each": {
			"controller 102, brokers 1, and 2", "a pause, hard kill and clean shutdown",
			[]planned{{102, "a pause"}, {1, "hard kill"}, {2, "clean shutdown"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := w.plan(c.nodes, c.ways)
			require.NoError(t, err)
			assert.Equal(t, c.want, plan)
		})
	}
	for name, c := range map[string]struct{ nodes, ways, err string }{
		"two ways for three":       {"brokers 1, 2 and 3", "hard kill and a pause", "name one way for all of them, or one for each"},
		"a broker twice":           {"brokers 1 and 1", "hard kill", "broker 1 stands there twice"},
		"a broker there is not":    {"brokers 1 and 4", "hard kill", "broker 4: the cluster has brokers 1, 2 and 3 and controllers 101, 102 and 103"},
		"a controller as a broker": {"brokers 1 and 101", "hard kill", "broker 101: the cluster has brokers"},
		"a broker as a controller": {"controllers 101 and 1", "hard kill", "controller 1: the cluster has brokers"},
		"nobody":                   {"brokers and", "hard kill", "name at least one"},
	} {
		t.Run(name+", is refused", func(t *testing.T) {
			_, err := w.plan(c.nodes, c.ways)
			require.ErrorContains(t, err, c.err)
		})
	}
}

// TestEveryFaultIsInAFeature: a way of loss, a role or a topology that no feature uses is one that no broker has proven.
func TestEveryFaultIsInAFeature(t *testing.T) {
	features, err := godog.TestSuite{Options: &godog.Options{Paths: []string{"../features"}}}.RetrieveFeatures()
	require.NoError(t, err)
	w := world(t)
	sentence := regexp.MustCompile(`^(.+) (?:is|are) (?:lost by|added to) (.+)$`)
	var who, how []string
	topologies := map[cluster.Topology]bool{}
	for _, feature := range features {
		for _, pickle := range feature.Pickles {
			w.need, err = NeedOf(pickle)
			require.NoError(t, err)
			topologies[w.need.Topology] = true
			for _, step := range pickle.Steps {
				match := sentence.FindStringSubmatch(step.Text)
				if match == nil {
					continue
				}
				who, how = append(who, match[1]), append(how, match[2])
				ids, _ := w.parseNodes(match[1]) // a role is no list
				for _, id := range ids {
					who = append(who, w.called(id))
				}
			}
		}
	}
	for _, kind := range fault.Kinds {
		assert.Contains(t, strings.Join(how, "\n"), kind, "no feature loses a node in this way")
	}
	for _, role := range roles {
		assert.True(t, hasOne(role.words, who), "no feature loses %s, or adds it to the voters", role.words)
	}
	for _, topology := range cluster.Topologies {
		assert.True(t, topologies[topology], "no feature has %s", topology)
	}
}

func hasOne(words *regexp.Regexp, texts []string) bool {
	for _, text := range texts {
		if words.MatchString(text) {
			return true
		}
	}
	return false
}
