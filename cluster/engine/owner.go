package engine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// Labels on everything that a run makes. The sweep goes by them and touches nothing else.
const (
	LabelRun     = "kafka-ha.run"     // the run's id
	LabelCluster = "kafka-ha.cluster" // the cluster's id, within the run
	LabelOwner   = "kafka-ha.owner"   // the process that answers for it, see owner
	LabelKeep    = "kafka-ha.keep"    // "1": the user asked for what a failed run leaves; only an explicit sweep removes it
)

// Run is the identity of one run of the suite: one process, any number of clusters.
type Run struct {
	ID   string // sorts by time, unique: 20261129-170321-4f2a
	Keep bool   // leave the clusters of a failed run standing
}

// NewRun returns a fresh identity.
func NewRun(keep bool) Run {
	var salt [2]byte
	_, _ = rand.Read(salt[:]) // never fails, see crypto/rand
	return Run{ID: time.Now().Format("20060102-150405-") + hex.EncodeToString(salt[:]), Keep: keep}
}

// Labels returns the labels for a container, network or volume of this run.
func (r Run) Labels() (map[string]string, error) {
	self, err := self()
	if err != nil {
		return nil, err
	}
	labels := map[string]string{LabelRun: r.ID, LabelOwner: self.String()}
	if r.Keep {
		labels[LabelKeep] = "1"
	}
	return labels, nil
}

// scratch is where the run's folder is, if it makes one: an absolute path, since its janitor works in another folder.
func (r Run) scratch() (string, error) {
	return filepath.Abs(filepath.Join(os.TempDir(), "kafka-ha-"+r.ID))
}

// owner names a process so that another process can tell whether it still lives. A process id alone is used again
// by others, and means nothing in another process id namespace: hence the start time and the place.
type owner struct {
	place   string // machine and process id namespace
	pid     int32
	started int64 // ms since the epoch
}

func self() (owner, error) {
	pid := int32(os.Getpid()) // process ids fit
	started, err := startTime(pid)
	if err != nil {
		return owner{}, fmt.Errorf("own start time: %w", err)
	}
	return owner{place: place(), pid: pid, started: started}, nil
}

// String is the label's value.
func (o owner) String() string { return fmt.Sprintf("%s/%d/%d", o.place, o.pid, o.started) }

func parseOwner(label string) (owner, error) {
	parts := strings.Split(label, "/")
	if len(parts) != 3 {
		return owner{}, fmt.Errorf("owner %q: want place/pid/start", label)
	}
	pid, err := strconv.ParseInt(parts[1], 10, 32)
	if err == nil && pid < 1 {
		err = fmt.Errorf("%d is none", pid)
	}
	if err != nil {
		return owner{}, fmt.Errorf("owner %q: process id: %w", label, err)
	}
	started, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return owner{}, fmt.Errorf("owner %q: start time: %w", label, err)
	}
	return owner{place: parts[0], pid: int32(pid), started: started}, nil
}

// gone reports that the process certainly lives no more. Of a process in another place nothing is certain.
func (o owner) gone() bool {
	if o.place != place() {
		return false
	}
	started, err := startTime(o.pid)
	if err != nil {
		return !answers(o.pid)
	}
	const clockSlack = 1000 // ms: the start time is derived from the boot time, which may be corrected
	return started < o.started-clockSlack || started > o.started+clockSlack || ended(o.pid)
}

// answers reports that a process with this id is there. It may be another user's, whom /proc does not show everywhere.
func answers(pid int32) bool {
	p, err := os.FindProcess(int(pid))
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// ended reports a process that has ended and that nobody has waited for: a container without an init process keeps
// such a one for ever.
func ended(pid int32) bool {
	p, err := process.NewProcess(pid)
	if err != nil {
		return false
	}
	status, err := p.Status()
	return err == nil && slices.Contains(status, process.Zombie)
}

func startTime(pid int32) (int64, error) {
	p, err := process.NewProcess(pid)
	if err != nil {
		return 0, err
	}
	return p.CreateTime()
}

// place identifies the machine and, on Linux, the process id namespace.
func place() string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	if namespace, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		name += "-" + strings.Trim(strings.TrimPrefix(namespace, "pid:"), "[]")
	}
	return strings.ReplaceAll(name, "/", "-")
}
