package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"kafka-ha/fixtures/verdict"
)

func TestNoneKept(t *testing.T) {
	for name, c := range map[string]struct {
		doctor func(*verdict.Verdict)
		passes bool
	}{
		"all acknowledged lost, passes": {func(v *verdict.Verdict) {
			v.Result, v.Found[verdict.Lost], v.Read, v.EndOffset = verdict.Broken, 10, 0, 0
		}, true},
		"one acknowledged left, fails": {func(v *verdict.Verdict) { v.Result, v.Found[verdict.Lost] = verdict.Broken, 9 }, false},
		"none lost, fails":             {func(*verdict.Verdict) {}, false},
		"none acknowledged, fails":     {func(v *verdict.Verdict) { v.Counts.Acknowledged = 0 }, false},
		"not read to the end, fails": {func(v *verdict.Verdict) {
			v.Result, v.Found[verdict.Lost], v.Reasons = verdict.Unproven, 10, []string{"9 offsets unread"}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := sound()
			c.doctor(&v)
			err := judged(v).noneKept(t.Context())
			assert.Equal(t, c.passes, err == nil, "%v", err)
		})
	}
}
