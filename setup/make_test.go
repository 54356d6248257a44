// Package setup tests what the Makefile does with what a user gives it, without running what it starts.
package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// made runs make as a user does, with a go command that only prints what it is given, a line for each argument.
func made(t *testing.T, args ...string) (out string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nprintf '<%s>\\n' \"$@\"\n"), 0o755))
	cmd := exec.Command("make", append([]string{"-s", "--no-print-directory"}, args...)...)
	cmd.Dir = ".."
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		switch name { // those of the make that runs this test
		case "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "DIR", "VERSIONS", "TIMEOUT", "RANDOM_ORDER", "KAFKA_VERSION", "KAFKA_HA_IMAGE":
		default:
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	return string(said), err == nil
}

func TestRejudgeTakesTheFolderAsItIs(t *testing.T) {
	for _, dir := range []string{"/nope; echo X", "out/a b/c", `it's "so"`, "$(echo X)", "$$HOME", "`echo X`", "$(shell echo X)", "*", "-h"} {
		out, ok := made(t, "rejudge", "DIR="+dir)
		require.True(t, ok, out)
		require.Equal(t, "<run>\n<./fixtures/cmd/rejudge>\n<"+dir+">\n", out)
	}
	out, ok := made(t, "rejudge")
	require.False(t, ok)
	first, _, _ := strings.Cut(out, "\n")
	require.Equal(t, "rejudge: say what to judge: make rejudge DIR=out/RUN/SCENARIO/TOPIC", first)
}

// Nothing is set up and nothing started, and make's own line follows ours.
func TestNonsenseIsRefusedFirst(t *testing.T) {
	for _, c := range []struct{ target, given, want string }{
		{"ha", "TIMEOUT=soon", "setup: TIMEOUT is 'soon'; want a time such as 20m or 1h30m, or 0 for no end"},
		{"ha", "TIMEOUT=20", "setup: TIMEOUT is '20'; want a time such as 20m"},
		{"ha", "TIMEOUT=", "setup: TIMEOUT is ''; want a time such as 20m"},
		{"ha", "TIMEOUT=1m; echo X", "setup: TIMEOUT is '1m; echo X'; want a time such as 20m"},
		{"bench", "TIMEOUT=-1m", "setup: TIMEOUT is '-1m'; want a time such as 20m"},
		{"test", "TIMEOUT=99999999999h", "setup: TIMEOUT is '99999999999h'; want a time such as 20m"},
		{"ha", "RANDOM_ORDER=yes", "setup: RANDOM_ORDER is 'yes'; want 1 for a random order, or the seed"},
		{"ha", "RANDOM_ORDER=1 2", "setup: RANDOM_ORDER is '1 2'; want 1"},
		{"ha", "KAFKA_VERSION=4.3", "setup: KAFKA_VERSION is '4.3'; want three numbers, from 4.0.0 on, such as 4.3.1"},
		{"ha", "KAFKA_VERSION=3.9.0", "setup: KAFKA_VERSION is '3.9.0'; want three numbers, from 4.0.0 on"},
		{"ha", "TAGS=~", "setup: TAGS is '~'; want tags, such as @A7"},
		{"ha", "KAFKA_VERSION=", "setup: KAFKA_VERSION is ''; want three numbers"},
		{"image", "KAFKA_VERSION=$(shell echo 4.3.1)", "setup: KAFKA_VERSION is '$(shell echo 4.3.1)'; want three numbers"},
		{"setup", "KAFKA_HA_IMAGE=--help", "setup: KAFKA_HA_IMAGE is '--help'; want the name of an image"},
		{"setup", "KAFKA_HA_IMAGE=a b", "setup: KAFKA_HA_IMAGE is 'a b'; want the name of an image"},
		{"matrix", "VERSIONS=4.3.1 ../up", "matrix: VERSIONS has '../up'; want three numbers each"},
		{"matrix", "VERSIONS=4.3.1; echo X", "matrix: VERSIONS has '4.3.1;'; want three numbers each"},
		{"matrix", "VERSIONS=*", "matrix: VERSIONS has '*'; want three numbers each"},
		{"matrix", "VERSIONS=", "matrix: name at least one Kafka version"},
	} {
		t.Run(c.given, func(t *testing.T) {
			out, ok := made(t, c.target, c.given)
			require.False(t, ok)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			require.Len(t, lines, 2, out)
			require.Contains(t, lines[0], c.want)
			require.Contains(t, lines[1], "***")
		})
	}
}

func TestWhatMakesSenseIsTaken(t *testing.T) {
	for _, given := range []string{
		"TIMEOUT=1h30m", "TIMEOUT=0", "TIMEOUT=2.5h", "RANDOM_ORDER=1", "RANDOM_ORDER=5738", "RANDOM_ORDER=", "KAFKA_VERSION=4.10.0",
		"KAFKA_HA_IMAGE=registry.example:5000/me/kafka_x@sha256:0a1b", "KAFKA_HA_IMAGE=",
	} {
		out, ok := made(t, "given", given)
		require.True(t, ok, out)
		require.Empty(t, out)
	}
}

func TestHelpShowsWhatIsGiven(t *testing.T) {
	out, ok := made(t, "help", `VERSIONS=it's $(shell echo X) "4"`)
	require.True(t, ok, out)
	require.Contains(t, out, `; now it's $(shell echo X) "4"`+"\n")
	require.Contains(t, out, "@A13,@A15 (a comma is or)")
}
