package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
	"github.com/stretchr/testify/require"

	"kafka-ha/steps"
)

// handful is how many scenarios a process runs at most. With fewer there would be more starts of clusters, which take more
// processor time than many a scenario; with more, one process would work on for long when the other has nothing left.
const handful = 30

// hand is what one process runs, on one cluster: scenarios that want the same.
type hand struct {
	name      string // without a comma: folders for reports are called after it
	folder    string // the features, without the scenarios that are in other hands
	env       []string
	scenarios []string
}

// deal divides the scenarios of all features in a folder among hands, as they stand there now. They are dealt like cards,
// one after the other: neighbours take about as long, so that no hand takes much longer than another one.
func deal(t *testing.T, folder string, env ...string) []hand {
	t.Helper()
	all, ids, names := scenariosIn(t, folder)
	var hands []hand
	var dealt []string
	for _, need := range ids.needs {
		count := (len(ids.of[need]) + handful - 1) / handful
		for nth := range count {
			mine := map[string]bool{}
			for i := nth; i < len(ids.of[need]); i += count {
				mine[ids.of[need][i]] = true
			}
			name := fmt.Sprintf("%s %d of %d on %s", filepath.Base(folder), nth+1, count, strings.ReplaceAll(need, ",", ""))
			h := hand{name: name, folder: t.TempDir(), env: env}
			for _, one := range all {
				one.write(t, h.folder, mine)
			}
			_, _, h.scenarios = scenariosIn(t, h.folder)
			dealt = append(dealt, h.scenarios...)
			hands = append(hands, h)
		}
	}
	require.ElementsMatch(t, names, dealt, "every scenario is dealt once")
	return hands
}

// feature is a feature file.
type feature struct {
	name, text string
	parsed     *messages.Feature
	pickles    []*messages.Pickle // the scenarios that are to run
}

// wanted is the ids of scenarios by the cluster that they want.
type wanted struct {
	needs []string // in the order in which they come up
	of    map[string][]string
}

// scenariosIn reads a folder's features, and returns the ids of the scenarios that are to run and the names under which
// they run: an outline is one scenario and runs under several names.
func scenariosIn(t *testing.T, folder string) (all []feature, ids wanted, names []string) {
	t.Helper()
	read, err := (godog.TestSuite{Options: &godog.Options{Paths: []string{folder}, Tags: chosenTags()}}).RetrieveFeatures()
	require.NoError(t, err)
	ids.of = map[string][]string{}
	seen := map[string]bool{}
	for _, one := range read {
		name, err := filepath.Rel(folder, one.Uri)
		require.NoError(t, err)
		all = append(all, feature{name: name, text: string(one.Content), parsed: one.Feature, pickles: one.Pickles})
		for _, scenario := range one.Pickles {
			names = append(names, scenario.Name)
			id := scenario.AstNodeIds[0]
			if seen[id] {
				continue
			}
			seen[id] = true
			wants, err := steps.NeedOf(scenario)
			require.NoError(t, err, "%s: %s", one.Uri, scenario.Name)
			need := wants.String()
			if ids.of[need] == nil {
				ids.needs = append(ids.needs, need)
			}
			ids.of[need] = append(ids.of[need], id)
		}
	}
	return all, ids, names
}

// write writes the feature into a folder with some of its scenarios, if it has any of them. The lines of the others are
// left empty, so that what is told of a line of the copy is true of the file.
func (f feature) write(t *testing.T, folder string, chosen map[string]bool) {
	t.Helper()
	lines := strings.Split(f.text, "\n")
	from, keep, some := 0, true, false
	end := func(to int) {
		for i := from; i < to && !keep; i++ {
			lines[i] = ""
		}
		from = to
	}
	for _, p := range partsOf(f.parsed) {
		end(p.line - 1)
		keep = p.scenario == "" || chosen[p.scenario]
		some = some || chosen[p.scenario]
	}
	end(len(lines))
	if !some {
		return
	}
	file := filepath.Join(folder, f.name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644))
}

// part is where something begins in a feature: a scenario or, without an id, a background or a rule.
type part struct {
	line     int
	scenario string
}

func partsOf(f *messages.Feature) []part {
	var parts []part
	add := func(b *messages.Background, s *messages.Scenario) {
		if b != nil {
			parts = append(parts, part{line: int(b.Location.Line)})
		}
		if s != nil {
			parts = append(parts, part{line: first(s.Location, s.Tags), scenario: s.Id})
		}
	}
	for _, child := range f.Children {
		add(child.Background, child.Scenario)
		if child.Rule == nil {
			continue
		}
		parts = append(parts, part{line: first(child.Rule.Location, child.Rule.Tags)})
		for _, inner := range child.Rule.Children {
			add(inner.Background, inner.Scenario)
		}
	}
	return parts
}

// first is the line of the keyword or that of the first tag above it.
func first(keyword *messages.Location, tags []*messages.Tag) int {
	if len(tags) > 0 {
		return int(tags[0].Location.Line)
	}
	return int(keyword.Line)
}

// What is dealt is whole, and stands where it stood.
func TestDeal(t *testing.T) {
	const text = `Feature: f
  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  # of the first
  @a
  @b
  Scenario: tagged
    Then every broker leads exactly 4 partitions

  Scenario Outline: outline
    Then every broker leads exactly <n> partitions
    Examples:
      | n |
      | 1 |
      | 2 |

  @c
  Rule: r
    Background:
      Given 60 events are acknowledged
    Scenario: in a rule
      Then the recount holds
`
	from := folder(t, map[string]string{
		"f.feature": text,
		"other.feature": "Feature: o\n  Scenario: other\n    Given three brokers with one separate controller, all in sync\n    Then the recount holds\n" +
			"  @slow\n  Scenario: slow\n    Given three brokers, all in sync\n    Then the recount holds\n",
	})
	defer func(given bool) { *slowToo = given }(*slowToo)
	*slowToo = false
	hands := deal(t, from, "A=1")
	require.Len(t, hands, 2, "one of each cluster")
	require.Equal(t, []string{"A=1"}, hands[0].env)
	require.Equal(t, []string{"tagged", "outline", "outline", "in a rule"}, hands[0].scenarios)
	require.NoFileExists(t, filepath.Join(hands[0].folder, "other.feature"))
	require.Equal(t, []string{"other"}, hands[1].scenarios, "without the one that is slow")
	require.NoFileExists(t, filepath.Join(hands[1].folder, "f.feature"))

	*slowToo = true
	require.Contains(t, deal(t, from)[0].scenarios, "slow")

	all, _, _ := scenariosIn(t, from)
	parts := partsOf(all[0].parsed)
	to := t.TempDir()
	all[0].write(t, to, map[string]bool{parts[1].scenario: true, parts[5].scenario: true})
	copied, err := os.ReadFile(filepath.Join(to, "f.feature"))
	require.NoError(t, err)
	lines := strings.Split(text, "\n")
	for i := 11; i < 18; i++ {
		lines[i] = "" // the outline
	}
	require.Equal(t, strings.Join(lines, "\n"), string(copied))
}
