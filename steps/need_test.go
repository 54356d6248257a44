package steps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cucumber/godog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

// scenarios reads the scenarios of a feature.
func scenarios(t *testing.T, lines ...string) []*godog.Scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.feature")
	require.NoError(t, os.WriteFile(file, []byte("Feature: f\n"+strings.Join(lines, "\n")+"\n"), 0o644))
	features, err := godog.TestSuite{Options: &godog.Options{Paths: []string{file}}}.RetrieveFeatures()
	require.NoError(t, err)
	require.Len(t, features, 1)
	return features[0].Pickles
}

func TestNeedOf(t *testing.T) {
	const table = "| broker.session.timeout.ms | 6000 |\n| eligible.leader.replicas.version | 0 |"
	for name, c := range map[string]struct {
		lines []string
		want  Need
		says  string
	}{
		"nothing named, is the default":             {[]string{"When the moon is full"}, Need{}, "three brokers"},
		"the default, named, is the default":        {[]string{"Given three brokers, all in sync"}, Need{}, "three brokers"},
		"one separate controller, is that":          {[]string{"Given three brokers with one separate controller, all in sync", "Then x"}, Need{Topology: cluster.OneController}, "three brokers with one separate controller"},
		"three separate controllers, later, are it": {[]string{"Given x", "And three brokers with three separate controllers, all in sync"}, Need{Topology: cluster.ThreeControllers}, "three brokers with three separate controllers"},
		"settings and levels, are read": {
			[]string{"Given three brokers, all in sync, with these settings:", table},
			Need{Settings: cluster.Settings{Properties: cluster.Properties{"broker.session.timeout.ms": "6000"}, Features: map[string]int{"eligible.leader.replicas.version": 0}}},
			"three brokers, broker.session.timeout.ms=6000, eligible.leader.replicas.version=0",
		},
		"settings, beside a controller, are read": {
			[]string{"Given three brokers with one separate controller, all in sync, with these settings:", "| a | 1 |"},
			Need{Topology: cluster.OneController, Settings: cluster.Settings{Properties: cluster.Properties{"a": "1"}, Features: map[string]int{}}},
			"three brokers with one separate controller, a=1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			need, err := NeedOf(scenarios(t, append([]string{"Scenario: s"}, c.lines...)...)[0])
			require.NoError(t, err)
			assert.Equal(t, c.want, need)
			assert.Equal(t, c.says, need.String())
		})
	}
	t.Run("background and outline, are read with their values", func(t *testing.T) {
		all := scenarios(t, "Background:", "Given x", "Scenario Outline: o <controllers>", "Given three brokers with <controllers>, all in sync",
			"Examples:", "| controllers |", "| one separate controller |", "| three separate controllers |")
		require.Len(t, all, 2)
		need, err := NeedOf(all[1])
		require.NoError(t, err)
		assert.Equal(t, cluster.ThreeControllers, need.Topology)
	})
	for name, c := range map[string]struct {
		lines []string
		err   string
	}{
		"two clusters, are refused":              {[]string{"Given three brokers, all in sync", "And three brokers with one separate controller, all in sync"}, `steps "three brokers, all in sync" and "three brokers with one separate controller, all in sync": a scenario has one cluster; name one`},
		"settings, without a table, are refused": {[]string{"Given three brokers, all in sync, with these settings:"}, "write them in a table under the step"},
		"suite's own setting, is refused":        {[]string{"Given three brokers, all in sync, with these settings:", "| node.id | 7 |"}, "setting node.id: the suite must own it"},
		"level, that is none, is refused":        {[]string{"Given three brokers, all in sync, with these settings:", "| kraft.version | on |"}, `"on" is no feature level`},
		"static voters of a dynamic quorum, are": {[]string{"Given three brokers with a dynamic quorum of three voters, all in sync, with these settings:", "| kraft.version | 0 |"}, "a dynamic quorum has kraft.version 1 or more"},
		"row, of three cells, is refused":        {[]string{"Given three brokers, all in sync, with these settings:", "| a | 1 | 2 |"}, "row | a | 1 | 2 |: want a setting and its value"},
		"setting, twice, is refused":             {[]string{"Given three brokers, all in sync, with these settings:", "| a | 1 |", "| a | 2 |"}, "row | a | 2 |: the setting stands there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NeedOf(scenarios(t, append([]string{"Scenario: s"}, c.lines...)...)[0])
			require.ErrorContains(t, err, c.err)
		})
	}
}

// The sentences that name a cluster are literal in two places.
func TestNeedsAreSentences(t *testing.T) {
	all := collected(t)
	for _, topology := range cluster.Topologies {
		for _, ending := range []string{inSync, withSettings} {
			assert.Len(t, all.matching("Given", topology.String()+ending), 1)
		}
	}
}
