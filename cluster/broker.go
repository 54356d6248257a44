package cluster

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Broker is a node that clients on the host reach; in the default topology it is a controller as well.
type Broker struct {
	Node

	sessions [lines]*kgo.Client
}

// Address is where clients on the host reach the broker.
func (b *Broker) Address() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }
