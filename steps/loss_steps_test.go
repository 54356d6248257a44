package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"kafka-ha/fixtures/verdict"
)

func lost(v *verdict.Verdict, n uint64) {
	v.Result, v.Found[verdict.Lost], v.BrokenBy = verdict.Broken, n, []verdict.Rule{verdict.Lost}
}

func TestNoneKept(t *testing.T) {
	for name, c := range map[string]struct {
		doctor func(*verdict.Verdict)
		passes bool
	}{
		"all acknowledged lost, passes": {func(v *verdict.Verdict) {
			lost(v, 10)
			v.Read, v.EndOffset, v.Reasons = 0, 0, []string{"no record was read back"}
		}, true},
		"all acknowledged lost, others there, passes": {func(v *verdict.Verdict) { lost(v, 10) }, true},
		"one acknowledged left, fails":                {func(v *verdict.Verdict) { lost(v, 9) }, false},
		"none lost, fails":                            {func(*verdict.Verdict) {}, false},
		"none acknowledged, fails":                    {func(v *verdict.Verdict) { v.Counts.Acknowledged = 0 }, false},
		"not read to the end, fails": {func(v *verdict.Verdict) {
			lost(v, 10)
			v.Read, v.Reasons = 1, []string{"9 offsets unread"}
		}, false},
		"broken by another rule too, fails": {func(v *verdict.Verdict) {
			lost(v, 10)
			v.BrokenBy = append(v.BrokenBy, verdict.Moved)
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
