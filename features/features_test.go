// Package features holds the guarantees, one a file. This is the test that runs them.
package features

import (
	"flag"
	"os"
	"testing"

	"github.com/cucumber/godog"

	"kafka-ha/cluster/engine"
	"kafka-ha/steps/runner"
)

var settings = runner.Settings{
	Default: "*.feature", Long: "@slow", Godog: godog.Options{Strict: true, Format: "pretty", Concurrency: 1},
}

func TestMain(m *testing.M) {
	engine.BeJanitor()
	godog.BindFlags("godog.", flag.CommandLine, &settings.Godog)
	os.Exit(m.Run())
}

// TestFeatures runs the features in this folder, or those that -godog.paths and -godog.tags select, each scenario as a
// subtest, against a cluster of three brokers that it starts and removes.
func TestFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("features need a container engine; run without -short")
	}
	runner.Run(t, settings)
}
