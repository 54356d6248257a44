package proof

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/steps"
)

// TestEveryThenCanBeRed runs features whose scenarios must each fail at their last step and nowhere else, once on the
// suite's own settings and once on settings under which its guarantees do not hold. Each outcome that a feature can
// state must have failed there: a sentence that cannot be red does not get in.
func TestEveryThenCanBeRed(t *testing.T) {
	needEngine(t)
	red := runRed(t, "testdata/red")
	for _, folder := range []string{"testdata/red-settings", "testdata/red-return"} {
		red = append(red, runRed(t, folder, "KAFKA_HA_BROKER_CONFIG=features/"+folder+"/broker")...)
	}
	forms := map[string]bool{}
	for _, sentence := range steps.Sentences() {
		if sentence.Keywords[0] != "Then" {
			continue
		}
		form, phrase := splitTime(sentence.Pattern)
		forms[form] = forms[form] || hasMatch(sentence.Pattern, red)
		assert.True(t, hasMatch(phrase, withoutTimes(red)), "no scenario in testdata/red fails at: %s", phrase)
	}
	for form, seen := range forms {
		assert.True(t, seen, "no scenario in testdata/red fails at a sentence that begins with: %q", form)
	}
}

// redWithin bounds a run of some forty scenarios, most of a second or two, some with the loss and return of a broker.
const redWithin = 12 * time.Minute

// runRed runs the features in a folder in a process of their own and returns the texts of the steps that failed. The lines
// of a scenario's description are what its failure must say.
func runRed(t *testing.T, folder string, env ...string) []string {
	t.Helper()
	c := launch(t, env, theFeatures, "-godog.no-colors", "-godog.paths="+folder)
	require.Equal(t, 1, c.exit(redWithin), "a run in which everything fails")
	c.leavesNothing()
	out := c.out
	content, err := os.ReadFile(filepath.Join(c.reports, "cucumber.json"))
	require.NoError(t, err, out.String())
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
	var red []string
	for _, feature := range features {
		for _, scenario := range feature.Elements {
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
				assert.Equal(t, want, step.Result.Status, "scenario %q, step %q; see\n%s", scenario.Name, step.Name, out)
			}
		}
	}
	require.NotEmpty(t, red, out.String())
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
