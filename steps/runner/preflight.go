package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"kafka-ha/steps"
)

// preflight finds what is wrong with the selected features, without a cluster, and returns how many scenarios there
// are to run.
func preflight(s *Settings, rehearse func(*godog.ScenarioContext)) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	all, err := (godog.TestSuite{Options: &godog.Options{Paths: slices.Clone(s.Godog.Paths)}}).RetrieveFeatures()
	if err != nil {
		return 0, fmt.Errorf("features: %s; correct the file", oneLine(err))
	}
	files, err := featureFiles(s.Godog.Paths)
	if err != nil {
		return 0, fmt.Errorf("features: %w", err)
	}
	if len(files) == 0 {
		return 0, fmt.Errorf("features: no feature file in %s; name a .feature file, or a folder of them",
			strings.Join(s.Godog.Paths, ", "))
	}
	var problems []error
	for _, f := range all {
		delete(files, f.Uri)
		problems = append(problems, checkFeature(f.Uri, f.Feature))
	}
	for _, file := range slices.Sorted(maps.Keys(files)) { // godog leaves out what has nothing to run
		problem := fmt.Errorf("%s: has no scenario that can run; write one, give outlines rows, or correct the line", file)
		problems = append(problems, problem)
	}
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	scenarios, err := countSelected(s.Godog.Paths, s.Godog.Tags)
	if err != nil {
		return 0, err
	}
	if err := rehearsal(s.Godog.Paths, s.Godog.Tags, scenarios, rehearse); err != nil {
		return 0, err
	}
	for _, f := range all {
		problems = append(problems, checkOutcomes(f.Uri, f.Feature))
	}
	return scenarios, errors.Join(problems...)
}

// countSelected returns how many scenarios the tags select; none is an error.
func countSelected(paths []string, tags string) (n int, err error) {
	defer func() {
		if recover() != nil { // godog's tag reader takes an unfinished expression for a finished one
			n, err = 0, fmt.Errorf("-godog.tags %q cannot be read; correct the tags, as in \"@smoke && ~@slow\"", tags)
		}
	}()
	selected, err := (godog.TestSuite{Options: &godog.Options{Paths: slices.Clone(paths), Tags: tags}}).RetrieveFeatures()
	if err != nil {
		return 0, fmt.Errorf("-godog.tags %q: %s", tags, oneLine(err))
	}
	scenarios := 0
	for _, f := range selected {
		scenarios += len(f.Pickles)
	}
	if scenarios == 0 {
		return 0, fmt.Errorf("-godog.tags %q matches no scenario in %s; correct the tags (features/claims.md says which claims "+
			"have none)", tags, several(paths))
	}
	return scenarios, nil
}

// leftOut returns how many scenarios are not run because nobody asked for those that take long.
func leftOut(s *Settings) int {
	if s.Long == "" || s.Godog.Tags != "~"+s.Long {
		return 0
	}
	left, err := countSelected(s.Godog.Paths, s.Long)
	if err != nil {
		return 0 // none has the tag
	}
	return left
}

// featureFiles returns the files that the paths select, each in the form that godog gives it.
func featureFiles(paths []string) (map[string]bool, error) {
	files := map[string]bool{}
	for _, path := range paths {
		file, line := splitLine(path)
		err := filepath.WalkDir(file, func(at string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && (at == file || strings.HasSuffix(at, ".feature")) {
				files[at+line] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// checkFeature finds scenarios and outlines that would run as nothing.
func checkFeature(file string, feature *messages.Feature) error {
	var problems []error
	for _, scenario := range scenariosOf(feature) {
		at := fmt.Sprintf("%s:%d: %q", file, scenario.Location.Line, scenario.Name)
		if len(scenario.Steps) == 0 {
			problems = append(problems, fmt.Errorf("%s has no step; write one, or remove it", at))
		}
		if isOutline(scenario) && rows(scenario) == 0 {
			problems = append(problems, fmt.Errorf("%s is an outline without rows; give its Examples at least one", at))
		}
	}
	return errors.Join(problems...)
}

// checkOutcomes finds scenarios that state nothing: they would be green whatever Kafka does.
func checkOutcomes(file string, feature *messages.Feature) error {
	var problems []error
	for _, scenario := range scenariosOf(feature) {
		if !slices.ContainsFunc(scenario.Steps, func(s *messages.Step) bool { return s.KeywordType == messages.StepKeywordType_OUTCOME }) {
			problems = append(problems, fmt.Errorf("%s:%d: %q states no outcome, so it would prove nothing; end it with a Then",
				file, scenario.Location.Line, scenario.Name))
		}
	}
	return errors.Join(problems...)
}

func scenariosOf(feature *messages.Feature) []*messages.Scenario {
	var all []*messages.Scenario
	for _, child := range feature.Children {
		if child.Scenario != nil {
			all = append(all, child.Scenario)
		}
		if child.Rule == nil {
			continue
		}
		for _, inner := range child.Rule.Children {
			if inner.Scenario != nil {
				all = append(all, inner.Scenario)
			}
		}
	}
	return all
}

// isOutline also takes a Scenario with placeholders for one: without Examples it runs once, with the placeholders.
func isOutline(s *messages.Scenario) bool {
	return len(s.Examples) > 0 || strings.Contains(s.Keyword, "Outline") || strings.Contains(s.Keyword, "Template")
}

func rows(s *messages.Scenario) int {
	n := 0
	for _, examples := range s.Examples {
		n += len(examples.TableBody)
	}
	return n
}

// rehearsal runs the selected scenarios with sentences that mean nothing, and reports each step that is not a sentence
// of the suite.
func rehearsal(paths []string, tags string, scenarios int, rehearse func(*godog.ScenarioContext)) error {
	var problems []error
	begun := 0
	suite := godog.TestSuite{
		Options: &godog.Options{
			Paths: slices.Clone(paths), Tags: tags, Strict: true, Format: "progress", Output: io.Discard, NoColors: true,
		},
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			rehearse(sc)
			var in *godog.Scenario
			sc.Before(func(ctx context.Context, s *godog.Scenario) (context.Context, error) {
				begun++
				in = s
				return ctx, nil
			})
			after := func(ctx context.Context, step *godog.Step, status godog.StepResultStatus, err error) (context.Context, error) {
				if status != godog.StepPassed && (status != godog.StepSkipped || err != nil) {
					problems = append(problems, fmt.Errorf("%s: %q: step %q is %s%s; make steps lists the sentences there are",
						in.Uri, in.Name, step.Text, status, reason(step.Text, err)))
				}
				return ctx, nil
			}
			sc.StepContext().After(after)
		},
	}
	status := suite.Run()
	if len(problems) == 0 && (status != 0 || begun != scenarios) {
		return fmt.Errorf("features: a rehearsal ended with godog status %d after %d of %d scenarios; see what godog printed",
			status, begun, scenarios)
	}
	return errors.Join(problems...)
}

// several names paths, as long as there are few.
func several(paths []string) string {
	if len(paths) > 3 {
		return fmt.Sprintf("%d features", len(paths))
	}
	return strings.Join(paths, ", ")
}

// otherKeyword says under which keywords a step would be a sentence, if there are any. "And" counts as the one before it.
func otherKeyword(text string) string {
	for _, sentence := range steps.Sentences() {
		if regexp.MustCompile(sentence.Pattern).MatchString(text) {
			return " under its keyword (it goes under " + strings.Join(sentence.Keywords, " and ") + ")"
		}
	}
	return ""
}

// reason leaves out what the status says already.
func reason(text string, err error) string {
	if err == nil || errors.Is(err, godog.ErrUndefined) {
		return otherKeyword(text)
	}
	return " (" + oneLine(err) + ")"
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
