// Package proof tests the tests: what must be red is red, in one clear line, and however a run of the features ends,
// it leaves nothing behind. Its cases run the test binary of package features in a process of their own, as go test
// does. It is a package of its own so that each of the two has go test's -timeout to itself.
package proof

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cucumber/godog"

	"kafka-ha/cluster/engine"
	"kafka-ha/steps/runner"
)

// featuresFolder is where go test would run the binary of package features.
const featuresFolder = ".."

// settings are those of a child in a role of its own, which is a run of this very binary.
var settings = runner.Settings{Default: featuresFolder + "/*.feature", Godog: godog.Options{Strict: true, Format: "pretty", Concurrency: 1}}

var built string // folder of the binary, once it is built

func TestMain(m *testing.M) {
	engine.BeJanitor()
	godog.BindFlags("godog.", flag.CommandLine, &settings.Godog)
	code := m.Run()
	if built != "" && os.RemoveAll(built) != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// featuresBinary builds the test binary of package features, once.
var featuresBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kafka-ha-proof-")
	if err != nil {
		return "", err
	}
	built = dir
	binary := filepath.Join(dir, "features.test")
	out, err := exec.Command("go", "test", "-c", "-o", binary, "kafka-ha/features").CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("build the features' test binary: %w", err), errors.New(string(out)))
	}
	return binary, nil
})
