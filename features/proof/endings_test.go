package proof

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures/verdict"
)

// busy is a feature whose scenario is in the middle of waiting for as long as a test needs.
const busy = `Feature: A guarantee that takes its time
  Scenario: nothing comes up for a long time
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    When a producer is writing 2,000 events per second with acks=all
    Then for 600 seconds every broker leads exactly 4 partitions
`

// inScenario launches a child and waits until it is in the middle of a scenario.
func inScenario(t *testing.T) *child {
	t.Helper()
	c := launch(t, nil, theFeatures, "-godog.paths="+folder(t, map[string]string{"busy.feature": busy}))
	c.saw("a producer is writing", withCluster) // printed when the step is done
	return c
}

// Ctrl-C and kill: the run says so, heals, keeps its evidence and removes its cluster.
func TestInterruptInAScenario(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	c := inScenario(t)
	watchEnd(t)
	require.NoError(t, c.cmd.Process.Signal(os.Interrupt))
	c.red(atOnce, "the run was stopped (interrupt)")
	require.Contains(t, c.out.String(), "--- FAIL: TestFeatures/nothing_comes_up_for_a_long_time")
	require.Contains(t, c.out.String(), "cut short: the run was stopped (interrupt)")
}

func TestInterruptWhileStarting(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	watchEnd(t)
	c := launch(t, nil, theFeatures, oneScenario)
	c.makes(t)
	require.NoError(t, c.cmd.Process.Signal(os.Interrupt))
	c.redInOneLine(atOnce, "the run was stopped (interrupt)")
}

// SIGKILL: nothing of the run can clean up; its janitor does. What was written down until then is sound evidence.
func TestKillInAScenario(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	c := inScenario(t)
	watchEnd(t)
	require.NoError(t, c.cmd.Process.Kill())
	require.Equal(t, -1, c.exit(atOnce))
	c.engine.nothingLeft(t, cleanedAfter)
	require.Empty(t, c.processesLeft(), "the janitor ends as well")
	ledgers, err := filepath.Glob(filepath.Join(c.reports, "*", "*", "vehicle-telemetry-v1"))
	require.NoError(t, err)
	require.Len(t, ledgers, 1)
	judged, err := verdict.Judge(ledgers[0])
	require.NoError(t, err)
	require.Equal(t, verdict.Unproven, judged.Result, "%s", judged)
	require.Equal(t, []string{"nothing was read back: there is no log"}, judged.Reasons)
	require.Positive(t, judged.Counts.Acknowledged)
	require.Zero(t, judged.Counts.InFlight(), "what was in flight is indeterminate")
}

// While containers are being made, the engine may carry out what nobody waits for any more.
func TestKillWhileStarting(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	watchEnd(t)
	c := launch(t, nil, theFeatures, oneScenario)
	c.makes(t)
	require.NoError(t, c.cmd.Process.Kill())
	require.Equal(t, -1, c.exit(atOnce))
	require.Empty(t, c.processesLeft(), "the janitor ends")
	c.engine.nothingLeft(t, cleanedAfter)
}

// SIGKILL of the run and of its janitor: the next run sweeps.
func TestKillOfRunAndJanitor(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	c := launchAs(t, lingers)
	c.saw(made, atOnce)
	sweep := watchEnd(t)
	killFamily(t, c)
	left, err := c.engine.standing(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 4, "container, network and two volumes of the killed run")
	sweep()
	launch(t, nil, theFeatures, oneScenario).green(withCluster)
	left, err = c.engine.standing(t.Context())
	require.NoError(t, err)
	require.Empty(t, left, "what the killed run left, after another run")
}

// A panic in any goroutine and go test's own -timeout end the process on the spot, without a deferred call.
func TestProcessThatDies(t *testing.T) {
	needEngine(t)
	cases := []struct{ name, role, says, timeout string }{
		{"panic in a goroutine", panics, "panic: somewhere in a goroutine", "10m"},
		{"go test's own time-out", lingers, "panic: test timed out after 10s", "10s"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			takeClusters(t, 1)
			watchEnd(t)
			c := launchAs(t, tc.role, "-test.timeout="+tc.timeout)
			c.saw(made, atOnce)
			require.Equal(t, 2, c.exit(atOnce))
			require.Contains(t, c.out.String(), tc.says)
			c.leavesNothing()
		})
	}
}

// makes waits until the child has made its first volumes and is making containers.
func (c *child) makes(t *testing.T) {
	t.Helper()
	_, err := wait.Until(t.Context(), "the child makes containers", atOnce, func(ctx context.Context) ([]string, bool, error) {
		standing, err := c.engine.standing(ctx)
		return standing, strings.Contains(strings.Join(standing, "\n"), "volume "), err
	})
	require.NoError(t, err)
}

// processesLeft waits until the child's processes have ended, and returns those that have not.
func (c *child) processesLeft() []string {
	left, _ := wait.Until(context.Background(), "no process of the run is left", cleanedAfter, func(context.Context) ([]string, bool, error) {
		running, err := marked(c.mark)
		return running, len(running) == 0, err
	})
	return left
}

// killFamily kills a child's children, the janitor among them, and the child: all of them before one can act.
func killFamily(t *testing.T, c *child) {
	t.Helper()
	family, err := marked(c.mark)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(family), 2, "the run and its janitor")
	own := strconv.Itoa(c.cmd.Process.Pid) + " "
	for _, one := range family {
		if strings.HasPrefix(one, own) {
			continue
		}
		pid, err := strconv.ParseInt(strings.Fields(one)[0], 10, 32)
		require.NoError(t, err)
		p, err := process.NewProcess(int32(pid))
		require.NoError(t, err)
		require.NoError(t, p.Kill())
	}
	require.NoError(t, c.cmd.Process.Kill())
	require.Equal(t, -1, c.exit(atOnce))
	require.Empty(t, c.processesLeft())
}
