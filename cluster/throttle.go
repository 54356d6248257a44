package cluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
)

// Names of Kafka's replication throttle, which are dynamic settings of a topic and of a broker.
const (
	throttledReplicas = "follower.replication.throttled.replicas"
	throttledRate     = "follower.replication.throttled.rate"
)

// Throttle bounds how many bytes a second the broker fetches of a topic as a follower. Kafka spares replicas that are up
// with the high watermark, which those of an ISR are: only one that is behind is held back.
func (b *Broker) Throttle(ctx context.Context, topic string, bytesPerSecond int) error {
	if err := b.cluster.SetTopicSetting(ctx, topic, throttledReplicas, "*"); err != nil {
		return err
	}
	rate := strconv.Itoa(bytesPerSecond)
	return b.alter(ctx, kadm.AlterConfig{Op: kadm.SetConfig, Name: throttledRate, Value: &rate})
}

// Unthrottle lets the broker fetch as fast as it can. For one that is not throttled it does nothing.
func (b *Broker) Unthrottle(ctx context.Context) error {
	return b.alter(ctx, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: throttledRate})
}

func (b *Broker) alter(ctx context.Context, config kadm.AlterConfig) error {
	return b.cluster.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		name := strconv.Itoa(b.ID)
		answers, err := admin.AlterBrokerConfigs(ctx, []kadm.AlterConfig{config}, int32(b.ID)) // ids fit
		if err == nil {
			_, err = answers.On(name, func(answer *kadm.AlterConfigsResponse) error { return answer.Err })
		}
		if err != nil {
			return fmt.Errorf("alter %s of %s: %w", config.Name, b, err)
		}
		return nil
	})
}
