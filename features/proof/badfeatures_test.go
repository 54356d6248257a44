package proof

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is wrong with a feature, a selection or a flag is found before anything is started.
func TestFeaturesThatCannotRun(t *testing.T) {
	needEngine(t)
	cases := []struct {
		name    string
		feature string // the content of x.feature; none: no such file
		args    []string
		words   []string
	}{
		{"a path that is not there", "", []string{"-godog.paths=none.feature"}, []string{"-godog.paths: none.feature is neither here nor in", "correct the path"}},
		{"a folder without features", "", nil, []string{"no feature file in", "name a .feature file, or a folder of them"}},
		{"a line without a scenario", "", []string{"-godog.paths=leader_spread.feature:2"}, []string{"leader_spread.feature:2: has no scenario that can run", "correct the line"}},
		{"tags that match nothing", "", []string{oneScenario, "-godog.tags=@none"}, []string{`-godog.tags "@none" matches no scenario in`, "correct the tags"}},
		{
			"a step that is no sentence",
			"Feature: f\n  Scenario: s\n    Given three brokers, all in sync\n    Then the moon is full\n", nil,
			[]string{`x.feature: "s": step "the moon is full" is undefined`, "make steps lists"},
		},
		{
			"a sentence under the wrong keyword",
			"Feature: f\n  Scenario: s\n    When every broker leads exactly 4 partitions\n", nil,
			[]string{`step "every broker leads exactly 4 partitions" is undefined under its keyword (it goes under Then)`, "make steps lists"},
		},
		{"a syntax error", "Feature: f\n  Scenario: s\n    Given three brokers, all in sync\n  Whenever\n", nil, []string{"x.feature", "(4:3)", "Whenever", "correct the file"}},
		{"a file without a scenario", "Feature: f\n", []string{beside}, []string{"x.feature: has no scenario that can run", "write one"}},
		{
			"an outline without rows alone in its file, beside a file that is well",
			"Feature: f\n  Scenario Outline: o <n>\n    Given three brokers, all in sync\n    Examples:\n      | n |\n", []string{beside},
			[]string{"x.feature: has no scenario that can run", "give outlines rows"},
		},
		{
			"an outline without rows",
			"Feature: f\n  Scenario: s\n    Given three brokers, all in sync\n  Scenario Outline: o <n>\n    Given three brokers, all in sync\n    Examples:\n      | n |\n", nil,
			[]string{`x.feature:4: "o <n>" is an outline without rows`, "give its Examples at least one"},
		},
		{
			"a scenario without a step",
			"Feature: f\n  Scenario: s\n    Given three brokers, all in sync\n  Scenario: empty\n", nil,
			[]string{`x.feature:4: "empty" has no step`, "write one, or remove it"},
		},
		{"a format that godog does not have", "", []string{oneScenario, "-godog.format=html"}, []string{`there is no format "html"`, "use one of cucumber, events, junit, pretty, progress"}},
		{"undefined steps allowed", "", []string{oneScenario, "-godog.strict=false"}, []string{"-godog.strict=false is not for this suite", "leave the flag out"}},
		{"scenarios side by side", "", []string{oneScenario, "-godog.concurrency=2"}, []string{"-godog.concurrency=2 is not for this suite", "leave the flag out"}},
		{"too little time", "", []string{oneScenario, "-test.timeout=20s"}, []string{"go test's -timeout is near", "give it more"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{}
			if tc.feature != "" {
				files["x.feature"] = tc.feature
			}
			args := tc.args
			if slices.Equal(args, []string{beside}) {
				files["good.feature"], args = holds, nil
			}
			if args == nil {
				args = []string{"-godog.paths=" + folder(t, files)}
			}
			launch(t, nil, append(args, theFeatures)...).redInOneLine(atOnce, tc.words...)
		})
	}
}

// beside puts a feature that is well into the folder.
const beside = "beside"

// holds and breaks are the cheapest features there are: they end at once, one of them red.
const (
	holds = `Feature: A guarantee that holds
  Scenario: four leaders each
    When a topic is created with 12 partitions, replication factor 3 and min.insync.replicas 2
    Then every broker leads exactly 4 partitions
`
	breaks = `Feature: A guarantee that is broken
  Scenario: five leaders each
    When a topic is created with 12 partitions, replication factor 3 and min.insync.replicas 2
    Then every broker leads exactly 5 partitions
`
)

// One cluster for all formats: what a format does to the verdict does not depend on who started the brokers.
func TestFailureIsRedUnderEveryFormat(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	dir := folder(t, map[string]string{"breaks.feature": breaks})
	c := launchAs(t, everyFormat, "-godog.paths="+filepath.Join(dir, "breaks.feature"))
	require.Equal(t, 1, c.exit(withCluster), "exit code")
	for _, format := range formats {
		require.Contains(t, c.out.String(), "verdict under "+format+": 1 of 1 scenarios failed")
		require.Contains(t, c.out.String(), "    --- FAIL: TestRole/"+format)
	}
	c.leavesNothing()
}
