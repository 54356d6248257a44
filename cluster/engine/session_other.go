//go:build !unix

package engine

import "syscall"

func ownSession() *syscall.SysProcAttr { return nil }
