package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/cluster"
	"kafka-ha/fixtures/ledger"
)

func (w *World) memberSentences(s *sentences) {
	s.action(oneBroker+` is added to the voters`, func(ctx context.Context, role string) error {
		return w.withRole(ctx, role, func(id int) error {
			return w.changeMembers(ctx, "addition to the voters", id, func(ctx context.Context) error { return w.addVoter(ctx, id) })
		})
	})
	s.action(oneBroker+` is added to the voters by kafka-metadata-quorum\.sh`, func(ctx context.Context, role string) error {
		return w.withRole(ctx, role, func(id int) error {
			return w.changeMembers(ctx, "addition to the voters", id, func(ctx context.Context) error { return w.addVoterByTool(ctx, id) })
		})
	})
	s.action(oneBroker+` is removed from the voters`, func(ctx context.Context, role string) error {
		return w.withRole(ctx, role, func(id int) error {
			return w.changeMembers(ctx, "removal from the voters", id, func(ctx context.Context) error { return w.removeVoter(ctx, id) })
		})
	})
	s.action(`the addition of `+oneBroker+` to the voters is requested`+wrongly, w.requestAddition)
	s.action(`the removal of `+oneBroker+` from the voters is requested`+wrongly, w.requestRemoval)
	s.then(`the request is refused with `+errorName+`, saying "([^"]+)"`, w.refusedSaying)
	s.then(`each voter is known by its own directory and endpoint`, w.votersAreKnown)
	s.then(oneBroker+` has another directory id than before its loss`, w.directoryIsAnother)
}

// wrongly is what a request for a change of the members may have wrong.
const wrongly = `(|, with a directory id that it does not have|, with the id of another cluster)`

var errStaticVoters = fmt.Errorf("this cluster's voters are static (kraft.version 0); begin with 'Given %s%s'", cluster.OneVoter, inSync)

// changeMembers makes a change under whatever load there is. It is over when it is committed and, for each topic that is
// being written to, each partition has acknowledged a record since it began: the recount demands these.
func (w *World) changeMembers(ctx context.Context, what string, id int, change func(context.Context) error) error {
	if !w.need.Topology.Dynamic() {
		return errStaticVoters
	}
	w.forget()
	began := time.Now()
	marks := map[*topic]*ledger.Mark{}
	for _, t := range w.topics {
		if len(t.writers) == 0 {
			continue
		}
		mark, err := t.ledger.Mark(what, w.called(id))
		if err == nil {
			err = mark.Expect(ledger.Expect{Before: true, During: true})
		}
		if err != nil {
			return err
		}
		marks[t] = mark
	}
	if err := w.kafka(func() error { return change(ctx) }); err != nil {
		return err
	}
	took := time.Since(began)
	for t, mark := range marks {
		if err := w.awaitAcks(ctx, t, began, firstAcksWithin, t.writers); err != nil {
			return fmt.Errorf("%s of %s: %w", what, w.called(id), err)
		}
		if err := mark.End(); err != nil {
			return err
		}
	}
	w.suite.Print("%s of %s took %s", what, w.called(id), took.Round(time.Millisecond))
	return nil
}

func (w *World) addVoter(ctx context.Context, id int) error {
	member, err := w.cluster.Candidate(ctx, id)
	if err != nil {
		return err
	}
	return w.cluster.AddVoter(ctx, member)
}

func (w *World) addVoterByTool(ctx context.Context, id int) error {
	if _, err := w.cluster.Candidate(ctx, id); err != nil {
		return err
	}
	return w.cluster.AddVoterByTool(ctx, id)
}

func (w *World) removeVoter(ctx context.Context, id int) error {
	member, err := w.cluster.Voter(ctx, id)
	if err != nil {
		return err
	}
	w.removed = id
	return w.cluster.RemoveVoter(ctx, member)
}

func (w *World) requestAddition(ctx context.Context, role, how string) error {
	return w.requestChange(ctx, role, how, w.cluster.AddVoter)
}

func (w *World) requestRemoval(ctx context.Context, role, how string) error {
	return w.requestChange(ctx, role, how, w.cluster.RemoveVoter)
}

// requestChange asks for a change that may be refused; the answer is for a Then.
func (w *World) requestChange(ctx context.Context, role, how string, ask func(context.Context, cluster.Member) error) error {
	return w.withRole(ctx, role, func(id int) error {
		directory, err := w.cluster.DirectoryOf(ctx, id)
		if err != nil {
			return err
		}
		member := cluster.Member{ID: id, Directory: directory, ClusterID: w.cluster.KafkaID}
		switch how {
		case "":
		case ", with the id of another cluster":
			member.ClusterID = cluster.NewKafkaID()
		default:
			member.Directory = cluster.NewKafkaID()
		}
		began := time.Now()
		err = w.kafka(func() error { return ask(ctx, member) })
		var refusal *kerr.Error
		if err != nil && !errors.As(err, &refusal) {
			return err // nobody answered: that is no refusal
		}
		w.refusal = err
		if errors.Is(err, kerr.RequestTimedOut) {
			w.refusal = &timedOutError{err}
		}
		w.suite.Print("answered after %s: %v", time.Since(began).Round(time.Millisecond), err)
		return nil
	})
}

// timedOutError is an answer that may have any cause, a broker that is gone among them: it is no refusal until it is known why.
type timedOutError struct{ err error }

func (t *timedOutError) Error() string {
	return fmt.Sprintf("a time-out tells nothing: quote what it must say, as in: the request is refused with %s, saying \"lagging\"; "+
		"it says: %v", kerr.RequestTimedOut.Message, t.err)
}

// refusedSaying is refusedWith for answers that have several causes: it wants Kafka's own words too.
func (w *World) refusedSaying(name, saying string) error {
	told := w.refusal
	if late := new(timedOutError); errors.As(told, &late) {
		told = late.err
	}
	if err := (&World{refusal: told}).refusedWith(name); err != nil {
		return err
	}
	if !strings.Contains(told.Error(), saying) {
		return fmt.Errorf("wanted: refused with %s, saying %q; seen: %w", name, saying, told)
	}
	return nil
}

// votersAreKnown compares what the active controller knows of its voters with what lies on their volumes, and with where
// their controllers listen.
func (w *World) votersAreKnown(ctx context.Context) error {
	view, err := w.view(ctx)
	if err != nil {
		return err
	}
	if len(view.Quorum.Voters) == 0 {
		return fmt.Errorf("wanted: voters; seen:\n%s", view)
	}
	var problems []error
	for _, voter := range view.Quorum.Voters {
		directory, err := w.cluster.DirectoryOf(ctx, voter.ID)
		if err == nil {
			err = knownAs(voter, directory, w.cluster.ControllerEndpoint(voter.ID))
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func knownAs(voter cluster.QuorumReplica, directory, endpoint string) error {
	if voter.Directory != directory || !slices.Equal(voter.Endpoints, []string{endpoint}) {
		return fmt.Errorf("wanted: voter %d with directory %q at [%s]; seen: %q at %v",
			voter.ID, directory, endpoint, voter.Directory, voter.Endpoints)
	}
	return nil
}

func (w *World) directoryIsAnother(ctx context.Context, role string) error {
	id, err := w.whoWas(role)
	if err != nil {
		return err
	}
	l := w.losses[id]
	if l == nil {
		return fmt.Errorf("%s was not lost in this scenario", w.called(id))
	}
	before, ok := l.before.Quorum.Voter(id)
	if !ok {
		before, ok = l.before.Quorum.Observer(id)
	}
	if !ok || before.Directory == "" {
		return fmt.Errorf("the directory id of %s before its loss is not known", w.called(id))
	}
	now, err := w.cluster.DirectoryOf(ctx, id)
	if err == nil && now == before.Directory {
		err = fmt.Errorf("wanted: another directory id of %s than %s; seen: the same", w.called(id), now)
	}
	return err
}
