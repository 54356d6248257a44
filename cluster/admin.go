package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// adminWithin bounds one administrative request: controller.quorum.request.timeout.ms is 2 s, and a request may meet
// a quorum that is just electing (controller.quorum.election.timeout.ms 1 s, with back-off).
const adminWithin = 20 * time.Second

// admin runs do with an administrative client.
func (c *Cluster) admin(ctx context.Context, do func(context.Context, *kadm.Client) error) error {
	return c.session(ctx, func(ctx context.Context, session *kgo.Client) error { return do(ctx, kadm.NewClient(session)) })
}

// session runs do with a client for administrative requests that knows all brokers and never sees old metadata.
func (c *Cluster) session(ctx context.Context, do func(context.Context, *kgo.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, adminWithin)
	defer cancel()
	session, err := kgo.NewClient(
		kgo.SeedBrokers(c.Bootstrap()...), kgo.ClientID("kafka-ha-admin"), kgo.MetadataMinAge(100*time.Millisecond),
		kgo.DialTimeout(askWithin), kgo.RetryTimeout(adminWithin),
	)
	if err != nil {
		return fmt.Errorf("admin client: %w", err)
	}
	defer session.Close()
	return do(ctx, session)
}

// CreateTopic asks the controller for a topic. Refusals are Kafka's own errors, for errors.Is with package kerr.
func (c *Cluster) CreateTopic(ctx context.Context, name string, partitions, replicationFactor int, settings map[string]string) error {
	return c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		configs := map[string]*string{}
		for key, value := range settings {
			configs[key] = &value
		}
		made, err := admin.CreateTopic(ctx, int32(partitions), int16(replicationFactor), configs, name)
		if err == nil {
			err = made.Err
		}
		if err != nil {
			return fmt.Errorf("create topic %s: %w", name, err)
		}
		return nil
	})
}

// AddPartitions raises a topic's partition count by some.
func (c *Cluster) AddPartitions(ctx context.Context, topic string, add int) error {
	return c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.CreatePartitions(ctx, add, topic)
		if err == nil {
			err = answers.Error()
		}
		if err != nil {
			return fmt.Errorf("add %d partitions to %s: %w", add, topic, err)
		}
		return nil
	})
}

// Unregister has the controller forget a broker, which must be lost: it does not count any more. When it comes back, it
// registers anew.
func (c *Cluster) Unregister(ctx context.Context, id int) error {
	req := kmsg.NewPtrUnregisterBrokerRequest()
	req.BrokerID = int32(id) // one of the cluster's
	return c.session(ctx, func(ctx context.Context, session *kgo.Client) error {
		answer, err := req.RequestWith(ctx, session)
		if err == nil {
			err = kerr.ErrorForCode(answer.ErrorCode)
		}
		if err != nil {
			return fmt.Errorf("unregister broker %d: %w", id, err)
		}
		return nil
	})
}

// DeleteTopics deletes topics; those that are gone already are no error.
func (c *Cluster) DeleteTopics(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	return c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.DeleteTopics(ctx, names...)
		if err != nil {
			return fmt.Errorf("delete topics: %w", err)
		}
		for _, answer := range answers.Sorted() {
			if answer.Err != nil && !errors.Is(answer.Err, kerr.UnknownTopicOrPartition) {
				return fmt.Errorf("delete topic %s: %w", answer.Topic, answer.Err)
			}
		}
		return nil
	})
}

// ElectPreferred asks the controller to make the preferred replica of each partition of the topics its leader. A
// partition that has its preferred leader already is no error.
func (c *Cluster) ElectPreferred(ctx context.Context, topics ...string) error {
	view, err := c.View(ctx)
	if err != nil {
		return err
	}
	set := kadm.TopicsSet{}
	for _, topic := range topics {
		partitions, err := view.Topic(topic)
		if err != nil {
			return fmt.Errorf("elect preferred leaders: %w", err)
		}
		for _, p := range partitions {
			set.Add(topic, int32(p.ID))
		}
	}
	if len(set) == 0 {
		return nil
	}
	return c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, set)
		if err != nil {
			return fmt.Errorf("elect preferred leaders: %w", err)
		}
		for _, partitions := range answers {
			for _, answer := range partitions {
				if answer.Err != nil && !errors.Is(answer.Err, kerr.ElectionNotNeeded) {
					return fmt.Errorf("elect preferred leader of %s-%d: %w", answer.Topic, answer.Partition, answer.Err)
				}
			}
		}
		return nil
	})
}

// TopicSetting returns the value in force of one setting of a topic, for example "min.insync.replicas".
func (c *Cluster) TopicSetting(ctx context.Context, topic, key string) (string, error) {
	var value string
	err := c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.DescribeTopicConfigs(ctx, topic)
		if err != nil {
			return fmt.Errorf("settings of topic %s: %w", topic, err)
		}
		answer, err := answers.On(topic, nil)
		if err == nil {
			err = answer.Err
		}
		if err != nil {
			return fmt.Errorf("settings of topic %s: %w", topic, err)
		}
		for _, config := range answer.Configs {
			if config.Key == key {
				value = config.MaybeValue()
				return nil
			}
		}
		return fmt.Errorf("topic %s has no setting %s", topic, key)
	})
	return value, err
}

// SetTopicSetting sets one setting of a topic; what Kafka does not know is INVALID_CONFIG.
func (c *Cluster) SetTopicSetting(ctx context.Context, topic, key, value string) error {
	return c.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic)
		if err == nil {
			_, err = answers.On(topic, func(answer *kadm.AlterConfigsResponse) error { return answer.Err })
		}
		if err != nil {
			return fmt.Errorf("set %s of topic %s to %q: %w", key, topic, value, err)
		}
		return nil
	})
}
