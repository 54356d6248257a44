// Package engine is the container engine as the suite needs it: connect to it or say plainly why that cannot be,
// choose the broker image, label what a run makes, and remove it again whatever happens to the run.
//
// It knows nothing of Kafka. Only package cluster and its commands import it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go/log"
)

// answerWithin bounds the first request: a local engine answers within milliseconds, also on a busy machine.
const answerWithin = 10 * time.Second

// Engine is a connected container engine on this machine.
type Engine struct {
	*client.Client
	Version string // as the engine tells it, for the run's head
}

// Problem is what stands between the suite and an engine, an image or a container, in one line.
type Problem struct { //nolint:errname // callers read engine.Problem, which says it better than engine.ProblemError
	What string // what is wrong and where
	Do   string // what to do about it
	Err  error  // the cause; may be nil
}

// Error is one line: what, why, and what to do.
func (p *Problem) Error() string {
	line := p.What
	if p.Err != nil {
		line += ": " + strings.Join(strings.Fields(p.Err.Error()), " ")
	}
	return line + "; " + p.Do
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Connect finds the engine and makes testcontainers-go use the same one, with published ports on localhost: inside a
// container that was handed the engine's socket it would otherwise take the default gateway for the engine's host.
// A missing, closed or remote engine is a *Problem.
func Connect(ctx context.Context) (*Engine, error) {
	host, err := findHost(ctx)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"DOCKER_HOST": host, "TESTCONTAINERS_HOST_OVERRIDE": "localhost"} {
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
	}
	log.SetDefault(log.NewNoopLogger()) // or testcontainers-go greets the engine in eight lines
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return nil, &Problem{What: "the engine's address cannot be used, " + host, Do: "correct DOCKER_HOST", Err: err}
	}
	asking, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	version, err := docker.ServerVersion(asking, client.ServerVersionOptions{})
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), docker.Close()) // the caller gave up, which says nothing of the engine
	}
	if err != nil {
		return nil, errors.Join(explain(host, reach(ctx, host, err)), docker.Close())
	}
	return &Engine{Client: docker, Version: version.Version}, nil
}

// findHost returns the engine's address: DOCKER_HOST, the docker client's current context, or the first of the usual
// sockets that is there.
func findHost(ctx context.Context) (string, error) {
	host := os.Getenv("DOCKER_HOST")
	if host == "" {
		host = contextHost(ctx)
	}
	for _, path := range usualSockets() {
		if host == "" && exists(path) {
			host = "unix://" + path
		}
	}
	if host == "" {
		return "", explain(client.DefaultDockerHost, os.ErrNotExist)
	}
	return host, refuseRemote(host)
}

// contextHost asks the docker client, where there is one, for the address that its current context names.
func contextHost(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", "context", "inspect", "--format", "{{.Endpoints.docker.Host}}").Output()
	if err != nil {
		return "" // no client, or one without contexts: the usual sockets are next
	}
	return strings.TrimSpace(string(out))
}

func usualSockets() []string {
	sockets := []string{strings.TrimPrefix(client.DefaultDockerHost, "unix://")}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		sockets = append(sockets, filepath.Join(dir, "docker.sock"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		sockets = append(sockets, filepath.Join(home, ".docker", "run", "docker.sock"))
	}
	return sockets
}

// reach returns why the engine's socket cannot be opened, with the system's error in it, or what the client said when it
// can be. The client itself tells of a permission that is missing only in words, as of an engine that is not there.
func reach(ctx context.Context, host string, said error) error {
	path, ok := strings.CutPrefix(host, "unix://")
	if !ok || errors.Is(said, context.DeadlineExceeded) {
		return said
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	_ = connection.Close()
	return said
}

// schemes are those that the engine's client can have in an address; without this list "localhost:2375" would be an
// address with the scheme localhost, on another machine.
var schemes = []string{"unix", "npipe", "tcp", "http", "https", "ssh"}

// refuseRemote holds the suite to engines of this machine: brokers are published on 127.0.0.1 only.
func refuseRemote(host string) error {
	address, err := url.Parse(host)
	if err != nil || !slices.Contains(schemes, address.Scheme) {
		return &Problem{
			What: fmt.Sprintf("the engine's address %q is not one", host),
			Do:   "set DOCKER_HOST to something like unix:///var/run/docker.sock",
		}
	}
	name := address.Hostname()
	ip := net.ParseIP(name)
	if address.Scheme == "unix" || address.Scheme == "npipe" || name == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return &Problem{
		What: fmt.Sprintf("the engine at %s is on another machine, and brokers are published on 127.0.0.1 only", host),
		Do:   "run the suite where the engine is",
	}
}

// explain turns the engine client's error into a Problem that says what to do.
func explain(host string, err error) error {
	switch {
	// The client drops the cause of this one and keeps only its words.
	case errors.Is(err, os.ErrPermission), strings.Contains(err.Error(), "permission denied"):
		return &Problem{
			What: "the container engine at " + host + " does not let this user in",
			Do:   "join the group that owns the socket (usually docker), or run as root", Err: syscall.EACCES,
		}
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{
			What: fmt.Sprintf("the container engine at %s has not answered within %s", host, answerWithin),
			Do:   "restart it, or see its log", Err: err,
		}
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), client.IsErrConnectionFailed(err):
		return &Problem{
			What: "no container engine answers at " + host,
			Do:   "start it (make engine installs and starts one on Debian and Ubuntu), or set DOCKER_HOST",
		}
	default:
		return &Problem{What: "the container engine at " + host + " is of no use", Do: "check it with: docker version", Err: err}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
