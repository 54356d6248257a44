package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Assignment says which brokers have the replicas of each partition of a topic, in the order of preference: the first
// of a list is the partition's preferred leader.
type Assignment [][]int

// ParseAssignment reads an assignment as Kafka's tools take it: "1:2:3,2:3:1" are two partitions. As in Kafka, all
// partitions have equally many replicas, and a broker has one replica of a partition at the most.
func ParseAssignment(text string) (Assignment, error) {
	var all Assignment
	for list := range strings.SplitSeq(text, ",") {
		var replicas []int
		twice := map[int]bool{}
		for word := range strings.SplitSeq(list, ":") {
			id, err := strconv.Atoi(word)
			if err != nil || id < 0 || id > maxBrokerID {
				return nil, fmt.Errorf("replica assignment %q: %q is no broker id; write it as in 1:2:3,2:3:1", text, word)
			}
			if twice[id] {
				return nil, fmt.Errorf("replica assignment %q: broker %d stands twice in %s", text, id, list)
			}
			twice[id] = true
			replicas = append(replicas, id)
		}
		if len(all) > 0 && len(replicas) != len(all[0]) {
			return nil, fmt.Errorf("replica assignment %q: partitions with %d and with %d replicas", text, len(all[0]), len(replicas))
		}
		all = append(all, replicas)
	}
	return all, nil
}

// maxBrokerID is far above any id of the suite's, and fits into what the protocol has for it.
const maxBrokerID = 1<<16 - 1

// CreateAssignedTopic asks the controller for a topic whose replicas are where the assignment says. Refusals are Kafka's own
// errors, for errors.Is with package kerr.
func (c *Cluster) CreateAssignedTopic(ctx context.Context, name string, to Assignment, settings map[string]string) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic = name
	topic.NumPartitions, topic.ReplicationFactor = -1, -1 // what the assignment says
	for partition, replicas := range to {
		assigned := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		assigned.Partition = int32(partition) // as many as a sentence has room for
		for _, id := range replicas {
			assigned.Replicas = append(assigned.Replicas, int32(id)) // at most maxBrokerID
		}
		topic.ReplicaAssignment = append(topic.ReplicaAssignment, assigned)
	}
	for key, value := range settings {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = key, &value
		topic.Configs = append(topic.Configs, config)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, topic)
	req.TimeoutMillis = int32(adminWithin.Milliseconds())
	return c.session(ctx, func(ctx context.Context, session *kgo.Client) error {
		answer, err := req.RequestWith(ctx, session)
		if err != nil {
			return fmt.Errorf("create topic %s: %w", name, err)
		}
		for _, made := range answer.Topics {
			if err := kerr.ErrorForCode(made.ErrorCode); err != nil {
				return fmt.Errorf("create topic %s: %w", name, withMessage(err, made.ErrorMessage))
			}
		}
		return nil
	})
}
