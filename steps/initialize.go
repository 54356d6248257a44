package steps

import (
	"context"
	"reflect"

	"github.com/cucumber/godog"

	"kafka-ha/cluster"
)

// Initialize teaches godog the sentences, for scenarios against the suite's cluster. godog calls it anew for each
// scenario.
func Initialize(sc *godog.ScenarioContext, suite *Suite) {
	w := newWorld(suite)
	w.hook(sc)
	w.teach(&sentences{sc: sc})
}

// Rehearse teaches godog the same sentences without meaning: they parse their arguments and do nothing. A feature that
// does not come through a rehearsal has undefined, ambiguous or unreadable steps, which is known before any broker runs.
func Rehearse(sc *godog.ScenarioContext) {
	w := newWorld(&Suite{Cluster: &cluster.Cluster{}})
	w.teach(&sentences{sc: sc, rehearsal: true})
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
	sc        registrar
	rehearsal bool
}

// registrar is a *godog.ScenarioContext.
type registrar interface {
	Given(expr, step any)
	When(expr, step any)
	Then(expr, step any)
}

// given registers a state that a scenario begins with.
func (s *sentences) given(sentence string, step any) { s.sc.Given("^"+sentence+"$", s.meaning(step)) }

// action registers something that is done: before the scenario's own action or as that.
func (s *sentences) action(sentence string, step any) {
	s.sc.Given("^"+sentence+"$", s.meaning(step))
	s.sc.When("^"+sentence+"$", s.meaning(step))
}

// then registers an outcome.
func (s *sentences) then(sentence string, step any) { s.sc.Then("^"+sentence+"$", s.meaning(step)) }

// meaning is the step itself, or in a rehearsal a function of the same shape that returns no error.
func (s *sentences) meaning(step any) any {
	if !s.rehearsal {
		return step
	}
	shape := reflect.TypeOf(step)
	nothing := make([]reflect.Value, 0, shape.NumOut())
	for i := range shape.NumOut() {
		nothing = append(nothing, reflect.Zero(shape.Out(i)))
	}
	return reflect.MakeFunc(shape, func(args []reflect.Value) []reflect.Value {
		if len(nothing) == 2 { // a step that hands on its context
			return []reflect.Value{args[0].Convert(reflect.TypeFor[context.Context]()), nothing[1]}
		}
		return nothing
	}).Interface()
}
