package cluster

import "fmt"

// size is the memory of a node.
type size struct {
	heap   int   // MiB, all of it from the start
	memory int64 // bytes of its container, which has no swap
}

const mib = 1 << 20

// What is beside the heap of a node that is at work stays below 300 MiB (metaspace, code, threads, direct buffers); files
// that the kernel caches count too, but it gives them up when they are in the way. Two clusters of the largest topology
// have 9 GiB at most, so that a machine of 16 GiB has room for what else runs on it.
var (
	brokerSize     = size{heap: 512, memory: 1024 * mib}
	controllerSize = size{heap: 256, memory: 512 * mib}
)

func (n *Node) size() size {
	if n.controller {
		return controllerSize
	}
	return brokerSize
}

func (s size) heapOptions() string { return fmt.Sprintf("-Xms%dm -Xmx%dm", s.heap, s.heap) }

// String is the size for the run's head: "heap 512 of 1024 MiB".
func (s size) String() string { return fmt.Sprintf("heap %d of %d MiB", s.heap, s.memory/mib) }

// memory says what the nodes of the cluster may take.
func (c *Cluster) memory() string {
	said := brokerSize.String() + " a broker"
	if len(c.controllers) > 0 {
		said += ", " + controllerSize.String() + " a controller"
	}
	return said
}
