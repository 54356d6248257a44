package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
	"kafka-ha/fixtures"
)

const defaultTopic = "vehicle-telemetry-v1"

func (w *World) topicSentences(s *sentences) {
	s.action(`a topic (?:with|is created with) `+settings, func(ctx context.Context, partitions, factor, minISR int) error {
		return w.createTopic(ctx, defaultTopic, partitions, factor, minISR)
	})
	s.action(`a topic "([^"]+)" with `+settings, w.createTopic)
	s.action(`a topic "([^"]+)" with `+settings+` is requested`, w.requestTopic)
	s.action(`a topic "([^"]+)" with the replica assignment (\d[\d:,]*) and min\.insync\.replicas `+amount, w.createAssigned)
	s.action(`the topic is given `+amount+` more partitions`, w.addPartitions)
	s.action(`the topic has the setting ([a-z][a-z.]*)=(\S+)`, w.setTopic)
	s.then(`the request is refused with `+errorName, w.refusedWith)
	s.then(`the topic has `+settings, w.topicHas)
}

// spec is a topic as a sentence wants it; its pattern keeps the numbers small.
func (w *World) spec(called string, partitions, factor, minISR int) fixtures.TopicSpec {
	return fixtures.TopicSpec{
		Name: w.realName(called), Partitions: int32(partitions), ReplicationFactor: int16(factor), MinInSyncReplicas: minISR,
	}
}

// realName is a topic's name in the cluster: unique to the scenario.
func (w *World) realName(called string) string { return called + w.suffix }

// createTopic makes a topic and waits until every broker knows it with all replicas in sync.
func (w *World) createTopic(ctx context.Context, called string, partitions, factor, minISR int) error {
	wanted := w.spec(called, partitions, factor, minISR)
	return w.made(ctx, called, wanted, func() error { return w.create(ctx, wanted) })
}

// createAssigned is createTopic with the replicas where the sentence says, in its order.
func (w *World) createAssigned(ctx context.Context, called, assignment string, minISR int) error {
	to, err := cluster.ParseAssignment(assignment)
	if err != nil {
		return err
	}
	wanted := w.spec(called, len(to), len(to[0]), minISR)
	return w.made(ctx, called, wanted, func() error {
		return w.cluster.CreateAssignedTopic(ctx, wanted.Name, to, configs(wanted))
	})
}

func (w *World) made(ctx context.Context, called string, wanted fixtures.TopicSpec, create func() error) error {
	t := w.use(called, wanted)
	w.refusal = nil // of an earlier request
	return w.kafka(func() error {
		if err := create(); err != nil {
			return err
		}
		t.spec, t.refused = wanted, false
		return w.awaitServed(ctx, t)
	})
}

// awaitServed waits until every broker knows the topic with all replicas in sync, and every leader serves its partitions: a
// broker tells of a new partition a moment before it takes records for it (NOT_LEADER_OR_FOLLOWER until then).
func (w *World) awaitServed(ctx context.Context, t *topic) error {
	if _, err := w.cluster.AwaitSync(ctx, t.spec.Name); err != nil {
		return err
	}
	_, err := w.endOffsetsOf(ctx, t)
	return err
}

func (w *World) create(ctx context.Context, spec fixtures.TopicSpec) error {
	return w.cluster.CreateTopic(ctx, spec.Name, int(spec.Partitions), int(spec.ReplicationFactor), configs(spec))
}

// configs are a topic's settings: min.insync.replicas is set on the topic, since ELR ignores the broker's (KIP-966).
func configs(spec fixtures.TopicSpec) map[string]string {
	return map[string]string{"min.insync.replicas": strconv.Itoa(spec.MinInSyncReplicas)}
}

// requestTopic asks for a topic that may be refused; the answer is for a Then.
func (w *World) requestTopic(ctx context.Context, called string, partitions, factor, minISR int) error {
	wanted := w.spec(called, partitions, factor, minISR)
	before, _ := w.named(called)
	had := before != nil && before.isThere()
	return w.noteRequest(w.use(called, wanted), wanted, had, w.create(ctx, wanted))
}

// isThere reports whether the topic was made, or may have been, as far as the scenario knows.
func (t *topic) isThere() bool { return !t.refused && t.spec.Partitions != 0 }

// noteRequest keeps the answer to a request for a topic. One that the scenario had before is there all the same, and only
// some errors tell that a new one was not made: what was only not answered in time may be made still.
func (w *World) noteRequest(t *topic, wanted fixtures.TopicSpec, had bool, answer error) error {
	refusal, ok := errors.AsType[*kerr.Error](answer)
	if answer != nil && !ok {
		return answer // nobody answered: that is no refusal
	}
	w.refusal, t.refused = answer, !had && slices.Contains(notMade, refusal)
	if answer == nil {
		t.spec = wanted
	}
	return nil
}

// notMade are the errors with which a controller says that it makes no such topic.
var notMade = []*kerr.Error{
	kerr.InvalidReplicationFactor, kerr.InvalidPartitions, kerr.InvalidReplicaAssignment, kerr.InvalidTopicException,
	kerr.InvalidConfig, kerr.InvalidRequest, kerr.PolicyViolation, kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed,
}

func (w *World) refusedWith(name string) error {
	if err := knownError(name); err != nil {
		return err
	}
	if w.refusal == nil {
		return fmt.Errorf("wanted: refused with %s; seen: the request was granted, or none was made", name)
	}
	var refusal *kerr.Error
	if !errors.As(w.refusal, &refusal) || refusal.Message != name {
		return fmt.Errorf("wanted: refused with %s; seen: %w", name, w.refusal)
	}
	return nil
}

// setTopic sets a setting of the topic in use and waits until it is in force.
func (w *World) setTopic(ctx context.Context, key, value string) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		w.forget()
		if err := w.cluster.SetTopicSetting(ctx, t.spec.Name, key, value); err != nil {
			return err
		}
		what := fmt.Sprintf("%s=%s of topic %s", key, value, t.spec.Name)
		_, err := wait.Until(ctx, what, w.agree, func(ctx context.Context) (string, bool, error) {
			now, err := w.cluster.TopicSetting(ctx, t.spec.Name, key)
			return now, now == value, err
		})
		return err
	})
}

// addPartitions waits until every broker knows the new partitions, all in sync.
func (w *World) addPartitions(ctx context.Context, more int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		w.forget()
		if err := w.cluster.AddPartitions(ctx, t.spec.Name, more); err != nil {
			return err
		}
		t.spec.Partitions += int32(more)
		return w.awaitPartitions(ctx, t)
	})
}

func (w *World) awaitPartitions(ctx context.Context, t *topic) error {
	what := fmt.Sprintf("every broker knows %d partitions of %s", t.spec.Partitions, t.spec.Name)
	_, err := wait.Until(ctx, what, seconds(10), func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		partitions, err := view.Topic(t.spec.Name)
		return view, len(partitions) == int(t.spec.Partitions), err
	})
	if err != nil {
		return err
	}
	return w.awaitServed(ctx, t)
}

func (w *World) topicHas(ctx context.Context, partitions, factor, minISR int) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s has %d partitions with %d replicas each", t.spec.Name, partitions, factor)
	st := state{words: what, holds: func(v cluster.View) (bool, error) {
		found, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		for _, p := range found {
			if len(p.Replicas) != factor {
				return false, nil
			}
		}
		return len(found) == partitions, nil
	}}
	if err := w.isSo(ctx, st); err != nil {
		return err
	}
	value, err := w.cluster.TopicSetting(ctx, t.spec.Name, "min.insync.replicas")
	if err != nil {
		return err
	}
	if value != strconv.Itoa(minISR) {
		return fmt.Errorf("%s min.insync.replicas is %s, want %d", t.spec.Name, value, minISR)
	}
	return nil
}
