package engine

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
)

func TestOwner(t *testing.T) {
	me, err := self()
	require.NoError(t, err)

	t.Run("label, written and read, names the same process", func(t *testing.T) {
		read, err := parseOwner(me.String())
		require.NoError(t, err)
		assert.Equal(t, me, read)
	})
	for _, label := range []string{"", "here", "here/12", "here/12/34/56", "here/x/34", "here/12/x", "here/99999999999/1", "here/0/1", "here/-4/1"} {
		t.Run("label, unreadable as "+label+", is an error that quotes it", func(t *testing.T) {
			_, err := parseOwner(label)
			require.ErrorContains(t, err, `owner "`+label+`"`)
		})
	}
	t.Run("own process, is not gone", func(t *testing.T) { assert.False(t, me.gone()) })
	t.Run("same id with another start time, is gone", func(t *testing.T) {
		earlier := me
		earlier.started -= 60_000
		assert.True(t, earlier.gone())
	})
	t.Run("same id, start time corrected by half a second, is not gone", func(t *testing.T) {
		corrected := me
		corrected.started += 500
		assert.False(t, corrected.gone())
	})
	t.Run("a process of another place, is never gone", func(t *testing.T) {
		foreign := owner{place: "elsewhere-1", pid: 1 << 30, started: 1}
		assert.False(t, foreign.gone())
	})
	t.Run("own process that /proc does not show, is not gone", func(t *testing.T) {
		t.Setenv("HOST_PROC", t.TempDir())
		assert.False(t, me.gone())
	})
}

func TestOwnerOfAChild(t *testing.T) {
	cmd := exec.Command("cat")
	pipe, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	started, err := startTime(int32(cmd.Process.Pid)) // process ids fit
	require.NoError(t, err)
	child := owner{place: place(), pid: int32(cmd.Process.Pid), started: started}

	assert.False(t, child.gone(), "running")
	require.NoError(t, pipe.Close())
	_, err = wait.Until(t.Context(), "an ended child that nobody waited for is gone", 5*time.Second, func(context.Context) (bool, bool, error) {
		gone := child.gone()
		return gone, gone, nil
	})
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	assert.True(t, child.gone(), "waited for")
}

func TestRun(t *testing.T) {
	t.Run("identity, made twice, differs and sorts by time", func(t *testing.T) {
		assert.Regexp(t, `^\d{8}-\d{6}-[0-9a-f]{4}$`, NewRun(false).ID)
	})
	t.Run("labels, of a run, name run and owner", func(t *testing.T) {
		labels, err := Run{ID: "r1"}.Labels()
		require.NoError(t, err)
		me, err := self()
		require.NoError(t, err)
		assert.Equal(t, map[string]string{LabelRun: "r1", LabelOwner: me.String()}, labels)
	})
	t.Run("labels, of a run that keeps, say so", func(t *testing.T) {
		labels, err := Run{ID: "r1", Keep: true}.Labels()
		require.NoError(t, err)
		assert.Equal(t, "1", labels[LabelKeep])
	})
}
