package cluster

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-ha/cluster/engine"
)

// batch is a record batch as it lies in a segment, with so many records of a few bytes each.
func batch(base int64, records int32) []byte {
	b := kmsg.RecordBatch{FirstOffset: base, Magic: 2, NumRecords: records, Records: bytes.Repeat([]byte("record"), int(records))}
	b.Length = int32(len(b.AppendTo(nil)) - 12)
	return b.AppendTo(nil)
}

func TestCountBatches(t *testing.T) {
	two := append(batch(0, 3), batch(3, 4)...)
	short := batch(0, 3)
	binary.BigEndian.PutUint32(short[batchLengthAt:], 48)
	for name, c := range map[string]struct {
		segment []byte
		want    int64
		err     string
	}{
		"segment, empty, holds nothing":                        {nil, 0, ""},
		"one batch, whole, counts":                             {batch(0, 5), 5, ""},
		"several batches, whole, add up":                       {append(bytes.Clone(two), batch(7, 100)...), 107, ""},
		"batch without records left, compacted away, counts 0": {append(batch(0, 0), batch(5, 2)...), 2, ""},
		"last batch, torn in its records, does not count":      {two[:len(two)-1], 3, ""},
		"last batch, torn right after its header, does not":    {two[:len(batch(0, 3))+batchHeader], 3, ""},
		"last batch, torn in its header, does not count":       {two[:len(batch(0, 3))+batchHeader-1], 3, ""},
		"only batch, torn in its header, counts 0":             {batch(0, 3)[:10], 0, ""},
		"length, shorter than the header, is an error":         {short, 0, "batch of 48 bytes: shorter than its header"},
		"zeros, where a batch should be, are an error":         {make([]byte, 100), 0, "batch of 0 bytes: shorter than its header"},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := countBatches(bytes.NewReader(c.segment))
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, n)
		})
	}
	t.Run("segment, unreadable in the middle, is an error", func(t *testing.T) {
		broken := errors.New("disk says no")
		_, err := countBatches(io.MultiReader(bytes.NewReader(two[:100]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken)
	})
}

// copies answers the engine's request for a copy with so much of an archive of one file; nil means that there is no file.
type copies struct{ archive []byte }

func (c copies) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if c.archive == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.WriteString(`{"message":"Could not find the file"}`)
	} else {
		w.Header().Set("X-Docker-Container-Path-Stat", base64.StdEncoding.EncodeToString([]byte(`{"name":"0.log"}`)))
		_, _ = w.Write(c.archive)
	}
	response := w.Result()
	response.Request = r
	return response, nil
}

// archived is a partition's folder as the engine copies it: segments, in the order given, among other files.
func archived(t *testing.T, segments ...[]byte) []byte {
	t.Helper()
	var whole bytes.Buffer
	archive := tar.NewWriter(&whole)
	add := func(name string, kind byte, content []byte) {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Size: int64(len(content)), Mode: 0o644}))
		_, err := archive.Write(content)
		require.NoError(t, err)
	}
	add("telemetry-0/", tar.TypeDir, nil)
	for i, s := range segments {
		add(fmt.Sprintf("telemetry-0/%020d.index", i), tar.TypeReg, make([]byte, 100)) // zeros are no batch
		add(fmt.Sprintf("telemetry-0/%020d.log", i), tar.TypeReg, s)
	}
	add("telemetry-0/partition.metadata", tar.TypeReg, []byte("version: 0"))
	require.NoError(t, archive.Close())
	return whole.Bytes()
}

// brokerWith is a broker on whose volume each partition has that archive.
func brokerWith(t *testing.T, archive []byte) *Broker {
	t.Helper()
	docker, err := client.New(client.WithHTTPClient(&http.Client{Transport: copies{archive}}))
	require.NoError(t, err)
	c := &Cluster{engine: &engine.Session{Engine: &engine.Engine{Client: docker}}}
	return &Broker{ID: 2, cluster: c, container: "id"}
}

func TestStored(t *testing.T) {
	segment := append(batch(0, 3), batch(3, 4)...)
	t.Run("segments, several, are counted by partition", func(t *testing.T) {
		n, err := brokerWith(t, archived(t, segment, batch(7, 5))).Stored(t.Context(), "telemetry", 2)
		require.NoError(t, err)
		assert.Equal(t, map[int]int64{0: 12, 1: 12}, n)
	})
	t.Run("segments, not there, count 0", func(t *testing.T) {
		n, err := brokerWith(t, nil).Stored(t.Context(), "telemetry", 2)
		require.NoError(t, err)
		assert.Equal(t, map[int]int64{0: 0, 1: 0}, n)
	})
	whole := archived(t, segment)
	begin := bytes.Index(whole, segment)
	for name, length := range map[string]int{
		"copy, cut off in the second batch, is no torn batch but an error":  begin + len(segment) - 5,
		"copy, cut off in the first header, is no empty segment but is":     begin + 20,
		"copy, cut off in front of the next file, is not the whole one but": begin + 512 + 100,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := brokerWith(t, whole[:length]).Stored(t.Context(), "telemetry", 2)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.ErrorContains(t, err, "broker 2: segments of telemetry-0")
		})
	}
}

// withIDs is a batch whose records carry their own offset in a header, compressed so.
func withIDs(t *testing.T, base int64, records int32, codec kgo.CompressionCodec) []byte {
	t.Helper()
	var plain []byte
	for i := range records {
		r := kmsg.Record{OffsetDelta: i, Value: []byte("v"), Headers: []kmsg.Header{
			{Key: "other", Value: []byte("x")}, {Key: "eid", Value: fmt.Appendf(nil, "id-%d", base+int64(i))},
		}}
		r.Length = int32(len(r.AppendTo(nil)) - 1) // of one byte itself, as that of a short record is
		plain = r.AppendTo(plain)
	}
	c, err := kgo.DefaultCompressor(codec)
	require.NoError(t, err)
	b := kmsg.RecordBatch{FirstOffset: base, Magic: 2, NumRecords: records, Records: plain}
	if c != nil {
		packed, kind := c.Compress(new(bytes.Buffer), plain)
		b.Records, b.Attributes = packed, int16(kind)
	}
	b.Length = int32(len(b.AppendTo(nil)) - 12)
	return b.AppendTo(nil)
}

func TestSearch(t *testing.T) {
	var first, second, want []byte
	for i, codec := range []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	} {
		first = append(first, withIDs(t, int64(3*i), 3, codec)...)
	}
	second = append(withIDs(t, 15, 2, kgo.SnappyCompression()), withIDs(t, 17, 2, kgo.NoCompression())[:90]...)
	for i := range 17 {
		want = fmt.Appendf(want, "%d=id-%d ", i, i)
	}
	search := func(archive []byte) (string, int64, error) {
		var got []byte
		n, err := brokerWith(t, archive).Search(t.Context(), "telemetry", 0, "eid", func(offset int64, value []byte) {
			got = fmt.Appendf(got, "%d=%s ", offset, value)
		})
		return string(got), n, err
	}
	t.Run("records, of every compression and segment, are found; a torn batch is not", func(t *testing.T) {
		got, n, err := search(archived(t, first, second))
		require.NoError(t, err)
		assert.Equal(t, string(want), got)
		assert.EqualValues(t, 17, n)
	})
	t.Run("partition, not there, has no records", func(t *testing.T) {
		got, n, err := search(nil)
		require.NoError(t, err)
		assert.Empty(t, got)
		assert.Zero(t, n)
	})
	control := withIDs(t, 0, 1, kgo.NoCompression())
	control[batchAttrsAt+1] |= controlBit
	t.Run("control record, is none", func(t *testing.T) {
		got, n, err := search(archived(t, control))
		require.NoError(t, err)
		assert.Empty(t, got)
		assert.Zero(t, n)
	})
	broken := func(change func([]byte)) []byte {
		b := withIDs(t, 4, 2, kgo.NoCompression())
		change(b)
		return b
	}
	for name, c := range map[string]struct {
		segment []byte
		err     string
	}{
		"batch, of an older format, is an error":         {broken(func(b []byte) { b[batchMagicAt] = 1 }), "magic 1"},
		"batch, compressed otherwise than it says":       {broken(func(b []byte) { b[batchAttrsAt+1] = 1 }), "batch at offset 4: "},
		"batch, with fewer records than it says":         {broken(func(b []byte) { b[batchCountAt+3] = 3 }), "2 records, and its header says otherwise"},
		"record, longer than the batch, is an error":     {broken(func(b []byte) { b[batchHeader] = 0x7e }), "record 0 of the batch at offset 4 is cut off"},
		"record, with garbage where headers should be":   {broken(func(b []byte) { b[batchHeader+7] = 0x7e }), "record 0 of the batch at offset 4"},
		"records, but not as many as zeros, is an error": {make([]byte, 100), "shorter than its header"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := search(archived(t, c.segment))
			require.ErrorContains(t, err, "broker 2: segments of telemetry-0: ")
			require.ErrorContains(t, err, c.err)
		})
	}
}
