package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

func (w *World) leaderSentences(s *sentences) {
	s.action(`the preferred leaders are elected`, w.electPreferred)
	s.then(`every new leader was in the ISR before`, func(ctx context.Context) error { return w.eachNewLeader(ctx, wasInSync) })
	s.then(`every new leader is the first live in-sync replica of its partition`, func(ctx context.Context) error {
		return w.eachNewLeader(ctx, isFirstInSync)
	})
}

// electPreferred asks for the election once every replica is back in the ISR: one that is not cannot be elected.
func (w *World) electPreferred(ctx context.Context) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		if _, err := w.cluster.AwaitSync(ctx, t.spec.Name); err != nil {
			return err
		}
		return w.cluster.ElectPreferred(ctx, t.spec.Name)
	})
}

// wasInSync is the promise that no record is lost with the old leader.
func wasInSync(before, now cluster.Partition, _ []int) error {
	if !slices.Contains(before.ISR, now.Leader) {
		return fmt.Errorf("%s is led by broker %d, which was not in the ISR %v", now.Name(), now.Leader, before.ISR)
	}
	return nil
}

// isFirstInSync is the controller's rule for choosing among the live replicas in the ISR: the order of the list.
func isFirstInSync(before, now cluster.Partition, lost []int) error {
	for _, replica := range before.Replicas {
		if slices.Contains(lost, replica) || !slices.Contains(before.ISR, replica) {
			continue
		}
		if now.Leader != replica {
			return fmt.Errorf("%s is led by broker %d; replicas %v, ISR before %v, lost %v: want broker %d",
				now.Name(), now.Leader, before.Replicas, before.ISR, lost, replica)
		}
		return nil
	}
	return fmt.Errorf("%s has leader %d although no replica of %v is live and in sync", now.Name(), now.Leader, before.Replicas)
}

// newLeadersWithin bounds the wait for new leaders where the feature has not waited for them itself: the default
// broker.session.timeout.ms (9 s) and an election.
const newLeadersWithin = 15

// eachNewLeader compares, for each partition that a lost broker led, the state right before the first open loss with
// the state once it has another leader. Without such a partition nothing would be proven, so that is an error.
func (w *World) eachNewLeader(ctx context.Context, compare func(before, now cluster.Partition, lost []int) error) error {
	t, err := w.topicInUse()
	if err != nil {
		return err
	}
	var lost []int
	for _, l := range w.faults.Open() {
		lost = append(lost, l.Fault.Node())
	}
	if len(lost) == 0 {
		return errors.New("no broker is lost, so there is no new leader to look at")
	}
	before, err := w.losses[lost[0]].before.Topic(t.spec.Name)
	if err != nil {
		return err
	}
	var view cluster.View
	err = w.kafka(func() error {
		view, err = w.awaitLeadersElsewhere(ctx, t, lost)
		return err
	})
	if err != nil {
		return err
	}
	now, err := view.Topic(t.spec.Name)
	if err != nil {
		return err
	}
	return compareMoved(before, now, lost, compare)
}

func (w *World) awaitLeadersElsewhere(ctx context.Context, t *topic, lost []int) (cluster.View, error) {
	st, err := w.perPartition("", func(p cluster.Partition) bool { return p.Leader > 0 && !slices.Contains(lost, p.Leader) })
	if err != nil {
		return cluster.View{}, err
	}
	what := fmt.Sprintf("every partition of %s is led by a live broker (broker.session.timeout.ms 9s)", t.spec.Name)
	return wait.Until(ctx, what, seconds(newLeadersWithin), func(ctx context.Context) (cluster.View, bool, error) {
		view, err := w.view(ctx)
		if err != nil {
			return view, false, err
		}
		ok, err := st.holds(view)
		return view, ok, err
	})
}

func compareMoved(before, now []cluster.Partition, lost []int, compare func(before, now cluster.Partition, lost []int) error) error {
	moved := 0
	var problems []error
	for i, was := range before {
		if !slices.Contains(lost, was.Leader) {
			continue
		}
		moved++
		problems = append(problems, compare(was, now[i], lost))
	}
	if moved == 0 {
		return fmt.Errorf("%s led no partition before, so there is no new leader to look at", brokers(lost))
	}
	return errors.Join(problems...)
}
