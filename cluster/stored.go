package cluster

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Stored returns how many records of each partition of a topic lie in the broker's own log segments, on its volume,
// whether the broker runs or not. Partitions without a segment count 0.
//
// It looks at the first segment only: topics of the suite stay far below segment.bytes (1 GiB).
func (b *Broker) Stored(ctx context.Context, topic string, partitions int) (map[int]int64, error) {
	stored := make(map[int]int64, partitions)
	for partition := range partitions {
		segment := path.Join(dataDir, fmt.Sprintf("%s-%d", topic, partition), "00000000000000000000.log")
		n, err := b.countRecords(ctx, segment)
		if err != nil {
			return nil, fmt.Errorf("%s: segment of %s-%d: %w", b, topic, partition, err)
		}
		stored[partition] = n
	}
	return stored, nil
}

func (b *Broker) countRecords(ctx context.Context, file string) (int64, error) {
	copied, err := b.cluster.engine.CopyFromContainer(ctx, b.container, client.CopyFromContainerOptions{SourcePath: file})
	if errdefs.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = copied.Content.Close() }()
	archive := tar.NewReader(copied.Content)
	if _, err := archive.Next(); err != nil {
		return 0, err
	}
	n, err := countBatches(bufio.NewReader(archive))
	if err != nil {
		return n, err
	}
	// A copy that was cut off looks like a batch that was: only the end of the archive tells that the file was whole.
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("copy from the engine: %w", cmp.Or(err, errMoreFiles))
	}
	return n, nil
}

var errMoreFiles = errors.New("more than one file")

// Layout of a record batch, magic 2 (Kafka's message format, KIP-98): the length that follows it stands at 8, the
// number of its records at 57, its first record at 61.
const (
	batchLengthAt = 8
	batchCountAt  = 57
	batchHeader   = 61
)

// countBatches adds up the record counts of the batches in a segment. A batch that is cut off at the end is one that
// is being written or was when the broker was killed; it does not count.
func countBatches(segment io.Reader) (int64, error) {
	var total int64
	header := make([]byte, batchHeader)
	for {
		switch _, err := io.ReadFull(segment, header); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return total, nil
		case err != nil:
			return total, err
		}
		length := int64(binary.BigEndian.Uint32(header[batchLengthAt:]))
		rest := length + batchLengthAt + 4 - batchHeader
		if rest < 0 {
			return total, fmt.Errorf("batch of %d bytes: shorter than its header", length)
		}
		switch _, err := io.CopyN(io.Discard, segment, rest); {
		case errors.Is(err, io.EOF):
			return total, nil
		case err != nil:
			return total, err
		}
		total += int64(binary.BigEndian.Uint32(header[batchCountAt:]))
	}
}
