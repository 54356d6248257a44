package steps

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cucumber/godog"
)

// Sentence is one that features can use.
type Sentence struct {
	Keywords []string // Given, When, Then; "And" counts as the keyword before it
	Pattern  string   // anchored regular expression
}

// Sentences returns all sentences, in the order in which they are taught.
func Sentences() []Sentence {
	var all []Sentence
	// A suite without features still calls the initializer when it is asked for its definitions; nothing is printed.
	(godog.TestSuite{
		ScenarioInitializer: func(sc *godog.ScenarioContext) { all = rehearse(sc) },
		Options:             &godog.Options{ShowStepDefinitions: true, Format: "progress", Output: discard{}},
	}).Run()
	return all
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// plain turns the parts of a pattern into what a person would write there.
var plain = []struct {
	part *regexp.Regexp
	word string
}{
	{regexp.MustCompile(regexp.QuoteMeta(ways)), "WAYS"},
	{regexp.MustCompile(regexp.QuoteMeta(nodeList)), "NODES"},
	{regexp.MustCompile(regexp.QuoteMeta(brokerList) + "|" + regexp.QuoteMeta(anyBrokers)), "BROKERS"},
	{regexp.MustCompile(regexp.QuoteMeta(oneBroker)), "BROKER"},
	{regexp.MustCompile(regexp.QuoteMeta(errorName)), "ERROR"},
	{regexp.MustCompile(`"\(\[\^"\]\+\)"`), `"NAME"`},
	{regexp.MustCompile(regexp.QuoteMeta(amount) + "|" + regexp.QuoteMeta(count) + `|\(\\d(?:\+|\{1,[25]\})\)|\\d(?:\+|\{1,5\})`), "N"},
	{regexp.MustCompile(regexp.QuoteMeta(`(\d[\d:,]*)`)), "LISTS"},
	{regexp.MustCompile(regexp.QuoteMeta(`([a-z][a-z.]*)`)), "KEY"},
	{regexp.MustCompile(regexp.QuoteMeta(`(another broker)`)), "another broker"},
	{regexp.MustCompile(regexp.QuoteMeta(`no (broker)`)), "no broker"},
	{regexp.MustCompile(regexp.QuoteMeta(`(every) broker`)), "every broker"},
	{regexp.MustCompile(`\(\\S\+\)`), "VALUE"},
	{regexp.MustCompile(`s\?`), "s"},
	{regexp.MustCompile(`\(\?:( more)\)\?`), "[$1]"},
	{regexp.MustCompile(`\(\?:`), "("},
	{regexp.MustCompile(`\\`), ""},
}

// Legend explains the words in capitals of the sentences, and their brackets.
const Legend = `(a|b) is one of them, [a] may be left out. N is a number.
BROKER is "broker 2", "the leader of partition 0", "a follower of partition 0", "the active controller" or
"the coordinator of group "payments""; "controller 101" too where controllers are apart. BROKERS is "broker 1",
"brokers 1 and 2" or "brokers 1, 2 and 3". NODES is BROKERS, "controllers 101 and 102", or some of both.
WAYS is one way of BROKER is lost by (...), or one for each node: "clean shutdown and hard kill".
ERROR is Kafka's name of an error: NOT_ENOUGH_REPLICAS. LISTS is the replicas of one partition after the other: 1:2:3,2:3:1.`

// String is the sentence as one would write it, after its keywords.
func (s Sentence) String() string {
	text := strings.TrimSuffix(strings.TrimPrefix(s.Pattern, "^"), "$")
	for _, p := range plain {
		text = p.part.ReplaceAllString(text, p.word)
	}
	return fmt.Sprintf("%-10s  %s", strings.Join(s.Keywords, " "), text)
}
