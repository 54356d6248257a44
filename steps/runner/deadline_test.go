package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTooLong(t *testing.T) {
	assert.Empty(t, tooLong(1, time.Minute))
	assert.Empty(t, tooLong(50, 10*time.Minute), "go test's own time-out")
	assert.Equal(t, "60 scenarios take about 11 minutes, and go test's -timeout leaves them 9.2: give it more, for example -timeout 25m",
		tooLong(60, 10*time.Minute))
}
