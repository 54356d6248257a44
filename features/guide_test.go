package features

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// open are the claims that nothing shows yet: throughput and latency in figures, side by side (A17, A18), and dashboards (C7).
var open = []string{"A17", "A18", "C7"}

// claims are the numbers of all claims, see README.md: three write-ups, lettered.
func claims() []string {
	var all []string
	for _, writeUp := range []struct {
		letter string
		claims int
	}{{"A", 20}, {"B", 12}, {"C", 8}} {
		for n := range writeUp.claims {
			all = append(all, fmt.Sprintf("%s%d", writeUp.letter, n+1))
		}
	}
	return all
}

// scenarios are all scenarios of the features in this folder, by file and name as it is written.
func scenarios(t *testing.T) map[string]map[string][]string {
	t.Helper()
	read, err := godog.TestSuite{Options: &godog.Options{Paths: []string{"."}}}.RetrieveFeatures()
	require.NoError(t, err)
	all := map[string]map[string][]string{}
	for _, feature := range read {
		file := filepath.Base(feature.Uri)
		if filepath.Dir(feature.Uri) != "." {
			continue // what must fail is no proof
		}
		all[file] = map[string][]string{}
		add := func(of *messages.Scenario) {
			var tags []string
			for _, tag := range of.Tags {
				tags = append(tags, tag.Name)
			}
			all[file][of.Name] = tags
		}
		for _, child := range feature.Feature.Children {
			if child.Scenario != nil {
				add(child.Scenario)
			}
			if child.Rule == nil {
				continue
			}
			for _, inner := range child.Rule.Children {
				if inner.Scenario != nil {
					add(inner.Scenario)
				}
			}
		}
	}
	return all
}

// TestEveryClaimHasAScenario also refuses tags that are no claim's, and claims that are listed as open and are not.
func TestEveryClaimHasAScenario(t *testing.T) {
	tagged := map[string]int{}
	tag := regexp.MustCompile(`^@([A-C]\d+)$`)
	for _, named := range scenarios(t) {
		for _, tags := range named {
			for _, one := range tags {
				if match := tag.FindStringSubmatch(one); match != nil {
					tagged[match[1]]++
				}
			}
		}
	}
	for _, claim := range claims() {
		if slices.Contains(open, claim) {
			assert.Zero(t, tagged[claim], "claim %s is listed as open, and a scenario has its tag", claim)
		} else {
			assert.NotZero(t, tagged[claim], "no scenario has the tag @%s", claim)
		}
		delete(tagged, claim)
	}
	assert.Empty(t, tagged, "tags of claims that there are not")
}

var (
	linked = regexp.MustCompile(`\]\(([^)]+\.feature)\)`)
	proof  = regexp.MustCompile(`(?m)^- \[([a-z_]+)\]\(([a-z_]+)\.feature\): "([^"]+)"$`)
)

// TestGuideNamesScenarios: each link of the guide is one to a scenario that there is.
func TestGuideNamesScenarios(t *testing.T) {
	page, err := os.ReadFile("guide.md")
	require.NoError(t, err)
	all := scenarios(t)
	proofs := proof.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, proofs)
	require.NotEmpty(t, all)
	for _, p := range proofs {
		assert.Equal(t, p[1], p[2], "a link names its file")
		file := p[2] + ".feature"
		_, there := all[file][p[3]]
		assert.True(t, there, "guide.md names a scenario %q, which is not in %s", p[3], file)
	}
	assert.Len(t, linked.FindAllString(string(page), -1), len(proofs), "links to features that are no line of a proof")
}
