package steps

import (
	"io"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collector keeps the sentences that are registered, by keyword.
type collector map[string][]*regexp.Regexp

func (c collector) Given(expr, _ any) { c.keep("Given", expr) }
func (c collector) When(expr, _ any)  { c.keep("When", expr) }
func (c collector) Then(expr, _ any)  { c.keep("Then", expr) }

func (c collector) keep(keyword string, expr any) {
	c[keyword] = append(c[keyword], regexp.MustCompile(expr.(string)))
}

func collected(t *testing.T) collector {
	t.Helper()
	c := collector{}
	world(t).teach(&sentences{sc: c})
	return c
}

func (c collector) matching(keyword, text string) []string {
	var all []string
	for _, expr := range c[keyword] {
		if expr.MatchString(text) {
			all = append(all, expr.String())
		}
	}
	return all
}

func TestSentences(t *testing.T) {
	all := collected(t)
	for keyword, exprs := range all {
		seen := map[string]bool{}
		for _, compiled := range exprs {
			expr := compiled.String()
			t.Run(keyword+" "+expr, func(t *testing.T) {
				assert.Regexp(t, `^\^.*[^\\]\$$`, expr, "anchored at both ends")
				assert.False(t, seen[expr], "registered twice")
				seen[expr] = true
				parsed, err := syntax.Parse(expr, syntax.Perl)
				require.NoError(t, err)
				random := rand.New(rand.NewPCG(1, 2))
				for range 40 {
					text := generate(parsed.Simplify(), random)
					assert.Equal(t, []string{expr}, all.matching(keyword, text), "sentences that match %q", text)
				}
			})
		}
	}
}

// TestFeaturesAreMadeOfSentences looks at the steps of the features themselves: each is one sentence of its keyword.
func TestFeaturesAreMadeOfSentences(t *testing.T) {
	all := collected(t)
	features, err := godog.TestSuite{Options: &godog.Options{Paths: []string{"../features"}}}.RetrieveFeatures()
	require.NoError(t, err)
	steps := 0
	keywords := map[messages.PickleStepType]string{
		messages.PickleStepType_CONTEXT: "Given", messages.PickleStepType_ACTION: "When", messages.PickleStepType_OUTCOME: "Then",
	}
	for _, feature := range features {
		for _, pickle := range feature.Pickles {
			for _, step := range pickle.Steps {
				steps++
				assert.Len(t, all.matching(keywords[step.Type], step.Text), 1, "%s: %s %s", pickle.Uri, keywords[step.Type], step.Text)
			}
		}
	}
	assert.Greater(t, steps, 100)
}

// generate makes a text that a regular expression matches.
func generate(expr *syntax.Regexp, random *rand.Rand) string {
	several := func(least, most int) string {
		var b strings.Builder
		for range least + random.IntN(most-least+1) {
			b.WriteString(generate(expr.Sub[0], random))
		}
		return b.String()
	}
	switch expr.Op {
	case syntax.OpLiteral:
		return string(expr.Rune)
	case syntax.OpCharClass:
		return string(oneOf(expr.Rune, random))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture:
		return generate(expr.Sub[0], random)
	case syntax.OpStar:
		return several(0, 3)
	case syntax.OpPlus:
		return several(1, 4)
	case syntax.OpQuest:
		return several(0, 1)
	case syntax.OpAlternate:
		return generate(expr.Sub[random.IntN(len(expr.Sub))], random)
	case syntax.OpConcat:
		var b strings.Builder
		for _, part := range expr.Sub {
			b.WriteString(generate(part, random))
		}
		return b.String()
	}
	return "" // anchors and the like
}

// oneOf is a printable letter of a class, which is given in pairs of first and last.
func oneOf(class []rune, random *rand.Rand) rune {
	for {
		pair := 2 * random.IntN(len(class)/2)
		first, last := class[pair], min(class[pair+1], unicode.MaxASCII)
		if first > last {
			continue
		}
		if r := first + random.Int32N(last-first+1); unicode.IsPrint(r) {
			return r
		}
	}
}

func TestRehearse(t *testing.T) {
	rehearse := func(o godog.Options) int {
		o.Format, o.Output, o.Strict = "progress", io.Discard, true
		return godog.TestSuite{ScenarioInitializer: Rehearse, Options: &o}.Run()
	}
	given := func(lines ...string) godog.Options {
		return godog.Options{FeatureContents: []godog.Feature{{
			Name: "test.feature", Contents: []byte("Feature: f\n  Scenario: s\n    " + strings.Join(lines, "\n    ") + "\n"),
		}}}
	}
	for name, c := range map[string]struct {
		options godog.Options
		good    bool
	}{
		"the features, come through":              {godog.Options{Paths: []string{"../features"}}, true},
		"a sentence, as it is, comes through":     {given("Given three brokers, all in sync"), true},
		"a sentence, unknown, does not":           {given("Given four brokers"), false},
		"a number, unreadable, does not":          {given("Given broker 99999999999999999999 returns"), false},
		"a table that nobody reads, does not":     {given("Given three brokers, all in sync", "  | broker |", "  | 1      |"), false},
		"a docstring that nobody reads, does not": {given("Given three brokers, all in sync", "  \"\"\"", "  words", "  \"\"\""), false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.good, rehearse(c.options) == 0) })
	}
}
