package runner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cucumber/godog"

	"kafka-ha/steps"
)

// mostNeeded returns what most of the selected scenarios want their cluster to be, the earlier one of two wanted as
// often. A scenario that cannot say what it wants is an error, all of them in one.
func mostNeeded(paths []string, tags string) (steps.Need, error) {
	selected, err := (godog.TestSuite{Options: &godog.Options{Paths: slices.Clone(paths), Tags: tags}}).RetrieveFeatures()
	if err != nil {
		return steps.Need{}, fmt.Errorf("features: %s", oneLine(err))
	}
	var most steps.Need
	times := map[string]int{}
	var problems []error
	for _, feature := range selected {
		for _, scenario := range feature.Pickles {
			need, err := steps.NeedOf(scenario)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %q: %w", feature.Uri, scenario.Name, err))
				continue
			}
			times[need.String()]++
			if times[need.String()] > times[most.String()] {
				most = need
			}
		}
	}
	return most, errors.Join(problems...)
}
