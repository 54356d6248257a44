package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSockets(t *testing.T) {
	const heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	sockets, err := parseSockets(heading +
		"   0: 0B00007F:9C3D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 49143 1 0000000000000000 100 0 0 10 0\n" +
		heading +
		"   0: 0000000000000000FFFF00000300A8C0:2384 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1\n" +
		"   1: 0000000000000000FFFF00000300A8C0:D1F6 0000000000000000FFFF00000400A8C0:0885 01 00000000:00000000 00:00000000 00000000  1000        0 2 1\n")
	require.NoError(t, err)
	assert.Equal(t, []Socket{{Local: 40_000 - 3, Remote: 0}, {Local: 9092, Remote: 0}, {Local: 53_750, Remote: 2181}}, sockets)
	for _, bad := range []string{"0: 0B00007F", "0: 0B00007F:9C3D 00000000 0A x", "0: 0B00007F:XXXX 00000000:0000 0A x", "0: 0B00007F:9C 00000000:0000 0A x"} {
		_, err := parseSockets(bad)
		require.Error(t, err, bad)
	}
}
