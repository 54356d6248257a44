package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"kafka-ha/cluster/wait"
)

// What a process that was started to clean up after a run is told.
const (
	janitorFor    = "KAFKA_HA_JANITOR"         // the run
	janitorFolder = "KAFKA_HA_JANITOR_SCRATCH" // the run's folder, whether it was made or not
)

// keepWord is written to the janitor when the run's things are to be left standing.
const keepWord = "keep"

var mayHire bool

// Janitor is a second process that outlives this one and removes what it leaves: after a panic in some goroutine,
// go test's own -timeout or SIGKILL, none of which run deferred calls. It holds the reading end of a pipe; when the
// writing end closes, for whatever reason, this process is gone.
type Janitor struct {
	process *exec.Cmd
	pipe    io.WriteCloser
}

// BeJanitor turns this process into a janitor if it was started as one, and then never returns. TestMain of each
// package that starts clusters calls it first; Hire refuses to work where that was forgotten.
func BeJanitor() {
	mayHire = true
	run := os.Getenv(janitorFor)
	if run == "" {
		return
	}
	if err := cleanUpAfter(run, os.Getenv(janitorFolder)); err != nil {
		os.Exit(1) //nolint:forbidigo // this process was started to be a janitor and has nothing of its own to clean
	}
	os.Exit(0) //nolint:forbidigo // as above
}

func cleanUpAfter(run, folder string) error {
	word, err := io.ReadAll(os.Stdin)
	if err != nil || string(word) == keepWord {
		return err
	}
	removed := os.RemoveAll(folder) // first, since it needs no engine
	ctx, cancel := context.WithTimeout(context.Background(), 2*removeWithin)
	defer cancel()
	e, err := Connect(ctx)
	if err != nil {
		return errors.Join(removed, err)
	}
	defer func() { _ = e.Close() }()
	return errors.Join(removed, e.removeAfterDeath(ctx, OfRun(run)))
}

// lateWithin is how long the engine may take to carry out a request whose caller has died.
const lateWithin = 5 * time.Second

// removeAfterDeath removes what stands, and then what still comes up: the run may have died in the middle of a request.
// A run that ended in order has left nothing, and nothing is waited for.
func (e *Engine) removeAfterDeath(ctx context.Context, of Selector) error {
	left, err := e.Left(ctx, of)
	for err == nil && !left.Empty() {
		if err = e.Remove(ctx, of); err != nil {
			break
		}
		settled := wait.Stays(ctx, "nothing comes up again", lateWithin, func(ctx context.Context) (Left, bool, error) {
			left, err = e.Left(ctx, of)
			return left, left.Empty(), err
		})
		if settled == nil {
			return nil
		}
	}
	return err
}

// Hire starts a janitor for the run, out of reach of the terminal's Ctrl-C. It writes nothing anywhere: go test would
// wait for an inherited output to close.
func Hire(run Run) (*Janitor, error) {
	if !mayHire {
		return nil, errors.New("hire janitor: TestMain must call engine.BeJanitor first")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("hire janitor: %w", err)
	}
	folder, err := run.scratch()
	if err != nil {
		return nil, fmt.Errorf("hire janitor: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), janitorFor+"="+run.ID, janitorFolder+"="+folder)
	cmd.Dir = "/" // it must hold no folder that somebody wants to remove
	cmd.SysProcAttr = ownSession()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("hire janitor: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("hire janitor: %w", err)
	}
	return &Janitor{process: cmd, pipe: pipe}, nil
}

// Dismiss ends the janitor and waits for it. With keep it leaves everything standing, else it removes what is left.
func (j *Janitor) Dismiss(keep bool) error {
	if keep {
		if _, err := io.WriteString(j.pipe, keepWord); err != nil {
			return fmt.Errorf("tell janitor to keep the cluster: %w", err)
		}
	}
	if err := j.pipe.Close(); err != nil {
		return fmt.Errorf("dismiss janitor: %w", err)
	}
	timer := time.AfterFunc(2*removeWithin, func() { _ = j.process.Process.Kill() })
	defer timer.Stop()
	if err := j.process.Wait(); err != nil {
		return fmt.Errorf("janitor: %w", err)
	}
	return nil
}
