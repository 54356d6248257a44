package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
)

// asKilled makes this test binary a run that holds a folder until it is killed.
const asKilled = "KAFKA_HA_TEST_KILLED"

// scratchUntilKilled prints the folder once something is in it.
func scratchUntilKilled() {
	s := Session{Run: NewRun(false)}
	_, err := Hire(s.Run)
	var folder string
	if err == nil {
		folder, err = s.Scratch()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "ledger.ndjson"), []byte("{}\n"), 0o600)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(folder)
	_, _ = io.Copy(io.Discard, os.Stdin) // which the test does not close
	os.Exit(1)
}

// It needs no engine: the folder goes where none answers, too.
func TestTheFolderOfAKilledRunIsRemoved(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	temp := t.TempDir()
	cmd.Env = append(os.Environ(), asKilled+"=1", "TMPDIR="+temp, "DOCKER_HOST=unix://"+filepath.Join(temp, "none.sock"))
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	folder := strings.TrimSpace(line)
	require.FileExists(t, filepath.Join(folder, "ledger.ndjson"))
	require.Equal(t, temp, filepath.Dir(folder))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "killed")
	_, err = wait.Until(t.Context(), "the janitor has removed the folder", 10*time.Second, func(context.Context) (string, bool, error) {
		_, err := os.Stat(folder)
		return folder, errors.Is(err, fs.ErrNotExist), nil
	})
	require.NoError(t, err)
}

func TestTheFolderOfARunGoesWithItsEnd(t *testing.T) {
	newFake(t).onSocket(t)
	t.Setenv("TMPDIR", t.TempDir())
	for _, keep := range []bool{false, true} {
		s, err := Begin(t.Context(), keep, func(string) {})
		require.NoError(t, err)
		folder, err := s.Scratch()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "ledger.ndjson"), nil, 0o600))
		require.NoError(t, s.End(t.Context(), keep))
		require.NoDirExists(t, folder)
	}
}
