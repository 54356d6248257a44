package runner

import (
	"io"
	"regexp"
)

// plainSteps passes on what godog prints, without the place where each sentence is registered: it is the same few
// lines of package steps for all of them, and says nothing to who reads a run.
type plainSteps struct{ to io.Writer }

var registered = regexp.MustCompile(`[ \t]*(\x1b\[[\d;]*m)?# initialize\.go:\d+ -> [^\x1b\n]*(\x1b\[0m)?`)

// Write reports all of p as written, as io.Writer asks for, also where less was passed on.
func (s plainSteps) Write(p []byte) (int, error) {
	if _, err := s.to.Write(registered.ReplaceAll(p, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}
