package cluster

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// Formatting a volume takes a JVM start of its own, a fifth of a node's start on two cores. All that it writes beside
// meta.properties, which is five lines of text, is bootstrap.checkpoint: the feature levels that a new cluster begins
// with. For one image and the same settings wanted of the cluster these are always the same, on brokers and on
// controllers, so what the image's own kafka-storage.sh wrote in one start is used again in the next ones (start.sh does
// so when it finds the file).

// formatArgs is what kafka-storage.sh format gets beside the cluster's id and the node's settings.
func (n *Node) formatArgs() []string {
	var args []string
	for _, level := range n.cluster.settings.levels() {
		args = append(args, "--feature", level)
	}
	return append(args, n.memberArgs()...)
}

// memberArgs say what a node of a dynamic quorum is formatted as. Node 1 founds it, alone; every other node, and node 1
// itself on a volume that it gets later, joins as an observer: one that was formatted as a founder again would not look for
// the quorum that is there, but elect itself in another one.
func (n *Node) memberArgs() []string {
	c := n.cluster
	switch {
	case !c.topology.Dynamic():
		return nil
	case n.ID == founder && !c.founded:
		return []string{"--initial-controllers", fmt.Sprintf("%d@%s:%d:%s", n.ID, Controllers.host(n.ID), controllerPort, n.directory)}
	}
	return []string{"--no-initial-controllers"}
}

// founder is the node that a dynamic quorum begins with.
const founder = 1

// What a format writes.
const (
	checkpointName = "bootstrap.checkpoint"
	formatFile     = "meta.properties"
)

// checkpointFile is where the checkpoint of the cluster's image is kept, in the user's cache folder; empty where the
// user has none, or where settings of the user's may change what a format writes. In a dynamic quorum each node's format is
// its own.
func (c *Cluster) checkpointFile() string {
	cache, err := os.UserCacheDir()
	if err != nil || !c.overlay.Empty() || c.topology.Dynamic() {
		return ""
	}
	name := strings.ReplaceAll(c.image.ID, ":", "-") + "."
	if !c.settings.Empty() {
		name += fmt.Sprintf("%x.", sha256.Sum256([]byte(c.settings.String())))
	}
	return filepath.Join(cache, "kafka-ha", name+checkpointName)
}

// checkpoint returns the checkpoint for a node's container, when there is one.
func (c *Cluster) checkpoint() []testcontainers.ContainerFile {
	file, err := os.Open(c.checkpointFile())
	if err != nil {
		return nil // this start formats and remembers
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil
	}
	return []testcontainers.ContainerFile{nodeFile(checkpointName, content)}
}

// remember keeps what broker 1 was formatted with for the next start. The cache only saves time, so that a folder
// that cannot be written is no error.
func (c *Cluster) remember(ctx context.Context) error {
	file := c.checkpointFile()
	if file == "" {
		return nil
	}
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	content, err := c.readFile(ctx, &c.brokers[0].Node, dataDir+"/"+checkpointName)
	if errdefs.IsNotFound(err) {
		return nil // Kafka 4.4 writes a snapshot of the metadata log instead, on controllers only: there each start formats
	}
	if err != nil {
		return err
	}
	if os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		writeWhole(file, content)
	}
	return nil
}

// readFile reads a file of a node's container.
func (c *Cluster) readFile(ctx context.Context, n *Node, file string) ([]byte, error) {
	copied, err := c.engine.CopyFromContainer(ctx, n.container, client.CopyFromContainerOptions{SourcePath: file})
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", file, n, err)
	}
	defer func() { _ = copied.Content.Close() }()
	archive := tar.NewReader(copied.Content)
	if _, err := archive.Next(); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", file, n, err)
	}
	content, err := io.ReadAll(archive)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", file, n, err)
	}
	return content, nil
}

// writeWhole writes a file that others see whole or not at all.
func writeWhole(file string, content []byte) {
	part, err := os.CreateTemp(filepath.Dir(file), ".part-*")
	if err != nil {
		return
	}
	_, err = part.Write(content)
	if closed := part.Close(); err != nil || closed != nil || os.Rename(part.Name(), file) != nil {
		_ = os.Remove(part.Name())
	}
}
