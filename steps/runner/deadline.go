package runner

import (
	"fmt"
	"time"
)

const (
	// reserve is kept back from go test's -timeout for healing, evidence and removal: when that time-out strikes, the
	// process dies without another word.
	reserve = 45 * time.Second
	// typical is what a scenario takes on two cores with nothing else to do, the mean of the default set.
	typical = 11 * time.Second
)

// tooLong says, of scenarios that begin now, that they may take longer than go test's -timeout leaves them, and what to
// do; else it says nothing. It only warns: how fast the machine is shows on the way.
func tooLong(scenarios int, left time.Duration) string {
	need := time.Duration(scenarios) * typical
	if need <= left-reserve {
		return ""
	}
	enough := (2*need + reserve).Truncate(5*time.Minute) + 5*time.Minute
	return fmt.Sprintf("%d scenarios take about %.0f minutes, and go test's -timeout leaves them %.1f: "+
		"give it more, for example -timeout %.0fm", scenarios, need.Minutes(), (left - reserve).Minutes(), enough.Minutes())
}
