package proof

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/steps"
)

// slowToo adds red scenarios that are tagged @slow. Those fail like another one that is not, by a fault or a return of
// another kind, and wait for Kafka's timeouts to show it.
var slowToo = flag.Bool("proof.slow", false, "run the red scenarios that are tagged @slow too")

func chosenTags() string {
	if *slowToo {
		return ""
	}
	return "~@slow"
}

// redFolders have the features that must fail, the longest first: then the hands end at about the same time.
var redFolders = []string{"testdata/red-settings", "testdata/red-return", onOwnSettings}

const onOwnSettings = "testdata/red" // on the suite's own settings; the others have theirs beside them

// TestEveryThenCanBeRed runs features whose scenarios must each fail at their last step and nowhere else: those on the
// suite's own settings, and those on settings under which its guarantees do not hold. Each outcome that a feature can
// state must have failed there: a sentence that cannot be red does not get in.
func TestEveryThenCanBeRed(t *testing.T) {
	needEngine(t)
	t.Parallel()
	var hands []hand
	for _, folder := range redFolders {
		var env []string
		if folder != onOwnSettings {
			env = []string{"KAFKA_HA_BROKER_CONFIG=features/" + folder + "/broker"}
		}
		hands = append(hands, deal(t, featuresFolder+"/"+folder, env...)...)
	}
	var mu sync.Mutex
	var failed []string
	t.Run("hands", func(t *testing.T) { // ends when all of them have ended
		for _, h := range hands {
			t.Run(h.name, func(t *testing.T) {
				takeClusters(t, 1)
				mine := h.run(t)
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, mine...)
			})
		}
	})
	if t.Failed() {
		return // what did not run is no sentence's fault
	}
	everyOutcomeIn(t, failed)
}

// TestEveryThenHasARedScenario is what can be said of it without a broker, at once.
func TestEveryThenHasARedScenario(t *testing.T) {
	var last []string
	for _, folder := range redFolders {
		all, _, _ := scenariosIn(t, featuresFolder+"/"+folder)
		for _, one := range all {
			for _, scenario := range one.pickles {
				last = append(last, scenario.Steps[len(scenario.Steps)-1].Text)
			}
		}
	}
	everyOutcomeIn(t, last)
}

// everyOutcomeIn sees that each outcome that a feature can state is among sentences, and each form of its time.
func everyOutcomeIn(t *testing.T, sentences []string) {
	t.Helper()
	forms := map[string]bool{}
	for _, sentence := range steps.Sentences() {
		if sentence.Keywords[0] != "Then" {
			continue
		}
		form, phrase := splitTime(sentence.Pattern)
		forms[form] = forms[form] || hasMatch(sentence.Pattern, sentences)
		assert.True(t, hasMatch(phrase, withoutTimes(sentences)), "no scenario in testdata/red fails at: %s", phrase)
	}
	for form, seen := range forms {
		assert.True(t, seen, "no scenario in testdata/red fails at a sentence that begins with: %q", form)
	}
}

// handWithin bounds a run of a handful of scenarios, most of a second or two, some with the loss and return of a broker: three
// to five minutes where nothing else goes on.
const handWithin = 10 * time.Minute

// run runs the hand in a process of its own, sees that its scenarios fail at their last step and that nothing is left, and
// returns the texts of the steps that failed. The lines of a scenario's description are what its failure must say.
func (h hand) run(t *testing.T) []string {
	t.Helper()
	began := time.Now()
	c := launch(t, h.env, theFeatures, "-godog.no-colors", "-godog.paths="+h.folder, "-godog.tags="+chosenTags())
	require.Equal(t, 1, c.exit(handWithin), "a run in which everything fails")
	c.leavesNothing()
	content, err := os.ReadFile(filepath.Join(c.reports, "cucumber.json"))
	require.NoError(t, err)
	var features []struct {
		Elements []struct {
			Name        string
			Description string
			Steps       []struct {
				Name   string
				Result struct {
					Status string
					Error  string `json:"error_message"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(content, &features))
	var ran, red []string
	for _, feature := range features {
		for _, scenario := range feature.Elements {
			ran = append(ran, scenario.Name)
			last := len(scenario.Steps) - 1
			for i, step := range scenario.Steps {
				want := "passed"
				if i == last {
					want = "failed"
					red = append(red, step.Name)
					for said := range strings.Lines(scenario.Description) {
						assert.Contains(t, step.Result.Error, strings.TrimSpace(said), "scenario %q", scenario.Name)
					}
				}
				assert.Equal(t, want, step.Result.Status, "scenario %q, step %q", scenario.Name, step.Name)
			}
		}
	}
	require.ElementsMatch(t, h.scenarios, ran, "what ran")
	if !t.Failed() {
		t.Logf("%d scenarios in %.0f s, each red at its last step and nowhere else", len(ran), time.Since(began).Seconds())
	}
	return red
}

// timed are the times of states, in a sentence's pattern and in a sentence.
var timed = regexp.MustCompile(`^(within \S+ seconds(?: of the \S+ of (?:` +
	`\(broker .*?\)|broker \d+|(?:the leader|a follower) of partition \d+|the active controller|the coordinator of group \S+))?|for \S+ seconds) `)

// splitTime takes the time off a sentence's pattern when it is one of the forms in which states are stated.
func splitTime(pattern string) (form, phrase string) {
	bare := strings.TrimPrefix(pattern, "^")
	match := timed.FindStringSubmatch(bare)
	if match == nil || strings.Contains(bare, "acknowledges") {
		return "", pattern
	}
	return match[1], "^" + strings.TrimPrefix(bare, match[1]+" ")
}

func withoutTimes(sentences []string) []string {
	bare := make([]string, 0, 2*len(sentences))
	for _, s := range sentences {
		_, phrase := splitTime(s)
		bare = append(bare, s, strings.TrimPrefix(phrase, "^"))
	}
	return bare
}

func hasMatch(pattern string, texts []string) bool {
	expr := regexp.MustCompile(pattern)
	for _, text := range texts {
		if expr.MatchString(text) {
			return true
		}
	}
	return false
}
