//go:build unix

package engine

import "syscall"

// ownSession puts a child beyond the signals of this terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
