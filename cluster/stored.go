package cluster

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Stored returns how many records of each partition of a topic lie in the broker's own log segments, on its volume,
// whether the broker runs or not. Partitions without a segment count 0.
func (b *Broker) Stored(ctx context.Context, topic string, partitions int) (map[int]int64, error) {
	stored := make(map[int]int64, partitions)
	for partition := range partitions {
		stored[partition] = 0
		err := b.eachSegment(ctx, topic, partition, func(segment io.Reader) error {
			n, err := countBatches(segment)
			stored[partition] += n
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// Search looks through all log segments that the broker has of a partition, on its volume, whether the broker runs or
// not. It calls found for each record that has a header of that name, with the header's value, which is good until found
// returns, and returns how many records it looked at. A broker without the partition has none.
func (b *Broker) Search(
	ctx context.Context, topic string, partition int, header string, found func(offset int64, value []byte),
) (int64, error) {
	var looked int64
	err := b.eachSegment(ctx, topic, partition, func(segment io.Reader) error {
		n, err := searchBatches(segment, header, found)
		looked += n
		return err
	})
	return looked, err
}

// eachSegment gives each log segment of a partition to read. It copies the whole folder, since only that tells which
// segments there are; the engine gives them in the order of their names, which is that of their offsets.
func (b *Broker) eachSegment(ctx context.Context, topic string, partition int, read func(io.Reader) error) error {
	if err := b.OwnVolume(); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%d", topic, partition)
	source := client.CopyFromContainerOptions{SourcePath: path.Join(dataDir, name)}
	copied, err := b.cluster.engine.CopyFromContainer(ctx, b.container, source)
	if errdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: segments of %s: %w", b, name, err)
	}
	defer func() { _ = copied.Content.Close() }()
	for archive := tar.NewReader(copied.Content); ; {
		// A copy that was cut off looks like a batch that was: only the end of the archive tells that all was there.
		file, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && path.Ext(file.Name) == segmentExt {
			err = read(bufio.NewReader(archive))
		}
		if err != nil {
			return fmt.Errorf("%s: segments of %s: %w", b, name, err)
		}
	}
}

// segmentExt ends the name of a segment's records; its indexes, which lie beside it, have others.
const segmentExt = ".log"
