package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Layout of a record batch, magic 2 (Kafka's message format, KIP-98): the length that follows it stands at 8, its
// attributes, the lowest three bits of which name the compression, at 21, the number of its records at 57, its first
// record at 61.
const (
	batchLengthAt = 8
	batchMagicAt  = 16
	batchAttrsAt  = 21
	batchCountAt  = 57
	batchHeader   = 61
	batchMagic    = 2
	codecBits     = 7
	controlBit    = 1 << 5
	largestBatch  = 1 << 30 // what a broker takes is set by message.max.bytes, 1 MiB; this only guards against garbage
)

// eachBatch calls each with the header of each batch in a segment and a reader of its records, of so many bytes. A batch
// that is cut off at the end is one that is being written, or was when the broker was killed; each may see it, with a
// reader that ends early, and answers io.ErrUnexpectedEOF.
func eachBatch(segment io.Reader, each func(header []byte, records io.Reader, size int64) error) error {
	header := make([]byte, batchHeader)
	for {
		switch _, err := io.ReadFull(segment, header); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
		length := int64(binary.BigEndian.Uint32(header[batchLengthAt:]))
		size := length + batchLengthAt + 4 - batchHeader
		if size < 0 {
			return fmt.Errorf("batch of %d bytes: shorter than its header", length)
		}
		switch err := each(header, segment, size); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// countBatches adds up the record counts of the batches in a segment. A batch that is cut off does not count.
func countBatches(segment io.Reader) (int64, error) {
	var total int64
	err := eachBatch(segment, func(header []byte, records io.Reader, size int64) error {
		if _, err := io.CopyN(io.Discard, records, size); err != nil {
			return err
		}
		total += int64(binary.BigEndian.Uint32(header[batchCountAt:]))
		return nil
	})
	return total, err
}

// searchBatches calls found for each record in a segment with a header of that name, and returns how many records it
// looked at. Control records are no records. A batch that is cut off was never in the log.
func searchBatches(segment io.Reader, name string, found func(offset int64, value []byte)) (int64, error) {
	var total int64
	var body []byte
	codecs := kgo.DefaultDecompressor()
	err := eachBatch(segment, func(header []byte, records io.Reader, size int64) error {
		if size > largestBatch || header[batchMagicAt] != batchMagic {
			return fmt.Errorf("batch of %d bytes with magic %d", size, header[batchMagicAt])
		}
		if int64(cap(body)) < size {
			body = make([]byte, size)
		}
		body = body[:size]
		if _, err := io.ReadFull(records, body); err != nil {
			return err
		}
		base := int64(binary.BigEndian.Uint64(header))
		attributes := binary.BigEndian.Uint16(header[batchAttrsAt:])
		if attributes&controlBit != 0 {
			return nil
		}
		plain, err := codecs.Decompress(body, kgo.CompressionCodecType(attributes&codecBits))
		if err != nil {
			return fmt.Errorf("batch at offset %d: %w", base, err)
		}
		n, err := searchRecords(plain, base, name, found)
		total += n
		if err == nil && n != int64(binary.BigEndian.Uint32(header[batchCountAt:])) {
			err = fmt.Errorf("batch at offset %d: %d records, and its header says otherwise", base, n)
		}
		return err
	})
	return total, err
}

func searchRecords(b []byte, base int64, name string, found func(offset int64, value []byte)) (int64, error) {
	var n int64
	for ; len(b) > 0; n++ {
		length, prefix := binary.Varint(b)
		if prefix <= 0 || length < 0 || length > int64(len(b)-prefix) {
			return n, fmt.Errorf("record %d of the batch at offset %d is cut off", n, base)
		}
		end := prefix + int(length)
		var r kmsg.Record
		if err := r.UnsafeReadFrom(b[:end]); err != nil {
			return n, fmt.Errorf("record %d of the batch at offset %d: %w", n, base, err)
		}
		b = b[end:]
		for _, h := range r.Headers {
			if h.Key == name {
				found(base+int64(r.OffsetDelta), h.Value)
			}
		}
	}
	return n, nil
}
