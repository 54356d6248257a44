package runner

import (
	"bytes"
	"io"
	"regexp"
)

// plainSteps passes on what godog prints, line by line, without the place where each sentence is registered: it is the
// same few lines of package steps for all of them, and says nothing to who reads a run.
type plainSteps struct {
	to   io.Writer
	rest []byte // of a line that is not ended yet
}

var registered = regexp.MustCompile(`[ \t]*(\x1b\[[\d;]*m)?# initialize\.go:\d+ -> [^\x1b\n]*(\x1b\[0m)?`)

// Write reports all of p as written, as io.Writer asks for, also where less was passed on or not yet.
func (s *plainSteps) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	end := bytes.LastIndexByte(s.rest, '\n') + 1
	if _, err := s.to.Write(registered.ReplaceAll(s.rest[:end], nil)); err != nil {
		return 0, err
	}
	s.rest = append(s.rest[:0], s.rest[end:]...)
	return len(p), nil
}

// Close passes on a last line without an end, as the format progress prints one.
func (s *plainSteps) Close() error {
	_, err := s.to.Write(registered.ReplaceAll(s.rest, nil))
	s.rest = nil
	return err
}
