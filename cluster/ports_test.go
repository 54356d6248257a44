package cluster

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFreePorts(t *testing.T) {
	t.Run("many ports, are distinct and below the ephemeral range", func(t *testing.T) {
		ports, err := freePorts(200)
		require.NoError(t, err)
		seen := map[int]bool{}
		for _, port := range ports {
			assert.False(t, seen[port], "twice: %d", port)
			seen[port] = true
			assert.GreaterOrEqual(t, port, 20000)
			assert.Less(t, port, 32768)
		}
		assert.Len(t, ports, 200)
	})
	t.Run("a range with taken ports, gives the free ones only", func(t *testing.T) {
		first := freeRange(t, 6)
		for _, taken := range []int{first, first + 3} {
			listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: taken})
			require.NoError(t, err)
			defer func() { _ = listener.Close() }()
		}
		ports, err := freePortsFrom(4, first, first+6)
		require.NoError(t, err)
		assert.ElementsMatch(t, []int{first + 1, first + 2, first + 4, first + 5}, ports)
		_, err = freePortsFrom(5, first, first+6)
		require.ErrorContains(t, err, "no 5 free ports on 127.0.0.1 between")
	})
	t.Run("a port taken on all addresses, is not free", func(t *testing.T) {
		first := freeRange(t, 2)
		listener, err := net.ListenTCP("tcp4", &net.TCPAddr{Port: first})
		require.NoError(t, err)
		defer func() { _ = listener.Close() }()
		ports, err := freePortsFrom(1, first, first+2)
		require.NoError(t, err)
		assert.Equal(t, []int{first + 1}, ports)
	})
}

// freeRange finds n neighbouring ports that are free.
func freeRange(t *testing.T, n int) int {
	t.Helper()
	for first := firstPort; first < lastPort; first += n {
		if ports, err := freePortsFrom(n, first, first+n); err == nil && len(ports) == n {
			return first
		}
	}
	t.Fatal("no free ports at all")
	return 0
}
