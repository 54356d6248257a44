package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTimelineChangeSince(t *testing.T) {
	look := func(at, took float64, leader int) (View, time.Time) { return ledFrom(at, leader), second(at + took) }
	dark := func(at, took float64) (View, time.Time) {
		return View{At: second(at), Silent: map[int]error{2: errors.New("no")}}, second(at + took)
	}
	type looks func(add func(View, time.Time))
	moves := looks(func(add func(View, time.Time)) { // leader 1 is seen at 1, 2 and 3, leader 2 from 4 on
		add(look(1, 0.1, 1))
		add(look(2, 0.1, 1))
		add(look(3, 0.1, 1))
		add(look(4, 0.25, 2))
		add(look(5, 0.1, 2))
	})
	through := looks(func(add func(View, time.Time)) { // nobody answers at 3 and 4
		add(look(1, 0.1, 1))
		add(look(2, 0.1, 1))
		add(dark(3, 2))
		add(dark(4, 0.1))
		add(look(6, 0.5, 2))
	})
	for name, c := range map[string]struct {
		looks     looks
		moment    float64
		leader    int
		after, at float64 // seconds; at 0 when it must not be found
	}{
		"a change, came after the last look that did not show it":              {moves, 2.5, 2, 3, 4.25},
		"a change, looked for right before it, came after that moment":         {moves, 3.5, 2, 3.5, 4.25},
		"a change, looked for while its look was under way, came by its end":   {moves, 4.1, 2, 4.1, 4.25},
		"a state, so already, came about at the moment":                        {moves, 4.5, 2, 4.5, 4.5},
		"a state, that ended before the moment, is not found":                  {moves, 3.5, 1, 0, 0},
		"a state, last seen at the moment, is found":                           {moves, 3, 1, 3, 3},
		"a state, not looked at since the moment, is not found":                {moves, 5.5, 2, 0, 0},
		"a state, never seen, is not found":                                    {moves, 1, 3, 0, 0},
		"a change in darkness, may have come right after the last light":       {through, 1.5, 2, 2, 6.5},
		"a change in darkness, looked for in it, may have come at that moment": {through, 3.5, 2, 3.5, 6.5},
	} {
		t.Run(name, func(t *testing.T) {
			timeline := &Timeline{}
			c.looks(timeline.add)
			change, ok := timeline.ChangeSince(second(c.moment), func(v View) (bool, error) {
				partitions, err := v.Topic("telemetry")
				return err == nil && partitions[0].Leader == c.leader, err
			})
			assert.Equal(t, c.at != 0, ok)
			if ok {
				assert.Equal(t, second(c.after), change.After, "after")
				assert.Equal(t, second(c.at), change.At, "at")
				assert.Equal(t, second(c.at).Sub(second(c.after)), change.Resolution())
			}
		})
	}
}
