package runner

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
)

func TestMostNeeded(t *testing.T) {
	const (
		plain = "  Scenario: p\n    Given three brokers, all in sync\n"
		none  = "  Scenario: n\n    When x\n"
		one   = "  @one\n  Scenario: o\n    Given three brokers with one separate controller, all in sync\n"
		bad   = "  Scenario: b\n    Given three brokers, all in sync, with these settings:\n      | log.dirs | /x |\n"
	)
	for name, c := range map[string]struct {
		text, tags string
		want       cluster.Topology
		err        string
	}{
		"more of the default, starts with it":      {one + plain + none, "", cluster.Combined, ""},
		"more of another, starts with that":        {plain + one + one, "", cluster.OneController, ""},
		"as many of each, starts with the earlier": {one + plain, "", cluster.OneController, ""},
		"only another selected, starts with that":  {plain + plain + one, "@one", cluster.OneController, ""},
		"a setting of the suite's own, is refused": {plain + bad, "", cluster.Combined, `a.feature: "b": step "three brokers, all in sync, with these settings:": setting log.dirs: the suite must own it; remove it`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.feature")
			write(t, file, "Feature: f\n"+c.text)
			need, err := mostNeeded([]string{file}, c.tags)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, need.Topology)
		})
	}
}
