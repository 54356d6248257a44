package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cucumber/godog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module is an empty module with a folder features in it, which is the working folder.
func module(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "module") // t.TempDir has the test's name in it, commas included
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	root, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	write(t, filepath.Join(root, "go.mod"), "module x\n")
	write(t, filepath.Join(root, "features", "a.feature"), "")
	t.Chdir(filepath.Join(root, "features"))
	for _, name := range []string{"KAFKA_HA_KEEP", "KAFKA_HA_BROKER_CONFIG", "KAFKA_HA_REPORT_DIR"} {
		t.Setenv(name, "")
	}
	return root
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func TestFromEnvironment(t *testing.T) {
	t.Run("nothing set, has defaults", func(t *testing.T) {
		root := module(t)
		t.Setenv("NO_COLOR", "")
		s := Settings{Default: "*.feature"}
		require.NoError(t, s.FromEnvironment())
		assert.Equal(t, Settings{Default: "*.feature", Reports: filepath.Join(root, "out"), Godog: godog.Options{Paths: []string{"a.feature"}}}, s)
	})
	for given, want := range map[string]struct {
		paths []string
		tags  string
	}{
		"~@long": {nil, ""}, "@A7": {nil, "@A7"}, "": {[]string{"a.feature"}, ""},
	} {
		t.Run("long scenarios, with tags and paths, are selected by "+given, func(t *testing.T) {
			module(t)
			s := Settings{Default: "*.feature", Long: "@long", Godog: godog.Options{Paths: want.paths, Tags: want.tags}}
			require.NoError(t, s.FromEnvironment())
			assert.Equal(t, given, s.Godog.Tags)
		})
	}
	t.Run("in random order, features are shuffled as the seed says", func(t *testing.T) {
		module(t)
		var sorted []string
		for _, name := range strings.Split("abcdefgh", "") {
			sorted = append(sorted, name+".feature")
			write(t, name+".feature", "Feature: "+name)
		}
		shuffled := func(seed int64) []string {
			s := Settings{Default: "*.feature", Godog: godog.Options{Randomize: seed}}
			require.NoError(t, s.FromEnvironment())
			assert.ElementsMatch(t, sorted, s.Godog.Paths)
			return s.Godog.Paths
		}
		once, again := shuffled(7), shuffled(7)
		assert.NotEqual(t, sorted, once)
		assert.Equal(t, once, again)
		assert.NotEqual(t, once, shuffled(8))
		assert.Equal(t, sorted, shuffled(0))
	})
	t.Run("relative paths, are taken from the module's folder", func(t *testing.T) {
		root := module(t)
		t.Setenv("KAFKA_HA_BROKER_CONFIG", "my/server.properties")
		t.Setenv("KAFKA_HA_REPORT_DIR", "reports")
		s := Settings{Default: "*.feature"}
		require.NoError(t, s.FromEnvironment())
		assert.Equal(t, filepath.Join(root, "my/server.properties"), s.Overlay)
		assert.Equal(t, filepath.Join(root, "reports"), s.Reports)
	})
	t.Run("a folder for reports with a comma, is refused", func(t *testing.T) {
		module(t)
		t.Setenv("KAFKA_HA_REPORT_DIR", "out,put")
		require.ErrorContains(t, new(Settings).FromEnvironment(), "has a comma in it")
	})
	t.Run("a path of something else, is refused", func(t *testing.T) {
		root := module(t)
		write(t, filepath.Join(root, "features", "guide.md"), "# guide")
		s := Settings{Godog: godog.Options{Paths: []string{"features/guide.md"}}}
		require.ErrorContains(t, s.FromEnvironment(), "features/guide.md is no feature; name a .feature file, or a folder of them")
	})
	t.Run("absolute paths, stay", func(t *testing.T) {
		module(t)
		t.Setenv("KAFKA_HA_BROKER_CONFIG", "/etc/my")
		t.Setenv("KAFKA_HA_REPORT_DIR", "/tmp/reports")
		s := Settings{Default: "*.feature"}
		require.NoError(t, s.FromEnvironment())
		assert.Equal(t, []string{"/etc/my", "/tmp/reports"}, []string{s.Overlay, s.Reports})
	})
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Run("KAFKA_HA_KEEP, set to "+value+", is read", func(t *testing.T) {
			module(t)
			t.Setenv("KAFKA_HA_KEEP", value)
			s := Settings{Default: "*.feature"}
			require.NoError(t, s.FromEnvironment())
			assert.Equal(t, want, s.Keep)
		})
	}
	t.Run("KAFKA_HA_KEEP, anything else, is refused", func(t *testing.T) {
		module(t)
		t.Setenv("KAFKA_HA_KEEP", "yes")
		require.ErrorContains(t, (&Settings{}).FromEnvironment(), `KAFKA_HA_KEEP is "yes"; set it to 1`)
	})
	t.Run("NO_COLOR, set, is read", func(t *testing.T) {
		module(t)
		t.Setenv("NO_COLOR", "1")
		s := Settings{Default: "*.feature"}
		require.NoError(t, s.FromEnvironment())
		assert.True(t, s.Godog.NoColors)
	})
	t.Run("no module above, is told", func(t *testing.T) {
		t.Setenv("KAFKA_HA_KEEP", "")
		t.Chdir(t.TempDir())
		require.ErrorContains(t, (&Settings{}).FromEnvironment(), "no go.mod above")
	})
}

func TestResolvePaths(t *testing.T) {
	for name, c := range map[string]struct {
		paths, want []string
		err         string
	}{
		"no path, is what the default matches":          {nil, []string{"a.feature"}, ""},
		"file, here, stays":                             {[]string{"a.feature"}, []string{"a.feature"}, ""},
		"file, from the top, is found there":            {[]string{"features/a.feature"}, []string{"ROOT/features/a.feature"}, ""},
		"file with a line, from the top, keeps it":      {[]string{"features/a.feature:12"}, []string{"ROOT/features/a.feature:12"}, ""},
		"folder, from the top, is found there":          {[]string{"features", "a.feature:3"}, []string{"ROOT/features", "a.feature:3"}, ""},
		"path, neither here nor there, is told":         {[]string{"a.feature", "b.feature:2"}, nil, "-godog.paths: b.feature is neither here nor in ROOT; correct the path"},
		"path, absolute and not there, is told as well": {[]string{"/none/a.feature"}, nil, "-godog.paths: /none/a.feature is neither here"},
	} {
		t.Run(name, func(t *testing.T) {
			root := module(t)
			s := Settings{Default: "*.feature", Godog: godog.Options{Paths: c.paths}}
			err := s.resolvePaths(root)
			if c.err != "" {
				require.ErrorContains(t, err, rooted(c.err, root))
				return
			}
			require.NoError(t, err)
			for i := range c.want {
				assert.Equal(t, rooted(c.want[i], root), s.Godog.Paths[i])
			}
		})
	}
}

func TestSplitLine(t *testing.T) {
	for path, want := range map[string][2]string{
		"a.feature": {"a.feature", ""}, "a.feature:12": {"a.feature", ":12"}, "a:b.feature": {"a:b.feature", ""},
		"a:b.feature:7": {"a:b.feature", ":7"}, "a.feature:x": {"a.feature:x", ""}, "": {"", ""}, "a.feature:1x": {"a.feature:1x", ""},
	} {
		file, line := splitLine(path)
		assert.Equal(t, want, [2]string{file, line}, path)
	}
}

func TestCheck(t *testing.T) {
	good := godog.Options{Format: "pretty", Strict: true, Concurrency: 1}
	for name, c := range map[string]struct {
		change func(*godog.Options)
		err    string
	}{
		"options, as they come, pass":                     {func(*godog.Options) {}, ""},
		"format, several with files, pass":                {func(o *godog.Options) { o.Format = "progress,junit:x.xml,cucumber:y.json,events,pretty" }, ""},
		"format, unknown, is refused and lists all":       {func(o *godog.Options) { o.Format = "html" }, `there is no format "html"; use one of cucumber, events, junit, pretty, progress`},
		"format, one of several unknown, is refused":      {func(o *godog.Options) { o.Format = "pretty,juint:x.xml" }, `there is no format "juint"`},
		"format, empty, is refused":                       {func(o *godog.Options) { o.Format = "" }, `there is no format ""`},
		"strictness, turned off, is refused":              {func(o *godog.Options) { o.Strict = false }, "-godog.strict=false is not for this suite"},
		"stop, under godog's cucumber format, is refused": {func(o *godog.Options) { o.StopOnFailure, o.Format = true, "cucumber" }, "godog's cucumber format fails then; use junit or pretty"},
		"concurrency, above one, is refused":              {func(o *godog.Options) { o.Concurrency = 2 }, "-godog.concurrency=2 is not for this suite"},
		"concurrency, zero which godog takes for one":     {func(o *godog.Options) { o.Concurrency = 0 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Godog: good}
			c.change(&s.Godog)
			err := s.check()
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}
