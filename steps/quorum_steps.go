package steps

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

func (w *World) quorumSentences(s *sentences) {
	w.stateOfMembers(s, `(?:the voters are|the only voter is)`, "the voters are", func(q cluster.Quorum) []cluster.QuorumReplica {
		return q.Voters
	})
	w.stateOfMembers(s, `(?:the observers are|the only observer is)`, "the observers are", cluster.Quorum.Present)
	w.stateOfText(s, `no (broker) is an observer`, func(string) (state, error) {
		return state{words: "no broker is an observer", holds: w.noObservers}, nil
	})
	s.then(within+`no voter is behind the active controller`, w.noneBehind)
	s.then(`there is no active controller`, func(ctx context.Context) error {
		return w.noController(ctx, func(st state) error { return w.isSo(ctx, st) })
	})
	s.then(`for `+amount+` seconds there is no active controller`, func(ctx context.Context, n int) error {
		return w.noController(ctx, func(st state) error { return w.staysSo(ctx, st, seconds(n)) })
	})
	w.stateOfText(s, `(every) broker tells the id that the cluster was formatted with`, func(string) (state, error) {
		return state{words: "every broker tells the cluster id " + w.cluster.KafkaID, holds: w.allTellClusterID}, nil
	})
	s.then(`kafka-metadata-quorum\.sh shows `+brokerList+` as the voters and the quorum as it is`, w.statusShows)
}

// allTellClusterID demands the id of each broker, those that are cut off from the controllers included.
func (w *World) allTellClusterID(v cluster.View) (bool, error) {
	for _, id := range w.need.Topology.Brokers() {
		told, ok := v.Brokers[id]
		if !ok {
			told, ok = v.Apart[id]
		}
		switch {
		case !ok:
			return false, fmt.Errorf("broker %d tells nothing", id)
		case told.ClusterID != w.cluster.KafkaID:
			return false, fmt.Errorf("broker %d tells %q", id, told.ClusterID)
		}
	}
	return true, nil
}

// noObservers is an error while a node that does not vote is not heard of, as a voter nor as an observer, or was heard of as
// an observer and is silent: it may be one still.
func (w *World) noObservers(v cluster.View) (bool, error) {
	if v.Quorum.Leader < 0 {
		return false, errNobodyTells
	}
	if len(v.Quorum.Present()) > 0 {
		return false, nil
	}
	for _, id := range w.need.Topology.Nodes() {
		_, votes := v.Quorum.Voter(id)
		if !votes {
			return false, fmt.Errorf("%s does not vote, and the active controller has not heard of it lately: "+
				"that makes it no less an observer", w.called(id))
		}
		_, answers := v.Brokers[id]
		observed := slices.ContainsFunc(v.Quorum.Observers, func(o cluster.QuorumReplica) bool { return o.ID == id })
		if observed && !answers {
			return false, fmt.Errorf("%s was an observer too, with another directory, and does not answer", w.called(id))
		}
	}
	return true, nil
}

// noController makes the state in which there is no active controller. Nobody can tell it: brokers forward the question to
// the active controller, so that they do not answer where there is none, nor where they still look for the next one, which
// takes them longer than it takes that one to decide. It is proven by the voters that were told last: those that still run
// are no majority, nobody tells of an active controller, and nothing was decided since.
func (w *World) noController(ctx context.Context, do func(state) error) error {
	return w.kafka(func() error {
		last, ok := w.timeline.Last(func(v cluster.View) bool { return v.Quorum.Leader >= 0 && len(v.Quorum.Voters) > 0 })
		if !ok {
			return errors.New("no active controller was seen in this scenario, so that nobody knows who votes")
		}
		if err := w.noMajority(ctx, last.Quorum); err != nil {
			return err
		}
		err := do(state{words: "there is no active controller", holds: func(v cluster.View) (bool, error) {
			return v.Quorum.Leader < 0 && !decided(last, v), answered(v)
		}})
		if err != nil {
			return err
		}
		return w.noMajority(ctx, last.Quorum)
	})
}

// noMajority is an error while enough voters run to elect an active controller, or to keep one.
func (w *World) noMajority(ctx context.Context, q cluster.Quorum) error {
	var run []int
	for _, voter := range q.Voters {
		runs, err := w.runs(ctx, voter.ID)
		if err != nil {
			return err
		}
		if runs {
			run = append(run, voter.ID)
		}
	}
	if len(run) > len(q.Voters)/2 {
		return fmt.Errorf("wanted: there is no active controller; seen: %d of %d voters run, %v, which is a majority; "+
			"that they do not tell of an active controller proves nothing", len(run), len(q.Voters), run)
	}
	return nil
}

// decided reports that a broker tells of another registration, leader or ISR than it told before.
func decided(before, now cluster.View) bool {
	for id, told := range now.Brokers {
		was, ok := before.Brokers[id]
		if ok && (!slices.Equal(was.Registered, told.Registered) || !reflect.DeepEqual(was.Topics, told.Topics)) {
			return true
		}
	}
	return false
}

var errNobodyTells = errors.New("there is no active controller to tell")

// quorumState makes a state of what the active controller tells of the quorum; without one nothing is told.
func (w *World) quorumState(words string, holds func(cluster.Quorum) bool) func(string) (state, error) {
	return func(string) (state, error) {
		return state{words: words, holds: func(v cluster.View) (bool, error) {
			if v.Quorum.Leader < 0 {
				return false, errNobodyTells
			}
			return holds(v.Quorum), nil
		}}, nil
	}
}

// stateOfMembers registers the state in which the voters, or the observers, are exactly some brokers.
func (w *World) stateOfMembers(s *sentences, phrase, words string, members func(cluster.Quorum) []cluster.QuorumReplica) {
	w.stateOfText(s, phrase+" "+anyBrokers, func(text string) (state, error) {
		ids, err := w.parseAnyBrokers(text)
		if err != nil {
			return state{}, err
		}
		return w.quorumState(words+" "+brokers(ids), func(q cluster.Quorum) bool {
			var found []int
			for _, m := range members(q) {
				found = append(found, m.ID)
			}
			return sameIDs(found, ids)
		})("")
	})
}

// noneBehind waits until every voter has got further in the metadata log than the active controller was at the first look: one
// that is gone may have had all that there was. The active controller writes each metadata.max.idle.interval.ms at the least.
// It looks itself: a timeline keeps who is in the quorum, not how far each has got, which changes all the time.
func (w *World) noneBehind(ctx context.Context, n int) error {
	return w.kafka(func() error {
		what := "no voter is behind the active controller"
		end := int64(-1)
		_, err := wait.Until(ctx, what, seconds(n), func(ctx context.Context) (string, bool, error) {
			view, err := w.view(ctx)
			q := view.Quorum
			switch {
			case err != nil:
				return "", false, err
			case q.Leader < 0:
				return "", false, errNobodyTells
			case len(q.Voters) < 2:
				return "", false, wait.Stop(errors.New("there is only one voter, which is never behind itself"))
			case end < 0:
				end = endOf(q)
			}
			behind := behindOf(q, end)
			return fmt.Sprintf("%s, not past offset %d: %v", q, end, behind), len(behind) == 0, nil
		})
		return err
	})
}

// endOf is the end of the active controller's metadata log, or what is committed of it when it does not vote.
func endOf(q cluster.Quorum) int64 {
	if leader, ok := q.Voter(q.Leader); ok {
		return leader.LogEndOffset
	}
	return q.HighWatermark
}

// behindOf tells which voters have not got past an offset of the metadata log, and where they are.
func behindOf(q cluster.Quorum, end int64) []string {
	var behind []string
	for _, voter := range q.Voters {
		if voter.LogEndOffset <= end {
			behind = append(behind, fmt.Sprintf("voter %d at %d", voter.ID, voter.LogEndOffset))
		}
	}
	return behind
}

// statusShows compares what Kafka's own tool prints of the quorum with what the brokers tell before and after it.
func (w *World) statusShows(ctx context.Context, list string) error {
	return w.withBrokers(list, func(ids []int) error {
		before, err := w.view(ctx)
		if err != nil {
			return err
		}
		var status cluster.Status
		err = w.kafka(func() error {
			status, err = w.cluster.QuorumStatus(ctx)
			return err
		})
		if err != nil {
			return err
		}
		after, err := w.view(ctx)
		if err != nil {
			return err
		}
		w.suite.Print("kafka-metadata-quorum.sh: %+v", status)
		return statusIsOf(status, w.cluster.KafkaID, ids, before.Quorum, after.Quorum)
	})
}

// statusIsOf tells in what the status differs from the quorum around it. A quorum that has elected meanwhile has no one
// status.
func statusIsOf(status cluster.Status, clusterID string, ids []int, before, after cluster.Quorum) error {
	var problems []error
	want := func(what string, wanted, seen any) {
		if !reflect.DeepEqual(wanted, seen) {
			problems = append(problems, fmt.Errorf("wanted: %s %v; seen: %v", what, wanted, seen))
		}
	}
	if before.Epoch != after.Epoch {
		return fmt.Errorf("the quorum went from epoch %d to epoch %d meanwhile", before.Epoch, after.Epoch)
	}
	want("ClusterId", clusterID, status.ClusterID)
	want("LeaderId", before.Leader, status.Leader)
	want("LeaderEpoch", before.Epoch, status.Epoch)
	if status.HighWatermark < before.HighWatermark || status.HighWatermark > after.HighWatermark {
		want("HighWatermark", fmt.Sprintf("between %d and %d", before.HighWatermark, after.HighWatermark), status.HighWatermark)
	}
	if status.Lag < 0 || status.Lag > idleRecords {
		want("MaxFollowerLag", fmt.Sprintf("0, or %d for a record that is under way", idleRecords), status.Lag)
	}
	var members, known []string
	for _, id := range ids {
		voter, _ := after.Voter(id)
		voter.ID = id
		members = append(members, asPrinted(voter))
	}
	for _, voter := range status.Voters {
		known = append(known, asPrinted(voter))
	}
	slices.Sort(known)
	want("CurrentVoters", slices.Sorted(slices.Values(members)), known)
	return errors.Join(problems...)
}

// idleRecords is how many records of the metadata log may be under way to the followers when nothing is done: the active
// controller writes one each metadata.max.idle.interval.ms (500 ms).
const idleRecords = 1

// asPrinted is a voter with all that the tool says of it.
func asPrinted(v cluster.QuorumReplica) string { return fmt.Sprintf("%s at %v", v, v.Endpoints) }
