package steps

import (
	"context"
	"errors"
	"reflect"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
)

// Initialize teaches godog the sentences, for scenarios against the suite's clusters. godog calls it anew for each
// scenario.
func Initialize(sc *godog.ScenarioContext, suite *Suite) {
	w := newWorld(suite)
	w.hook(sc)
	w.teach(&sentences{sc: sc})
}

// Rehearse teaches godog the same sentences without meaning: they parse their arguments and do nothing. A feature that
// does not come through a rehearsal has undefined, ambiguous or unreadable steps, which is known before any broker runs.
func Rehearse(sc *godog.ScenarioContext) { rehearse(sc) }

func rehearse(sc *godog.ScenarioContext) []Sentence {
	w := newWorld(&Suite{})
	s := &sentences{sc: sc, rehearsal: true}
	sc.StepContext().Before(func(ctx context.Context, step *godog.Step) (context.Context, error) {
		s.argument = step.Argument
		return ctx, nil
	})
	w.teach(s)
	return s.list
}

func (w *World) teach(s *sentences) {
	w.clusterSentences(s)
	w.absenceSentences(s)
	w.topicSentences(s)
	w.initialiserSentences(s)
	w.stateSentences(s)
	w.leaderSentences(s)
	w.quorumSentences(s)
	w.memberSentences(s)
	w.faultSentences(s)
	w.alterSentences(s)
	w.addressSentences(s)
	w.readySentences(s)
	w.throttleSentences(s)
	w.produceSentences(s)
	w.ackSentences(s)
	w.sentSentences(s)
	w.paceSentences(s)
	w.clockSentences(s)
	w.probeSentences(s)
	w.bootstrapSentences(s)
	w.spreadSentences(s)
	w.recountSentences(s)
	w.lostRecordsSentences(s)
	w.orderSentences(s)
	w.volumeSentences(s)
	w.traceSentences(s)
	w.groupSentences(s)
	w.startSentences(s)
	w.deliverySentences(s)
}

// sentences registers steps, anchored, each for the keywords that it makes sense with.
type sentences struct {
	sc        registrar
	rehearsal bool
	list      []Sentence
	argument  *messages.PickleStepArgument // table or docstring of the step that is rehearsed
}

// registrar is a *godog.ScenarioContext.
type registrar interface {
	Given(expr, step any)
	When(expr, step any)
	Then(expr, step any)
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
	return reflect.MakeFunc(shape, func([]reflect.Value) []reflect.Value {
		if s.argument != nil && !readsArgument(shape) {
			return []reflect.Value{reflect.ValueOf(&errUnread).Elem()}
		}
		return []reflect.Value{reflect.Zero(shape.Out(0))}
	}).Interface()
}

// errUnread is for what godog lets pass: it hands a step no more arguments than it takes.
var errUnread = errors.New("the sentence reads no table and no docstring, so what stands there would prove nothing")

func readsArgument(shape reflect.Type) bool {
	if shape.NumIn() == 0 {
		return false
	}
	last := shape.In(shape.NumIn() - 1)
	return last == reflect.TypeFor[*godog.Table]() || last == reflect.TypeFor[*godog.DocString]()
}
