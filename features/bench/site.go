package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/cluster"
	"kafka-ha/cluster/engine"
	"kafka-ha/fixtures"
	"kafka-ha/fixtures/traffic"
)

// site is where all is measured: one cluster, and topics of which one exists at a time.
type site struct {
	plan
	session   *engine.Session
	scratch   string // folder for ledgers, which goes with the session however this process ends
	image     engine.Image
	cluster   *cluster.Cluster
	bootstrap []string
	client    *kgo.Client
	admin     *kadm.Client
	topics    int  // made so far
	warmUp    bool // ProducerPerformance knows --warmup-records
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func open(ctx context.Context, p plan) (*site, error) {
	s := &site{plan: p}
	progress := func(line string) { say("%s", line) }
	var err error
	if s.session, err = engine.Begin(ctx, false, progress); err != nil {
		return nil, err
	}
	say("starting three brokers")
	s.scratch, err = s.session.Scratch()
	if err == nil {
		s.image, err = s.session.ChooseImage(ctx, progress)
	}
	if err == nil {
		s.cluster, err = cluster.Start(ctx, cluster.On(s.session), cluster.WithImage(s.image), cluster.WithProgress(progress))
	}
	if err == nil {
		say("%s", s.cluster.Head)
		s.bootstrap = s.cluster.Bootstrap()
		s.client, err = kgo.NewClient(kgo.SeedBrokers(s.bootstrap...), kgo.MetadataMinAge(100*time.Millisecond))
	}
	if err == nil {
		s.admin = kadm.NewClient(s.client)
		s.warmUp, err = s.knowsWarmUp(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *site) close(ctx context.Context) error {
	if s.client != nil {
		s.client.Close()
	}
	return s.session.End(ctx, false) // removes the cluster too
}

// onTopic gives do a new topic and deletes it afterwards.
func (s *site) onTopic(ctx context.Context, do func(topic string) error) error {
	s.topics++
	spec := fixtures.TopicSpec{
		Name: fmt.Sprintf("bench-%d", s.topics), Partitions: 12, ReplicationFactor: 3, MinInSyncReplicas: 2,
		Configs: map[string]string{"file.delete.delay.ms": "1000"}, // or a minute of deleted topics fills the disk
	}
	if _, err := fixtures.Initialise(ctx, s.bootstrap, spec, nil); err != nil {
		return err
	}
	if _, err := s.cluster.AwaitSync(ctx, spec.Name); err != nil {
		return err
	}
	if err := do(spec.Name); err != nil {
		return err
	}
	_, err := s.admin.DeleteTopic(ctx, spec.Name)
	if err != nil {
		return fmt.Errorf("delete topic %s: %w", spec.Name, err)
	}
	return nil
}

// holds checks that a topic has exactly so many records: a client that lost some would have been fast.
func (s *site) holds(ctx context.Context, topic string, want int) error {
	bounds, err := traffic.Offsets(ctx, s.bootstrap, topic)
	if err != nil {
		return err
	}
	if got := traffic.EndOffsetSum(bounds); got != int64(want) {
		return fmt.Errorf("%s holds %d records, want %d", topic, got, want)
	}
	return nil
}
