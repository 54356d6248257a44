// Package runner runs features with godog, as subtests of one Go test, against one real cluster. It looks at all that
// can be wrong with the features before a broker is started, and it never takes silence for success: nothing
// selected, nothing run, an undefined or skipped step, and a failure that a format does not report are all red.
package runner

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cucumber/godog"
	"github.com/cucumber/godog/formatters"
)

// Settings are what a run takes from flags and environment.
type Settings struct {
	Godog   godog.Options // bound to the -godog.* flags
	Default string        // pattern of the features to run when no path is given
	Long    string        // tag of the scenarios that are left out unless a path or tags are given
	Keep    bool          // KAFKA_HA_KEEP: leave the cluster of a failed run
	Overlay string        // KAFKA_HA_BROKER_CONFIG
	Reports string        // KAFKA_HA_REPORT_DIR: folder for evidence
}

// FromEnvironment fills in what the environment says. Relative paths in it are taken from the folder of go.mod, since
// go test runs each test in the folder of its package.
func (s *Settings) FromEnvironment() error {
	switch keep := os.Getenv("KAFKA_HA_KEEP"); keep {
	case "", "0":
	case "1":
		s.Keep = true
	default:
		return fmt.Errorf("KAFKA_HA_KEEP is %q; set it to 1 to keep a failed cluster, or leave it out", keep)
	}
	s.Godog.NoColors = s.Godog.NoColors || os.Getenv("NO_COLOR") != "" // go test's pipe hides whether somebody watches
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	s.Overlay = from(root, os.Getenv("KAFKA_HA_BROKER_CONFIG"))
	s.Reports = from(root, os.Getenv("KAFKA_HA_REPORT_DIR"))
	if s.Reports == "" {
		s.Reports = filepath.Join(root, "out")
	}
	if strings.Contains(s.Reports, ",") { // where godog's formats have several files, it ends a path
		return fmt.Errorf("KAFKA_HA_REPORT_DIR: %s has a comma in it; name another folder", s.Reports)
	}
	return s.resolvePaths(root)
}

// resolvePaths finds each feature path from here or, as somebody types it at the top of the repository, from there.
func (s *Settings) resolvePaths(root string) error {
	if len(s.Godog.Paths) == 0 {
		// A pattern and not a folder, since godog would look into its subfolders too: some hold features that must fail.
		files, err := filepath.Glob(s.Default)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("no feature is called %s", s.Default)
		}
		if seed := s.Godog.Randomize; seed != 0 { // godog shuffles what is within a feature only
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		}
		s.Godog.Paths = files
		if s.Godog.Tags == "" && s.Long != "" {
			s.Godog.Tags = "~" + s.Long
		}
		return err
	}
	for i, path := range s.Godog.Paths {
		file, line := splitLine(path)
		found := slices.IndexFunc([]string{file, from(root, file)}, func(p string) bool { _, err := os.Stat(p); return err == nil })
		if found < 0 {
			return fmt.Errorf("-godog.paths: %s is neither here nor in %s; correct the path", file, root)
		}
		if found == 1 {
			file = from(root, file)
			s.Godog.Paths[i] = file + line
		}
		if line == "" && !strings.HasSuffix(file, ".feature") && !isFolder(file) {
			return fmt.Errorf("-godog.paths: %s is no feature; name a .feature file, or a folder of them", file)
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// splitLine takes the line number off "x.feature:12".
func splitLine(path string) (file, line string) {
	at := strings.LastIndex(path, ":")
	if at < 0 || strings.Trim(path[at+1:], "0123456789") != "" {
		return path, ""
	}
	return path[:at], path[at:]
}

func from(root, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working folder: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod above %s; run the suite inside its repository", dir)
		}
	}
}

// checkFormat refuses a format that godog does not have, in one line and before anything starts.
func checkFormat(format string) error {
	for part := range strings.SplitSeq(format, ",") {
		name, _, _ := strings.Cut(part, ":")
		if formatters.FindFmt(name) == nil {
			known := make([]string, 0)
			for name := range formatters.AvailableFormatters() {
				known = append(known, name)
			}
			slices.Sort(known)
			return fmt.Errorf("-godog.format: there is no format %q; use one of %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

var errStrict = errors.New("-godog.strict=false is not for this suite: an undefined step would pass; leave the flag out")

// check settles the options that are not the user's to change.
func (s *Settings) check() error {
	if err := checkFormat(s.Godog.Format); err != nil {
		return err
	}
	if !s.Godog.Strict {
		return errStrict
	}
	if s.Godog.Concurrency > 1 {
		return fmt.Errorf("-godog.concurrency=%d is not for this suite: scenarios share clusters; leave the flag out",
			s.Godog.Concurrency)
	}
	if (s.Godog.StopOnFailure || s.Keep) && strings.Contains(s.Godog.Format, "cucumber") {
		return fmt.Errorf("-godog.format=%s is not for a run that stops at its first failure, as KAFKA_HA_KEEP=1 or "+
			"-godog.stop-on-failure makes it: godog's cucumber format fails then; use junit or pretty", s.Godog.Format)
	}
	return nil
}
