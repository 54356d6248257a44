package features

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	claimRow  = regexp.MustCompile(`(?m)^\| ([A-C]\d+) \| [^|]+ \| ([^|]+) \|$`)
	claimLink = regexp.MustCompile(`\[([a-z_]+)\]\(([a-z_]+\.feature)\)`)
)

// TestClaimsTable: each claim stands in claims.md once, in order, beside the features that have a scenario with its tag.
func TestClaimsTable(t *testing.T) {
	page, err := os.ReadFile("claims.md")
	require.NoError(t, err)
	showing := map[string][]string{} // files by claim, ascending
	for file, named := range scenarios(t) {
		for _, tags := range named {
			for _, tag := range tags {
				if claim := tag[1:]; !slices.Contains(showing[claim], file) {
					showing[claim] = append(showing[claim], file)
				}
			}
		}
	}
	var listed []string
	for _, cells := range claimRow.FindAllStringSubmatch(string(page), -1) {
		claim, links := cells[1], cells[2]
		listed = append(listed, claim)
		if slices.Contains(open, claim) {
			assert.Equal(t, "not shown yet", links, "claim %s is open", claim)
			continue
		}
		var files []string
		for _, link := range claimLink.FindAllStringSubmatch(links, -1) {
			assert.Equal(t, link[1]+".feature", link[2], "a link names its file")
			files = append(files, link[2])
		}
		slices.Sort(showing[claim])
		assert.Equal(t, showing[claim], files, "claim %s: the features with its tag, by name", claim)
	}
	assert.Equal(t, claims(), listed, "each claim once, in order")
}
