package engine

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"
)

// fakeEngine answers the calls of the engine's API that this package makes, from what it is told to have.
type fakeEngine struct {
	t *testing.T

	mu       sync.Mutex
	images   map[string]string         // id by name
	pull     func(http.ResponseWriter) // what a pull is answered with; a pull that ends well brings the image
	pulls    []string                  // names, in the order they were asked for
	standing []thing
	onRemove func(thing) (int, string) // status and message instead of a removal; status 0 removes
	removed  []string                  // names, in the order they went
}

// thing is a container, network or volume.
type thing struct {
	kind, name string // kind is the word in the API's paths: containers, networks, volumes
	labels     map[string]string
}

func newFake(t *testing.T, standing ...thing) *fakeEngine {
	t.Helper()
	return &fakeEngine{t: t, images: map[string]string{}, standing: standing}
}

var versionPrefix = regexp.MustCompile(`^/v1\.\d+`)

func (f *fakeEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := versionPrefix.ReplaceAllString(r.URL.Path, "")
	switch parts := strings.Split(strings.Trim(path, "/"), "/"); {
	case path == "/_ping":
		w.Header().Set("Api-Version", "1.51")
	case path == "/version":
		answer(w, http.StatusOK, map[string]string{"Version": "29.0.0-fake", "ApiVersion": "1.51"})
	case path == "/images/create":
		f.create(w, r)
	case parts[0] == "images":
		f.inspect(w, strings.TrimSuffix(strings.TrimPrefix(path, "/images/"), "/json"))
	case r.Method == http.MethodDelete:
		f.remove(w, parts[0], parts[1])
	default:
		f.list(w, r, parts[0])
	}
}

func (f *fakeEngine) create(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Query().Get("fromImage"), "docker.io/") + ":" + r.URL.Query().Get("tag")
	f.mu.Lock()
	f.pulls = append(f.pulls, name)
	f.images[name] = "sha256:pulled"
	f.mu.Unlock()
	if f.pull != nil {
		f.pull(w)
	}
}

func (f *fakeEngine) inspect(w http.ResponseWriter, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, ok := f.images[name]
	if !ok {
		answer(w, http.StatusNotFound, map[string]string{"message": "No such image: " + name})
		return
	}
	answer(w, http.StatusOK, map[string]string{"Id": id})
}

func (f *fakeEngine) remove(w http.ResponseWriter, kind, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.standing {
		if one.kind != kind || one.name != name {
			continue
		}
		if f.onRemove != nil {
			if status, message := f.onRemove(one); status != 0 {
				answer(w, status, map[string]string{"message": message})
				return
			}
		}
		f.standing = append(f.standing[:i:i], f.standing[i+1:]...)
		f.removed = append(f.removed, name)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, http.StatusNotFound, map[string]string{"message": "no such thing: " + name})
}

func (f *fakeEngine) list(w http.ResponseWriter, r *http.Request, kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var filters struct{ Label map[string]bool }
	// Volumes are asked for without filters: one that a container brought back has no label. Which are ours is for Left.
	asked := r.URL.Query().Get("filters")
	if err := json.Unmarshal([]byte(asked), &filters); err != nil && (kind != "volumes" || asked != "") {
		f.t.Errorf("a list without filters would be a list of everybody's %s: %v", kind, err)
	}
	found := []map[string]any{}
	for _, one := range f.standing {
		matches := one.kind == kind
		for label := range filters.Label {
			key, value, exact := strings.Cut(label, "=")
			has, ok := one.labels[key]
			matches = matches && ok && (!exact || has == value)
		}
		if matches {
			found = append(found, map[string]any{"Id": one.name, "Name": one.name, "Labels": one.labels})
		}
	}
	if kind == "volumes" {
		answer(w, http.StatusOK, map[string]any{"Volumes": found})
		return
	}
	answer(w, http.StatusOK, found)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// onSocket serves the fake on a unix socket and points DOCKER_HOST there.
func (f *fakeEngine) onSocket(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	server := &http.Server{Handler: f}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	pointAt(t, "unix://"+path)
	return path
}

// pointAt sets the variables that Connect reads and may set itself, for the length of the test.
func pointAt(t *testing.T, host string) {
	t.Helper()
	t.Setenv("DOCKER_HOST", host)
	t.Setenv("TESTCONTAINERS_HOST_OVERRIDE", "localhost")
	for _, name := range []string{client.EnvTLSVerify, client.EnvOverrideCertPath, client.EnvOverrideAPIVersion} {
		t.Setenv(name, "")
	}
}

// connect returns an Engine whose requests reach the fake without a socket, so that it works in a synctest bubble.
func (f *fakeEngine) connect() *Engine {
	f.t.Helper()
	docker, err := client.New(client.WithHTTPClient(&http.Client{Transport: inProcess{f}}))
	require.NoError(f.t, err)
	return &Engine{Client: docker}
}

type inProcess struct{ handler http.Handler }

// RoundTrip runs the handler beside the client; like a connection, both ends close when the request's context does.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	body, to := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: to, begun: make(chan int, 1)}
	stop := context.AfterFunc(r.Context(), func() { _ = body.CloseWithError(r.Context().Err()) })
	go func() {
		defer stop()
		p.handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		_ = to.Close()
	}()
	select {
	case status := <-w.begun:
		return &http.Response{StatusCode: status, Header: w.header, Body: body, Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter
	begun  chan int
	once   sync.Once
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) { w.once.Do(func() { w.begun <- status }) }

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
