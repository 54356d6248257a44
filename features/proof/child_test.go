package proof

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
)

// Bounds for a child process on a busy machine with two cores. What a case itself may take comes on top where it waits
// for something with a bound of its own.
const (
	atOnce       = 45 * time.Second  // no broker is started: answers of engine and registry (15 s of silence) are the longest part
	withCluster  = 180 * time.Second // start of three brokers (90 s) and some scenarios
	cleanedAfter = 60 * time.Second  // what the janitor may take, who works when the run is gone
)

// markEnv marks a child and all processes that it starts, so that they can be found when it is gone.
const markEnv = "KAFKA_HA_TEST_MARK"

// child is a run of a test binary in a process of its own, the way go test runs it: in its package's folder.
type child struct {
	*testing.T
	cmd     *exec.Cmd
	out     *output
	mark    string
	temp    string // its TMPDIR
	reports string // its KAFKA_HA_REPORT_DIR
	done    chan struct{}
	engine  *witness
}

// launch starts a child. Variables of this suite that are set here are not handed on: each case says what it sets.
func launch(t *testing.T, env []string, args ...string) *child {
	t.Helper()
	binary, err := featuresBinary()
	require.NoError(t, err)
	c := prepareChild(t, binary, env, args...)
	c.cmd.Dir = featuresFolder
	c.start()
	return c
}

// launchAs starts a child that is this very binary, in a role of its own.
func launchAs(t *testing.T, role string, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := prepareChild(t, self, []string{roleEnv + "=" + role}, append(args, "-test.run=^TestRole$")...)
	c.start()
	return c
}

func prepareChild(t *testing.T, binary string, env []string, args ...string) *child {
	t.Helper()
	c := &child{T: t, out: &output{}, mark: rand.Text(), temp: t.TempDir(), reports: t.TempDir(), done: make(chan struct{})}
	c.cmd = exec.Command(binary, append([]string{"-test.v"}, args...)...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "KAFKA_HA_") {
			c.cmd.Env = append(c.cmd.Env, pair)
		}
	}
	c.cmd.Env = append(c.cmd.Env, markEnv+"="+c.mark, "TMPDIR="+c.temp, "KAFKA_HA_REPORT_DIR="+c.reports)
	if image := os.Getenv("KAFKA_HA_IMAGE"); image != "" {
		c.cmd.Env = append(c.cmd.Env, "KAFKA_HA_IMAGE="+image)
	}
	c.cmd.Env = append(c.cmd.Env, env...) // the last one of a name counts
	c.cmd.Stdout, c.cmd.Stderr = c.out, c.out
	return c
}

func (c *child) start() {
	c.Helper()
	require.False(c, interrupted.Load(), "the tests were interrupted")
	begun := func() {}
	if watching.Load() != c.T {
		sweeping.RLock()
		begun = sweeping.RUnlock
	}
	err := c.cmd.Start()
	if err != nil {
		begun()
	}
	require.NoError(c, err)
	children.Store(strconv.Itoa(c.cmd.Process.Pid), c.cmd.Process)
	c.engine = watch(c.T, c.cmd.Process.Pid)
	go func() {
		_ = c.cmd.Wait() // how it ended is in ProcessState
		close(c.done)
	}()
	c.Cleanup(func() {
		_ = c.cmd.Process.Kill() // only a case that failed half-way leaves a child running
		<-c.done
		if c.Failed() {
			c.Logf("the child's output:\n%s", c.out)
		}
	})
	go func() {
		defer begun()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		wait.Watch(ctx, 100*time.Millisecond, func(context.Context) {
			if c.ended() || c.hasBegun() {
				cancel()
			}
		})
	}()
}

// hasBegun reports that the child has printed what comes after it has swept.
func (c *child) hasBegun() bool {
	out := c.out.String()
	return strings.Contains(out, "starting three brokers") || strings.Contains(out, made) || strings.Contains(out, "=== RUN   TestRole/")
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// exit waits for the child's end and returns its exit code, -1 after a signal.
func (c *child) exit(within time.Duration) int {
	c.Helper()
	select {
	case <-c.done:
	case <-time.After(within):
		require.FailNow(c, "the child has not ended", "within %s", within)
	}
	return c.cmd.ProcessState.ExitCode()
}

// saw waits until the child has printed something.
func (c *child) saw(text string, within time.Duration) {
	c.Helper()
	_, err := wait.Until(context.Background(), fmt.Sprintf("the child prints %q", text), within, func(context.Context) (string, bool, error) {
		ended := c.ended() // before what it has printed is looked at
		printed := strings.Contains(c.out.String(), text)
		if ended && !printed {
			return "", false, wait.Stop(errors.New("it has ended without"))
		}
		return "", printed, nil
	})
	require.NoError(c, err)
}

// red sees that the run failed with one complaint, of one line where it must be, that has all the words, and that it
// left nothing. It returns the complaint.
func (c *child) red(within time.Duration, words ...string) string {
	c.Helper()
	require.Equal(c, 1, c.exit(within), "exit code of a red run")
	found := complaint.FindAllStringSubmatch(c.out.String(), -1)
	require.Len(c, found, 1, "complaints of the run")
	text := strings.TrimSpace(found[0][1])
	for _, word := range words {
		require.Contains(c, text, word)
	}
	c.leavesNothing()
	return text
}

// redInOneLine is red with a complaint of one line.
func (c *child) redInOneLine(within time.Duration, words ...string) {
	c.Helper()
	require.NotContains(c, c.red(within, words...), "\n", "one clear line")
}

// green sees that the run passed and left nothing.
func (c *child) green(within time.Duration) {
	c.Helper()
	require.Equal(c, 0, c.exit(within), "exit code of a green run")
	require.NotContains(c, c.out.String(), "no tests to run")
	c.leavesNothing()
}

// complaint is what TestFeatures itself says is wrong; scenarios complain as subtests, further to the right.
var complaint = regexp.MustCompile(`(?ms)^    features_test\.go:\d+: (.*?)\n(?:--- FAIL|    ---|FAIL|=== )`)

// leavesNothing sees that neither the engine nor this machine keeps anything of the child's.
func (c *child) leavesNothing() {
	c.Helper()
	c.engine.nothingLeft(c.T, cleanedAfter)
	_, err := wait.Until(context.Background(), "no process of the run is left", cleanedAfter, func(context.Context) ([]string, bool, error) {
		running, err := marked(c.mark)
		return running, len(running) == 0, err
	})
	require.NoError(c, err)
	files, err := filepath.Glob(filepath.Join(c.temp, "*"))
	require.NoError(c, err)
	require.Empty(c, files, "files in TMPDIR")
}

// output is what a child has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
