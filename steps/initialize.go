package steps

import (
	"reflect"

	"github.com/cucumber/godog"
)

// Initialize teaches godog the sentences, for scenarios against the suite's cluster. godog calls it anew for each
// scenario.
func Initialize(sc *godog.ScenarioContext, suite *Suite) {
	w := &World{suite: suite, losses: map[int]*loss{}}
	w.hook(sc)
	w.teach(&sentences{sc: sc})
}

// Rehearse teaches godog the same sentences without meaning: they parse their arguments and do nothing. A feature that
// does not come through a rehearsal has undefined, ambiguous or unreadable steps, which is known before any broker runs.
func Rehearse(sc *godog.ScenarioContext) { rehearse(sc) }

func rehearse(sc *godog.ScenarioContext) []Sentence {
	w := &World{suite: &Suite{}}
	s := &sentences{sc: sc, rehearsal: true}
	w.teach(s)
	return s.list
}

func (w *World) teach(s *sentences) {
	w.clusterSentences(s)
	w.topicSentences(s)
	w.initialiserSentences(s)
	w.stateSentences(s)
	w.leaderSentences(s)
	w.faultSentences(s)
	w.produceSentences(s)
	w.probeSentences(s)
	w.recountSentences(s)
	w.orderSentences(s)
	w.volumeSentences(s)
	w.traceSentences(s)
}

// sentences registers steps, anchored, each for the keywords that it makes sense with.
type sentences struct {
	sc        *godog.ScenarioContext
	rehearsal bool
	list      []Sentence
}

// given registers a state that a scenario begins with.
func (s *sentences) given(sentence string, step any) {
	s.sc.Given("^"+sentence+"$", s.meaning(step))
	s.note(sentence, "Given")
}

// action registers something that is done: before the scenario's own action or as that.
func (s *sentences) action(sentence string, step any) {
	s.sc.Given("^"+sentence+"$", s.meaning(step))
	s.sc.When("^"+sentence+"$", s.meaning(step))
	s.note(sentence, "Given", "When")
}

// then registers an outcome.
func (s *sentences) then(sentence string, step any) {
	s.sc.Then("^"+sentence+"$", s.meaning(step))
	s.note(sentence, "Then")
}

func (s *sentences) note(sentence string, keywords ...string) {
	s.list = append(s.list, Sentence{Keywords: keywords, Pattern: "^" + sentence + "$"})
}

// meaning is the step itself, or in a rehearsal a function of the same shape that returns no error.
func (s *sentences) meaning(step any) any {
	if !s.rehearsal {
		return step
	}
	shape := reflect.TypeOf(step)
	noError := []reflect.Value{reflect.Zero(shape.Out(0))}
	return reflect.MakeFunc(shape, func([]reflect.Value) []reflect.Value { return noError }).Interface()
}
