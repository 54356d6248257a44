package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kafka-ha/cluster"
)

// perPartition is a state that holds when each partition of the topic in use is as it should be.
func (w *World) perPartition(words string, ok func(cluster.Partition) bool) (state, error) {
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: words, holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		return len(partitions) > 0 && !slices.ContainsFunc(partitions, func(p cluster.Partition) bool { return !ok(p) }), nil
	}}, nil
}

func (w *World) stateSentences(s *sentences) {
	w.stateOfBrokers(s, `every partition is led by`, func(p cluster.Partition, ids []int) bool {
		return slices.Contains(ids, p.Leader)
	})
	w.stateOfBrokers(s, `the ISR of every partition is`, func(p cluster.Partition, ids []int) bool {
		return sameIDs(p.ISR, ids)
	})
	w.stateOfBrokers(s, `the replicas of every partition are on`, func(p cluster.Partition, ids []int) bool {
		return sameIDs(p.Replicas, ids)
	})
	w.stateOfBrokers(s, `no partition is led by`, func(p cluster.Partition, ids []int) bool {
		return !slices.Contains(ids, p.Leader)
	})
	w.stateOfBrokers(s, `no ISR contains`, func(p cluster.Partition, ids []int) bool {
		return !slices.ContainsFunc(ids, func(id int) bool { return slices.Contains(p.ISR, id) })
	})
	w.stateOfCounts(s)
	w.stateOfTopics(s)
}

func (w *World) stateOfCounts(s *sentences) {
	w.stateOfText(s, `every broker leads exactly (\d{1,5}) partitions`, func(n string) (state, error) {
		return w.spread(n, "leads", cluster.Partition.LedBy)
	})
	w.stateOfText(s, `every broker follows exactly (\d{1,5}) partitions`, func(n string) (state, error) {
		return w.spread(n, "follows", cluster.Partition.FollowedBy)
	})
	w.stateOfText(s, `brokers 1, 2 and 3 lead (\d{1,5}, \d{1,5} and \d{1,5}) partitions`, w.leaders)
	w.stateOfRegistration(s, "registered", true)
	w.stateOfRegistration(s, "fenced", false)
	w.stateOfText(s, `(another broker) is the active controller`, func(string) (state, error) {
		was, err := w.whoPlayed("the active controller")
		return state{words: "another broker is the active controller", holds: func(v cluster.View) (bool, error) {
			return v.Quorum.Leader >= 0 && v.Quorum.Leader != was, nil
		}}, err
	})
	w.stateOfText(s, `exactly (\d{1,5}) partitions are offline`, w.offline)
}

func (w *World) stateOfTopics(s *sentences) {
	w.stateOfText(s, `no broker knows the topic "([^"]+)"`, func(name string) (state, error) {
		t, err := w.named(name) // one that nobody asked for is never known, which proves nothing
		if err != nil {
			return state{}, err
		}
		name = t.spec.Name
		return state{words: "no broker knows the topic " + name, holds: func(v cluster.View) (bool, error) {
			return !slices.Contains(v.Topics(true), name), answered(v)
		}}, nil
	})
	w.stateOfText(s, `no broker knows (a|any) user topic`, func(string) (state, error) {
		return state{words: "no broker knows a user topic", holds: func(v cluster.View) (bool, error) {
			return len(v.Topics(false)) == 0, answered(v)
		}}, nil
	})
}

// stateOfRegistration registers the state in which the controllers take all of some brokers for alive, or none of them.
func (w *World) stateOfRegistration(s *sentences, word string, alive bool) {
	w.stateOfText(s, anyBrokers+` (?:is|are) `+word, func(text string) (state, error) {
		ids, err := w.parseAnyBrokers(text)
		return state{words: word + ": " + brokers(ids), holds: func(v cluster.View) (bool, error) {
			registered, err := v.Registered()
			return !slices.ContainsFunc(ids, func(id int) bool { return slices.Contains(registered, id) != alive }), err
		}}, err
	})
}

// answered is an error when no broker answers: then nothing is known of topics, which is not the same as no topic.
func answered(v cluster.View) error {
	if len(v.Brokers) == 0 {
		return errors.New("no broker answers")
	}
	return nil
}

// spread is the state in which each broker has its role for exactly n partitions of the topic in use.
func (w *World) spread(count, verb string, has func(cluster.Partition, int) bool) (state, error) {
	n, err := parseCount(count)
	if err != nil {
		return state{}, err
	}
	return w.having(fmt.Sprintf("every broker %s exactly %d partitions", verb, n), []int{n, n, n}, has)
}

// leaders is the state in which the brokers lead so many partitions of the topic in use, each its own number.
func (w *World) leaders(counts string) (state, error) {
	var want []int
	for _, word := range strings.Fields(strings.NewReplacer(",", "", "and", "").Replace(counts)) {
		n, err := parseCount(word)
		if err != nil {
			return state{}, err
		}
		want = append(want, n)
	}
	return w.having("brokers 1, 2 and 3 lead "+counts+" partitions", want, cluster.Partition.LedBy)
}

// having is the state in which the brokers, in order of their ids, have a role for so many partitions of the topic in use.
func (w *World) having(words string, want []int, has func(cluster.Partition, int) bool) (state, error) {
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: words, holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		having := make([]int, len(brokerIDs))
		for i, id := range brokerIDs {
			for _, p := range partitions {
				if has(p, id) {
					having[i]++
				}
			}
		}
		return slices.Equal(having, want), nil
	}}, nil
}

// stateOfBrokers registers a state that holds when ok does for each partition and the brokers of the sentence. The
// phrase, with the brokers behind it, is both what a feature may say and what a failure says was wanted.
func (w *World) stateOfBrokers(s *sentences, phrase string, ok func(p cluster.Partition, ids []int) bool) {
	w.stateOfText(s, phrase+" "+anyBrokers, func(text string) (state, error) {
		ids, err := w.parseAnyBrokers(text)
		if err != nil {
			return state{}, err
		}
		return w.perPartition(phrase+" "+brokers(ids), func(p cluster.Partition) bool { return ok(p, ids) })
	})
}

// offline is the state in which exactly n partitions of the topic in use have no leader.
func (w *World) offline(count string) (state, error) {
	n, err := parseCount(count)
	if err != nil {
		return state{}, err
	}
	t, err := w.topicInUse()
	if err != nil {
		return state{}, err
	}
	return state{words: fmt.Sprintf("exactly %d partitions are offline", n), holds: func(v cluster.View) (bool, error) {
		partitions, err := v.Topic(t.spec.Name)
		if err != nil {
			return false, err
		}
		offline := slices.DeleteFunc(slices.Clone(partitions), func(p cluster.Partition) bool { return p.Leader >= 0 })
		return len(offline) == n, nil
	}}, nil
}
