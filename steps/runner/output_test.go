package runner

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlainSteps(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"place of a sentence, goes":         {"    Given three brokers   # initialize.go:52 -> *World\n", "    Given three brokers\n"},
		"place of a sentence in grey, goes": {"  \x1b[32mGiven\x1b[0m x \x1b[1;30m# initialize.go:52 -> *World\x1b[0m\n", "  \x1b[32mGiven\x1b[0m x\n"},
		"place of a scenario, stays":        {"  Scenario: s   # a.feature:8\n", "  Scenario: s   # a.feature:8\n"},
		"anything else, stays":              {`{"location":"initialize.go:52"}`, `{"location":"initialize.go:52"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			plain := &plainSteps{to: &out}
			for _, letter := range []byte(c.in) { // godog's own writers pass on what they get in pieces
				n, err := plain.Write([]byte{letter})
				require.NoError(t, err)
				assert.Equal(t, 1, n)
			}
			require.NoError(t, plain.Close())
			assert.Equal(t, c.want, out.String())
		})
	}
}
