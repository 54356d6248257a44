package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// tool runs a shell command in a container of the broker image and returns what it printed. The container shares the
// host's network, so that the brokers' addresses on 127.0.0.1 are good there too; it has the run's labels, and is removed.
func (s *site) tool(ctx context.Context, command string, files map[string][]byte) (out string, err error) {
	labels, err := s.session.Run.Labels()
	if err != nil {
		return "", err
	}
	made, err := s.session.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config:     &container.Config{Image: s.image.Name, Entrypoint: []string{"sh", "-c", command}, Cmd: []string{}, Labels: labels},
		HostConfig: &container.HostConfig{NetworkMode: "host"},
	})
	if err != nil {
		return "", fmt.Errorf("tool container: %w", err)
	}
	defer func() {
		options := client.ContainerRemoveOptions{Force: true, RemoveVolumes: true}
		if _, gone := s.session.ContainerRemove(context.WithoutCancel(ctx), made.ID, options); err == nil && gone != nil {
			err = fmt.Errorf("remove tool container: %w", gone)
		}
	}()
	content, err := archive(files)
	if err != nil {
		return "", err
	}
	_, err = s.session.CopyToContainer(ctx, made.ID, client.CopyToContainerOptions{DestinationPath: "/tmp", Content: content})
	if err != nil {
		return "", fmt.Errorf("files for tool container: %w", err)
	}
	waits := s.session.ContainerWait(ctx, made.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := s.session.ContainerStart(ctx, made.ID, client.ContainerStartOptions{}); err != nil {
		return "", fmt.Errorf("start tool container: %w", err)
	}
	select {
	case err := <-waits.Error:
		return "", fmt.Errorf("tool container: %w", err)
	case end := <-waits.Result:
		out, err := s.output(ctx, made.ID)
		if err == nil && end.StatusCode != 0 {
			err = fmt.Errorf("exit code %d: %s", end.StatusCode, strings.TrimSpace(out))
		}
		return out, err
	}
}

func (s *site) output(ctx context.Context, id string) (string, error) {
	stream, err := s.session.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		return "", fmt.Errorf("output of tool container: %w", err)
	}
	defer func() { _ = stream.Close() }()
	var text strings.Builder
	if _, err := stdcopy.StdCopy(&text, &text, stream); err != nil {
		return "", fmt.Errorf("output of tool container: %w", err)
	}
	return text.String(), nil
}

// archive packs files that anybody may read.
func archive(files map[string][]byte) (io.Reader, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := w.Write(content); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack files: %w", err)
	}
	return &b, nil
}
