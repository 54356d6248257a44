package runner

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cucumber/godog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func rooted(text, root string) string { return strings.ReplaceAll(text, "ROOT", root) }

// words are the sentences of these tests: one for Given, one ambiguous, one with a number.
func words(sc *godog.ScenarioContext) {
	sc.Given(`^three brokers$`, func() {})
	sc.Then(`^(\d+) leaders$`, func(int) {})
	sc.When(`^a broker is lost$`, func() {})
	sc.When(`^a broker (.*)$`, func(string) {})
}

const good = `Feature: f
  @smoke
  Scenario: one
    Given three brokers
    Then 12 leaders
  Rule: r
    Scenario Outline: two <n>
      Given three brokers
      Then <n> leaders
      Examples:
        | n |
        | 1 |
        | 2 |
`

func TestPreflight(t *testing.T) {
	scenario := func(lines ...string) string {
		return "Feature: f\n  Scenario: s\n    " + strings.Join(lines, "\n    ") + "\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		paths []string // within the folder; none for the folder itself
		tags  string
		count int
		err   []string
	}{
		"good file, has its scenarios, one a row":           {files: map[string]string{"a.feature": good}, count: 3},
		"good files, in folders, are counted together":      {files: map[string]string{"a.feature": good, "x/b.feature": good, "README.md": "no"}, count: 6},
		"good file, a line, is one scenario":                {files: map[string]string{"a.feature": good}, paths: []string{"a.feature:3"}, count: 1},
		"good file, an outline's line, is all its rows":     {files: map[string]string{"a.feature": good}, paths: []string{"a.feature:7"}, count: 2},
		"good file, named twice, counts once":               {files: map[string]string{"a.feature": good}, paths: []string{"a.feature", "a.feature"}, count: 3},
		"tags, match some, count these":                     {files: map[string]string{"a.feature": good}, tags: "@smoke", count: 1},
		"tags, of one file of two, count these":             {files: map[string]string{"a.feature": good, "b.feature": strings.ReplaceAll(good, "@smoke", "@slow")}, tags: "@slow", count: 1},
		"tags, match nothing, are told":                     {files: map[string]string{"a.feature": good}, tags: "@smok", err: []string{`-godog.tags "@smok" matches no scenario in`}},
		"path, not there, is told":                          {paths: []string{"none.feature"}, err: []string{"features: ", "none.feature", "is not available"}},
		"folder, without a feature file, is told":           {files: map[string]string{"README.md": "no"}, err: []string{"features: no feature file in"}},
		"line, without a scenario, is told":                 {files: map[string]string{"a.feature": good}, paths: []string{"a.feature:4"}, err: []string{"a.feature:4: has no scenario that can run"}},
		"syntax, wrong, is told in one line":                {files: map[string]string{"a.feature": "Feature: f\n  Scenario: s\n    Given x\n    Givn y\n"}, err: []string{"a.feature", "(4:5)", "correct the file"}},
		"file, empty, is told":                              {files: map[string]string{"a.feature": ""}, err: []string{"a.feature: has no scenario that can run"}},
		"file, empty beside a good one, is told":            {files: map[string]string{"a.feature": good, "b.feature": ""}, err: []string{"b.feature: has no scenario that can run"}},
		"feature, without a scenario, is told":              {files: map[string]string{"a.feature": good, "b.feature": "Feature: f\n  words\n"}, err: []string{"b.feature: has no scenario that can run"}},
		"feature, commented out, is told":                   {files: map[string]string{"a.feature": good, "b.feature": "# Feature: f\n"}, err: []string{"b.feature: has no scenario that can run"}},
		"feature, of outlines without rows only, is told":   {files: map[string]string{"a.feature": good, "b.feature": "Feature: f\n  Scenario Outline: o\n    Given three brokers\n    Examples:\n      | n |\n"}, err: []string{"b.feature: has no scenario that can run"}},
		"scenario, without steps, is told":                  {files: map[string]string{"a.feature": good + "    Scenario: idle\n"}, err: []string{`a.feature:14: "idle" has no step`}},
		"outline, without Examples, is told":                {files: map[string]string{"a.feature": good + "    Scenario Outline: bare\n      Then 1 leaders\n"}, err: []string{`a.feature:14: "bare" is an outline without rows`}},
		"outline, with an empty Examples table, is told":    {files: map[string]string{"a.feature": good + "    Scenario Outline: bare\n      Then <n> leaders\n      Examples:\n        | n |\n"}, err: []string{`a.feature:14: "bare" is an outline without rows`}},
		"outline, with one empty table of two, may run":     {files: map[string]string{"a.feature": good + "      Examples: later\n        | n |\n"}, count: 3},
		"several problems, are told in one go":              {files: map[string]string{"a.feature": good + "    Scenario: idle\n", "b.feature": ""}, err: []string{`"idle" has no step`, "b.feature: has no scenario"}},
		"step, undefined, is told with its scenario":        {files: map[string]string{"a.feature": scenario("Given four brokers")}, err: []string{`a.feature: "s": step "four brokers" is undefined; make steps lists`}},
		"steps, undefined in two scenarios, are told both":  {files: map[string]string{"a.feature": scenario("Given four brokers"), "b.feature": scenario("Given five brokers")}, err: []string{"four brokers", "five brokers"}},
		"step, defined for another keyword, is undefined":   {files: map[string]string{"a.feature": scenario("When three brokers")}, err: []string{`step "three brokers" is undefined`}},
		"step, ambiguous, is told":                          {files: map[string]string{"a.feature": scenario("When a broker is lost")}, err: []string{`step "a broker is lost" is ambiguous`, "^a broker (.*)$"}},
		"step, with an unreadable argument, is told":        {files: map[string]string{"a.feature": scenario("Then 99999999999999999999 leaders")}, err: []string{`step "99999999999999999999 leaders" is failed`, "99999999999999999999"}},
		"step, undefined in a scenario not selected, waits": {files: map[string]string{"a.feature": good, "b.feature": scenario("Given four brokers") + "    Then 1 leaders\n"}, tags: "@smoke", count: 1},
		"scenario, without an outcome, is told":             {files: map[string]string{"a.feature": good, "b.feature": scenario("Given three brokers")}, err: []string{`b.feature:2: "s" states no outcome, so it would prove nothing; end it with a Then`}},
		"step, undefined in the second row, is told":        {files: map[string]string{"a.feature": strings.Replace(good, "| 2 |", "| x |", 1)}, err: []string{`step "x leaders" is undefined`}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range c.files {
				write(t, filepath.Join(root, file), text)
			}
			paths := []string{root}
			for i, path := range c.paths {
				paths = append(paths[:i:i], filepath.Join(root, path))
			}
			s := &Settings{Godog: godog.Options{Format: "pretty", Strict: true, Paths: paths, Tags: c.tags}}
			count, err := preflight(s, words)
			assert.Equal(t, paths, s.Godog.Paths, "the run's own options stay")
			if c.err == nil {
				require.NoError(t, err)
				assert.Equal(t, c.count, count)
				return
			}
			for _, want := range c.err {
				require.ErrorContains(t, err, want)
			}
		})
	}
	t.Run("options that are not the user's, are refused first", func(t *testing.T) {
		_, err := preflight(&Settings{Godog: godog.Options{Format: "pretty"}}, words)
		require.ErrorIs(t, err, errStrict)
	})
}
