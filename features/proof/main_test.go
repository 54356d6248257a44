// Package proof tests the tests: what must be red is red, in one clear line, and however a run of the features ends,
// it leaves nothing behind. Its cases run the test binary of package features in a process of their own, as go test
// does. It is a package of its own so that each of the two has go test's -timeout to itself.
package proof

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cucumber/godog"

	"kafka-ha/cluster/engine"
	"kafka-ha/cluster/wait"
	"kafka-ha/steps/runner"
)

// featuresFolder is where go test would run the binary of package features.
const featuresFolder = ".."

// settings are those of a child in a role of its own, which is a run of this very binary.
var settings = runner.Settings{Default: featuresFolder + "/*.feature", Godog: godog.Options{Strict: true, Format: "pretty", Concurrency: 1}}

var interrupted atomic.Bool // no run begins any more

func TestMain(m *testing.M) {
	engine.BeJanitor()
	godog.BindFlags("godog.", flag.CommandLine, &settings.Godog)
	if os.Getenv(roleEnv) != "" { // how such a child ends is what is looked at
		os.Exit(m.Run())
	}
	os.Exit(inOneFolder(m.Run))
}

// inOneFolder runs the tests with a folder for all temporary files, of theirs and of their children, which is removed also
// when the run is interrupted: testing's own folders would stay then.
func inOneFolder(run func() int) int {
	dir, err := os.MkdirTemp("", "kafka-ha-proof-")
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), os.Setenv("TMPDIR", dir)) // one case runs as somebody else
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "folder for temporary files:", err)
		return 1
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interrupted.Store(true)
		stopChildren()
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
	code := run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// stopChildren interrupts the runs that go on, each once, and waits until they have cleaned up and ended.
func stopChildren() {
	ctx, cancel := context.WithTimeout(context.Background(), withCluster)
	defer cancel()
	told := map[any]bool{}
	wait.Watch(ctx, 100*time.Millisecond, func(context.Context) {
		running := false
		children.Range(func(pid, process any) bool {
			sig := os.Interrupt
			if told[pid] {
				sig = syscall.Signal(0) // only asks whether it is there
			}
			told[pid] = true
			running = process.(*os.Process).Signal(sig) == nil || running
			return true
		})
		if !running {
			cancel()
		}
	})
}

// featuresBinary builds the test binary of package features, once.
var featuresBinary = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(os.Getenv("TMPDIR"), "features.test")
	var out bytes.Buffer
	build := exec.Command("go", "test", "-c", "-o", binary, "kafka-ha/features")
	build.Stdout, build.Stderr = &out, &out
	err := build.Start()
	if err == nil {
		children.Store(strconv.Itoa(build.Process.Pid), build.Process)
		err = build.Wait()
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("build the features' test binary: %w", err), errors.New(out.String()))
	}
	return binary, nil
})
