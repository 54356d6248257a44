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
	w.stateOfText(s, `no (broker) is an observer`, w.quorumState("no broker is an observer", func(q cluster.Quorum) bool {
		return len(q.Present()) == 0
	}))
	s.then(within+`no voter is behind the active controller`, w.noneBehind)
	w.stateOfText(s, `there is (no) active controller`, func(string) (state, error) {
		return state{words: "there is no active controller", holds: func(v cluster.View) (bool, error) {
			return v.Quorum.Leader < 0, answered(v)
		}}, nil
	})
	w.stateOfText(s, `(every) broker tells the id that the cluster was formatted with`, func(string) (state, error) {
		return state{words: "every broker tells the cluster id " + w.cluster.KafkaID, holds: func(v cluster.View) (bool, error) {
			for _, seen := range v.Brokers {
				if seen.ClusterID != w.cluster.KafkaID {
					return false, fmt.Errorf("one tells %q", seen.ClusterID)
				}
			}
			return len(v.Silent) == 0, answered(v)
		}}, nil
	})
	s.then(`kafka-metadata-quorum\.sh shows `+brokerList+` as the voters and the quorum as it is`, w.statusShows)
}

// quorumState makes a state of what the active controller tells of the quorum; without one nothing is told.
func (w *World) quorumState(words string, holds func(cluster.Quorum) bool) func(string) (state, error) {
	return func(string) (state, error) {
		return state{words: words, holds: func(v cluster.View) (bool, error) {
			if v.Quorum.Leader < 0 {
				return false, errors.New("there is no active controller to tell")
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

// noneBehind looks itself: a timeline keeps who is in the quorum, not how far each has got, which changes all the time.
func (w *World) noneBehind(ctx context.Context, n int) error {
	return w.kafka(func() error {
		what := "no voter is behind the active controller"
		_, err := wait.Until(ctx, what, seconds(n), func(ctx context.Context) (string, bool, error) {
			view, err := w.view(ctx)
			if err == nil && view.Quorum.Leader < 0 {
				err = errors.New("there is no active controller to tell")
			}
			if err != nil {
				return "", false, err
			}
			behind := behindOf(view.Quorum)
			return fmt.Sprintf("%s, behind: %v", view.Quorum, behind), len(behind) == 0, nil
		})
		return err
	})
}

// behindOf tells which voters are behind the active controller, and by how many records of the metadata log.
func behindOf(q cluster.Quorum) []string {
	var behind []string
	for _, voter := range q.Voters {
		if n := q.Behind(voter); n != 0 {
			behind = append(behind, fmt.Sprintf("voter %d by %d", voter.ID, n))
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
