//go:build unix

package proof

import (
	"os/exec"
	"syscall"
)

// asNobody runs cmd as a user without rights. 65534 is nobody nearly everywhere, and owns nothing.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
