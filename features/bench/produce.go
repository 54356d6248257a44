package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/fixtures"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/trace"
	"kafka-ha/fixtures/traffic"
)

// load is what each subject of a comparison sends.
type load struct {
	value   int // bytes of a record's value
	records int
}

const bufferBytes = 32 << 20 // buffer.memory, Kafka's default

// buffered is bufferBytes in records, since kgo counts both and blocks by the first.
func (l load) buffered() int { return bufferBytes / (l.value + 60) }

// ours sends with full accounting, until the ledger has every outcome. after may be nil; it is not measured.
func (s *site) ours(ctx context.Context, topic string, l load, after func(*ledger.Ledger) error) (r run, err error) {
	dir, err := os.MkdirTemp(s.scratch, "ledger-")
	if err != nil {
		return run{}, fmt.Errorf("ledger directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	book, err := ledger.Create(dir, ledger.NewRunID(), topic)
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	began := time.Now()
	p, err := traffic.Start(ctx, traffic.Config{
		Bootstrap: s.bootstrap, Topic: topic, Ledger: book, ValueSize: l.value, MaxBuffered: l.buffered(),
		Compression: []kgo.CompressionCodec{kgo.NoCompression()},
		ClientOpts:  []kgo.Opt{kgo.ProducerBatchMaxBytes(int32(s.batch)), kgo.ProducerLinger(s.linger)},
	}, trace.First(trace.Endless(), l.records))
	if err != nil {
		return run{}, err
	}
	if err = p.Wait(ctx); err == nil {
		err = book.Sync()
	}
	r = run{records: l.records, took: time.Since(began)}
	seen, stopped := p.Stop(ctx)
	if err = errors.Join(err, stopped); err == nil && seen.Acknowledged != uint64(l.records) { // not negative
		err = fmt.Errorf("%s: wanted: %d events acknowledged; seen: %s", topic, l.records, seen.Counts)
	}
	if err == nil && after != nil {
		err = after(book)
	}
	return r, err
}

// accounted is ours as one of those that are compared.
func (s *site) accounted(ctx context.Context, topic string, l load) (run, error) {
	return s.ours(ctx, topic, l, nil)
}

// plainRecord is a record in one allocation, as ours are.
type plainRecord struct {
	kgo.Record
	header [1]kgo.RecordHeader
	id     [ledger.EventIDSize]byte
}

// plain sends the same records with the same options and counts nothing but errors.
func (s *site) plain(ctx context.Context, topic string, l load) (run, error) {
	keys, values, err := parts(l.value)
	if err != nil {
		return run{}, err
	}
	began := time.Now()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(s.bootstrap...), kgo.DefaultProduceTopic(topic), kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerBatchMaxBytes(int32(s.batch)), kgo.ProducerLinger(s.linger), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.MaxBufferedRecords(l.buffered()), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
		kgo.ProduceRequestTimeout(traffic.RequestTimeout), kgo.RecordDeliveryTimeout(2*time.Minute), kgo.UnknownTopicRetries(-1),
	)
	if err != nil {
		return run{}, fmt.Errorf("plain client: %w", err)
	}
	defer client.Close()
	unending := context.WithoutCancel(ctx) // as in ours: a context that can end is looked at for each record
	var failed atomic.Int64
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.Add(1)
		}
	}
	for n := range l.records {
		r := &plainRecord{}
		id := ledger.EventID{Run: 1, Sequence: uint64(n + 1)} // not negative
		r.header[0] = kgo.RecordHeader{Key: fixtures.EventIDHeader, Value: id.AppendBinary(r.id[:0])}
		r.Key, r.Value, r.Headers = keys[n%len(keys)], values[n%len(values)], r.header[:]
		client.Produce(unending, &r.Record, promise)
	}
	if err = client.Flush(ctx); err == nil && failed.Load() > 0 {
		err = fmt.Errorf("%d of %d records failed", failed.Load(), l.records)
	}
	if err != nil {
		return run{}, fmt.Errorf("%s: plain client: %w", topic, err)
	}
	return run{records: l.records, took: time.Since(began)}, nil
}

// parts returns the trace's keys in order, and values that are made ahead.
func parts(value int) (keys, values [][]byte, err error) {
	source, err := trace.Embedded()
	if err != nil {
		return nil, nil, err
	}
	for pos, err := range source.All() {
		if err != nil {
			return nil, nil, err
		}
		keys = append(keys, []byte(pos.Vehicle))
	}
	for line := range lines(value) {
		values = append(values, line)
	}
	return keys, values, nil
}
