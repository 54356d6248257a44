package cluster

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestStored(t *testing.T) {
	segment := append(batch(0, 3), batch(3, 4)...)
	var whole bytes.Buffer
	archive := tar.NewWriter(&whole)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "0.log", Size: int64(len(segment)), Mode: 0o644}))
	_, err := archive.Write(segment)
	require.NoError(t, err)
	require.NoError(t, archive.Close())

	stored := func(archive []byte) (map[int]int64, error) {
		docker, err := client.New(client.WithHTTPClient(&http.Client{Transport: copies{archive}}))
		require.NoError(t, err)
		c := &Cluster{engine: &engine.Session{Engine: &engine.Engine{Client: docker}}}
		return (&Broker{Node: Node{ID: 2, cluster: c, container: "id"}}).Stored(t.Context(), "telemetry", 2)
	}
	t.Run("segments, there, are counted by partition", func(t *testing.T) {
		n, err := stored(whole.Bytes())
		require.NoError(t, err)
		assert.Equal(t, map[int]int64{0: 7, 1: 7}, n)
	})
	t.Run("segments, not there, count 0", func(t *testing.T) {
		n, err := stored(nil)
		require.NoError(t, err)
		assert.Equal(t, map[int]int64{0: 0, 1: 0}, n)
	})
	for name, length := range map[string]int{
		"copy, cut off in the second batch, is no torn batch but an error": 512 + len(segment) - 5,
		"copy, cut off in the first header, is no empty segment but is":    512 + 20,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := stored(whole.Bytes()[:length])
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.ErrorContains(t, err, "broker 2: segment of telemetry-0")
		})
	}
}
