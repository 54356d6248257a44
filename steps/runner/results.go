package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cucumber/godog"
)

// resultsOf names the files that a run's results are written to. Each is called after its format.
func resultsOf(options *godog.Options) []string {
	if options.StopOnFailure {
		return []string{"junit.xml"} // godog's cucumber format panics when scenarios were left out
	}
	return []string{"junit.xml", "cucumber.json"}
}

// publish copies the machine-readable results to where the latest run's are looked for, and leaves none of an earlier one.
func publish(run, reports string, names []string) error {
	if err := os.Remove(filepath.Join(reports, "cucumber.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("results of an earlier run: %w", err)
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(run, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(reports, name), content, 0o644) // for everybody to read
		}
		if err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}
