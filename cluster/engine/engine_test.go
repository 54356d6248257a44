package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asOther makes this test binary connect to DOCKER_HOST and print the outcome, for a user whom a socket keeps out.
const asOther = "KAFKA_HA_TEST_CONNECT"

func TestMain(m *testing.M) {
	BeJanitor()
	if os.Getenv(asKilled) != "" {
		scratchUntilKilled()
	}
	if os.Getenv(asOther) != "" {
		_, err := Connect(context.Background())
		fmt.Print(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestExplain(t *testing.T) {
	const host = "unix:///run/engine.sock"
	refused := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	const start = "no container engine answers at unix:///run/engine.sock; start it (make engine installs and starts one on Debian and Ubuntu), or set DOCKER_HOST"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"socket, permission missing, says which group": {
			&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)},
			"the container engine at unix:///run/engine.sock does not let this user in: permission denied; join the group that owns the socket (usually docker), or run as root",
		},
		"socket, not there, says how to start an engine":          {fmt.Errorf("dial: %w", syscall.ENOENT), start},
		"socket, nobody listens on it, says how to start one":     {refused, start},
		"engine, does not answer in time, says to restart it":     {fmt.Errorf("get version: %w", context.DeadlineExceeded), "the container engine at unix:///run/engine.sock has not answered within 10s: get version: context deadline exceeded; restart it, or see its log"},
		"engine, any other error in several lines, takes one":     {errors.New("client version 1.51\n\tis too new"), "the container engine at unix:///run/engine.sock is of no use: client version 1.51 is too new; check it with: docker version"},
		"engine, permission as the standard library has it, too":  {fmt.Errorf("open: %w", os.ErrPermission), "the container engine at unix:///run/engine.sock does not let this user in: permission denied; join the group that owns the socket (usually docker), or run as root"},
		"socket, not there as the standard library has it, start": {fmt.Errorf("stat: %w", os.ErrNotExist), start},
	} {
		t.Run(name, func(t *testing.T) {
			err := explain(host, c.err)
			require.EqualError(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestRefuseRemote(t *testing.T) {
	for host, want := range map[string]string{
		"unix:///var/run/docker.sock":    "",
		"npipe:////./pipe/docker_engine": "",
		"tcp://127.0.0.1:2375":           "",
		"tcp://[::1]:2375":               "",
		"tcp://localhost:2375":           "",
		"tcp://10.1.2.3:2375":            "on another machine",
		"tcp://engine.example:2376":      "on another machine",
		"ssh://me@engine.example":        "on another machine",
		"tcp://:2375":                    "on another machine",
		"":                               "is not one",
		"/var/run/docker.sock":           "is not one",
		"127.0.0.1:2375":                 "is not one",
		"localhost:2375":                 "is not one",
		"tcp://%zz":                      "is not one",
	} {
		t.Run(host, func(t *testing.T) {
			err := refuseRemote(host)
			if want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, want)
			var problem *Problem
			require.ErrorAs(t, err, &problem)
			assert.NotEmpty(t, problem.Do)
		})
	}
}

func TestConnect(t *testing.T) {
	t.Run("an engine on a socket, answers, tells its version", func(t *testing.T) {
		newFake(t).onSocket(t)
		e, err := Connect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "29.0.0-fake", e.Version)
		require.NoError(t, e.Close())
	})
	t.Run("no socket, is told as no engine", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none.sock")
		pointAt(t, "unix://"+path)
		_, err := Connect(t.Context())
		require.ErrorContains(t, err, "no container engine answers at unix://"+path+"; start it")
	})
	t.Run("a socket that nobody listens on, is told as no engine", func(t *testing.T) {
		path := deadSocket(t)
		pointAt(t, "unix://"+path)
		_, err := Connect(t.Context())
		require.ErrorContains(t, err, "no container engine answers at unix://"+path+"; start it")
	})
	t.Run("something else on the socket, is told as of no use, in one line", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "web.sock")
		listener, err := net.Listen("unix", path)
		require.NoError(t, err)
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Listener = listener
		server.Start()
		defer server.Close()
		pointAt(t, "unix://"+path)
		_, err = Connect(t.Context())
		require.ErrorContains(t, err, "is of no use")
		assert.NotContains(t, err.Error(), "\n")
	})
	t.Run("a socket of others, is told as a missing permission", func(t *testing.T) {
		path := newFake(t).onSocket(t)
		require.NoError(t, os.Chmod(path, 0))
		require.Contains(t, connectAsOther(t, path), "does not let this user in: permission denied; join the group")
	})
}

func deadSocket(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dead.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	listener.SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	return path
}

// connectAsOther returns what Connect says to a user without privileges: root is let in everywhere, so that a test run
// by root needs a process of somebody else's. The folders on the way to socket and binary are opened for it.
func connectAsOther(t *testing.T, socket string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), asOther+"=1")
	if os.Getuid() == 0 {
		open(t, socket)
		open(t, self)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	return string(said)
}

// open lets everybody through the temporary folders above a file.
func open(t *testing.T, file string) {
	t.Helper()
	for dir := filepath.Dir(file); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(dir, info.Mode()|0o111))
	}
}

func TestFindHost(t *testing.T) {
	for name, c := range map[string]struct {
		variable, inContext string // DOCKER_HOST, and what the docker client says; empty: there is no client
		want, err           string
	}{
		"DOCKER_HOST, set, is taken before the context":   {"unix:///a.sock", "unix:///b.sock", "unix:///a.sock", ""},
		"DOCKER_HOST, not set, the context is asked":      {"", "unix:///b.sock", "unix:///b.sock", ""},
		"context, of another machine, is refused":         {"", "tcp://10.1.2.3:2375", "", "on another machine"},
		"DOCKER_HOST, of another machine, is refused":     {"tcp://10.1.2.3:2375", "", "", "on another machine"},
		"no context, a usual socket or none, is answered": {"", "", "unix://", "no container engine answers"},
	} {
		t.Run(name, func(t *testing.T) {
			pointAt(t, c.variable)
			bin := t.TempDir()
			if c.inContext != "" {
				script := "#!/bin/sh\necho " + c.inContext + "\n"
				require.NoError(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(script), 0o755))
			}
			t.Setenv("PATH", bin)
			host, err := findHost(t.Context())
			switch {
			case c.want == "": // refused
				require.ErrorContains(t, err, c.err)
			case err != nil: // only where this machine has no socket at any usual place
				require.NotEmpty(t, c.err)
				require.ErrorContains(t, err, c.err)
			default:
				assert.True(t, strings.HasPrefix(host, c.want), host)
			}
		})
	}
}
