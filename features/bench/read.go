package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

// judge reads the topic back beside its ledger and judges; anything but a proof is an error.
func (s *site) judge(ctx context.Context, topic string, l load, book *ledger.Ledger) (run, error) {
	began := time.Now()
	if _, err := traffic.ReadBack(ctx, s.bootstrap, topic, book); err != nil {
		return run{}, err
	}
	if err := book.Sync(); err != nil {
		return run{}, err
	}
	v, err := verdict.Judge(book.Dir())
	if err == nil {
		err = v.Err()
	}
	return run{records: l.records, took: time.Since(began)}, err
}

// readBack reads the topic back beside its ledger without judging, to tell the two apart.
func (s *site) readBack(ctx context.Context, topic string, l load, book *ledger.Ledger) (run, error) {
	began := time.Now()
	_, err := traffic.ReadBack(ctx, s.bootstrap, topic, book)
	return run{records: l.records, took: time.Since(began)}, err
}

// read reads the topic to the end offsets with a plain client, and counts.
func (s *site) read(ctx context.Context, topic string, l load) (run, error) {
	began := time.Now()
	client, err := kgo.NewClient(kgo.SeedBrokers(s.bootstrap...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return run{}, fmt.Errorf("plain reader: %w", err)
	}
	defer client.Close()
	for n := 0; n < l.records; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return run{}, fmt.Errorf("plain reader: %w", err)
		}
		for it := fetches.RecordIter(); !it.Done(); it.Next() {
			n++
		}
	}
	return run{records: l.records, took: time.Since(began)}, nil
}
