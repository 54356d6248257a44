package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Host ports are taken from below the range that kernels hand out for outgoing connections (from 32768 on Linux,
// 49152 elsewhere), because a port must still be free when its broker comes back.
const (
	firstPort = 20000
	lastPort  = 32000
)

// freePorts returns n different ports of 127.0.0.1 that nobody listens on at this moment. Somebody else may take one
// before the engine binds it; the caller retries then.
func freePorts(n int) ([]int, error) { return freePortsFrom(n, firstPort, lastPort) }

// freePortsFrom looks at each port of a range at most once, in random order, so that two runs rarely want the same.
func freePortsFrom(n, first, last int) ([]int, error) {
	ports := make([]int, 0, n)
	for _, offset := range rand.Perm(last - first) {
		if len(ports) == n {
			break
		}
		port := first + offset
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			return nil, fmt.Errorf("port %d: %w", port, err)
		}
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, fmt.Errorf("no %d free ports on 127.0.0.1 between %d and %d; end what holds them", n, first, last)
	}
	return ports, nil
}
