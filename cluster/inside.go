package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// insideWithin bounds a command in a container that only looks: milliseconds, and more where the machine is busy.
const insideWithin = 15 * time.Second

// inside runs a shell command in the node's container and returns what it printed.
func (n *Node) inside(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, insideWithin)
	defer cancel()
	docker := n.cluster.engine
	made, err := docker.ExecCreate(ctx, n.container, client.ExecCreateOptions{
		Cmd: []string{"sh", "-c", command}, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", n, command, err)
	}
	attached, err := docker.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", n, command, err)
	}
	defer context.AfterFunc(ctx, attached.Close)() // reading ends with ctx
	defer attached.Close()
	var printed, complained bytes.Buffer
	_, err = stdcopy.StdCopy(&printed, &complained, attached.Reader)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %s: %w", n, command, err)
	}
	ended, err := docker.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
	if err == nil && ended.ExitCode != 0 {
		err = fmt.Errorf("ended with code %d: %s", ended.ExitCode, strings.TrimSpace(complained.String()))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", n, command, err)
	}
	return printed.String(), nil
}

// libraries is where Kafka's jars are; its launchers put all of them on the class path.
const libraries = "/opt/kafka/libs"

// Jars returns the names of the jars that the node's process has on its class path.
func (n *Node) Jars(ctx context.Context) ([]string, error) {
	listed, err := n.inside(ctx, "ls "+libraries)
	if err != nil {
		return nil, err
	}
	var jars []string
	for _, name := range strings.Fields(listed) {
		if path.Ext(name) == ".jar" {
			jars = append(jars, name)
		}
	}
	if len(jars) == 0 {
		return nil, fmt.Errorf("%s has no jar in %s", n, libraries)
	}
	return jars, nil
}

// Socket is one end of a TCP connection of the node's, or a port on which it listens, which has remote port 0.
type Socket struct{ Local, Remote uint16 }

// Sockets returns the TCP sockets in the node's container. A node that runs has some.
func (n *Node) Sockets(ctx context.Context) ([]Socket, error) {
	// A kernel without IPv6 has no tcp6.
	table, err := n.inside(ctx, "cat /proc/net/tcp; [ ! -f /proc/net/tcp6 ] || cat /proc/net/tcp6")
	if err != nil {
		return nil, err
	}
	sockets, err := parseSockets(table)
	if err == nil && len(sockets) == 0 {
		err = errors.New("no TCP socket at all")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: sockets: %w", n, err)
	}
	return sockets, nil
}

// parseSockets reads the kernel's tables: a heading, then lines as "0: 0100007F:2382 00000000:0000 0A …", in which the ports
// are hexadecimal.
func parseSockets(table string) ([]Socket, error) {
	var sockets []Socket
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "sl" {
			continue
		}
		if len(fields) < 4 {
			return nil, fmt.Errorf("line %q", line)
		}
		local, err := portOf(fields[1])
		if err != nil {
			return nil, err
		}
		remote, err := portOf(fields[2])
		if err != nil {
			return nil, err
		}
		sockets = append(sockets, Socket{Local: local, Remote: remote})
	}
	return sockets, nil
}

func portOf(address string) (uint16, error) {
	_, port, _ := strings.Cut(address, ":")
	raw, err := hex.DecodeString(port)
	if err != nil || len(raw) != 2 {
		return 0, fmt.Errorf("address %q", address)
	}
	return binary.BigEndian.Uint16(raw), nil
}
