package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Session is the engine as one run uses it: leftovers of dead runs swept, a janitor standing by.
type Session struct {
	*Engine
	Run     Run
	Reaper  bool // testcontainers-go's own reaper is on as well
	janitor *Janitor

	mu    sync.Mutex
	image Image // the one that was chosen, once one was
}

// Begin connects, removes what dead runs left, and hires the janitor. The caller must End the session.
// It tells what it does through progress, a line at a time.
func Begin(ctx context.Context, keep bool, progress func(string)) (*Session, error) {
	e, err := Connect(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{Engine: e, Run: NewRun(keep)}
	if s.janitor, err = Hire(s.Run); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if s.Reaper, err = e.UseReaper(ctx, keep); err != nil {
		return nil, errors.Join(err, s.End(ctx, false))
	}
	swept, err := e.Sweep(ctx, false)
	for _, one := range swept {
		if !one.Left.Empty() { // else somebody else's sweep was faster
			progress(one.String())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sweep: %w", err), s.End(ctx, false))
	}
	return s, nil
}

// ChooseImage chooses as Engine.ChooseImage does, once: a run tests one image.
func (s *Session) ChooseImage(ctx context.Context, progress func(string)) (Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.image.Name != "" {
		return s.image, nil
	}
	chosen, err := s.Engine.ChooseImage(ctx, progress)
	if err == nil {
		s.image = chosen
	}
	return chosen, err
}

// Scratch makes a folder for what the run needs no longer than it lives. It can be made once. End removes it, and the
// janitor does so where a kill kept the run from its End.
func (s *Session) Scratch() (string, error) {
	folder, err := s.Run.scratch()
	if err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("folder of the run: %w", err)
	}
	return folder, nil
}

// End removes everything that the run made, unless keep, and lets the janitor go. It needs a context that is still
// alive: after Ctrl-C a fresh one.
func (s *Session) End(ctx context.Context, keep bool) error {
	var removed error
	if !keep {
		removed = s.Remove(ctx, OfRun(s.Run.ID))
	}
	folder, err := s.Run.scratch()
	if err == nil {
		err = os.RemoveAll(folder)
	}
	return errors.Join(removed, err, s.janitor.Dismiss(keep), s.Close())
}

// String is one line on what became of a run's leftovers.
func (s Swept) String() string {
	if s.Removed {
		return fmt.Sprintf("removed what run %s left: %s", s.Run, s.Left)
	}
	return fmt.Sprintf("spared what run %s left: %s (%s; make sweep removes what is dead or was kept)", s.Run, s.Left, s.Why)
}
