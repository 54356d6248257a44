package main

import (
	"context"
	"fmt"
	"os"

	"github.com/shirou/gopsutil/v4/process"
)

// cpuSeconds returns the processor time that this process has used. Where others load the machine too it tells more of a
// client than its rate does.
func cpuSeconds(ctx context.Context) (float64, error) {
	self, err := process.NewProcessWithContext(ctx, int32(os.Getpid())) // process ids fit
	if err != nil {
		return 0, fmt.Errorf("own processor time: %w", err)
	}
	times, err := self.TimesWithContext(ctx)
	if err != nil {
		return 0, fmt.Errorf("own processor time: %w", err)
	}
	return times.User + times.System, nil
}
