package engine

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"kafka-ha/cluster/wait"
)

// removeWithin bounds the removal of one run's things. A killed broker is gone in under a second; the rest is the
// engine's own work.
const removeWithin = 60 * time.Second

// Left counts what stands of one or more runs.
type Left struct {
	Containers, Networks, Volumes []string // names, or ids where there is no name
}

// Empty reports that nothing stands.
func (l Left) Empty() bool { return len(l.Containers)+len(l.Networks)+len(l.Volumes) == 0 }

// String counts: "3 containers, 1 networks, 3 volumes".
func (l Left) String() string {
	return fmt.Sprintf("%d containers, %d networks, %d volumes", len(l.Containers), len(l.Networks), len(l.Volumes))
}

// Swept says what a sweep did with one run's leftovers.
type Swept struct {
	Run     string
	Left    Left
	Removed bool
	Why     string // why it was spared, when it was
}

// Sweep removes what dead runs left and returns what it found, by run. Things of living runs are not listed; those
// whose owner cannot be judged from here are spared and named, and so is what KAFKA_HA_KEEP kept unless kept is true.
func (e *Engine) Sweep(ctx context.Context, kept bool) ([]Swept, error) {
	runs, err := e.labelled(ctx)
	if err != nil {
		return nil, err
	}
	var done []Swept
	for _, id := range sortedKeys(runs) {
		swept := Swept{Run: id, Why: spare(runs[id], kept)}
		if swept.Why == alive {
			continue
		}
		if swept.Left, err = e.Left(ctx, OfRun(id)); err != nil {
			return done, err
		}
		if swept.Why == "" {
			if err := e.Remove(ctx, OfRun(id)); err != nil {
				return done, err
			}
			swept.Removed = true
		}
		done = append(done, swept)
	}
	return done, nil
}

const alive = "its process lives"

// spare returns why leftovers with these labels must not be removed, or nothing.
func spare(labels map[string]string, kept bool) string {
	who, err := parseOwner(labels[LabelOwner])
	switch {
	case err != nil:
		return err.Error()
	case who.place != place():
		return "its process belongs to " + who.place
	case !who.gone():
		return alive
	case labels[LabelKeep] == "1" && !kept:
		return "kept on request"
	}
	return ""
}

// Selector picks containers, networks and volumes by one label.
type Selector string

// OfRun selects everything that a run made.
func OfRun(id string) Selector { return Selector(LabelRun + "=" + id) }

// OfCluster selects everything that belongs to one cluster.
func OfCluster(id string) Selector { return Selector(LabelCluster + "=" + id) }

func (s Selector) selects(labels map[string]string) bool {
	key, value, _ := strings.Cut(string(s), "=")
	return labels[key] == value
}

// Left lists what stands.
func (e *Engine) Left(ctx context.Context, of Selector) (Left, error) {
	return e.left(ctx, of, map[string]bool{})
}

// left also lists the volumes that selected containers have mounted or, by the names in mounted, had when they were
// listed before. A container that is created just after its volume was removed gets another of that name, but without
// labels.
func (e *Engine) left(ctx context.Context, of Selector, mounted map[string]bool) (Left, error) {
	var left Left
	filters := make(client.Filters).Add("label", string(of))
	containers, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return left, fmt.Errorf("list containers: %w", err)
	}
	for _, c := range containers.Items {
		left.Containers = append(left.Containers, c.ID)
		for _, m := range c.Mounts {
			if m.Type == mount.TypeVolume {
				mounted[m.Name] = true
			}
		}
	}
	networks, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	if err != nil {
		return left, fmt.Errorf("list networks: %w", err)
	}
	for _, n := range networks.Items {
		left.Networks = append(left.Networks, n.ID)
	}
	volumes, err := e.VolumeList(ctx, client.VolumeListOptions{})
	if err != nil {
		return left, fmt.Errorf("list volumes: %w", err)
	}
	for _, v := range volumes.Items {
		if of.selects(v.Labels) || mounted[v.Name] {
			left.Volumes = append(left.Volumes, v.Name)
		}
	}
	return left, nil
}

// Remove kills and removes everything selected: containers, then what they held. It looks again until nothing
// stands, because a request that was under way when its process died may still be carried out.
func (e *Engine) Remove(ctx context.Context, of Selector) error {
	var blocked error // why the last round could not remove something, for the message
	volumes := map[string]bool{}
	_, err := wait.Until(ctx, "nothing is left of "+string(of), removeWithin, func(ctx context.Context) (Left, bool, error) {
		left, err := e.left(ctx, of, volumes)
		if err != nil || left.Empty() {
			return left, err == nil, err
		}
		blocked = e.removeAll(ctx, left)
		return left, false, nil
	})
	if err != nil {
		return errors.Join(err, blocked)
	}
	return nil
}

func (e *Engine) removeAll(ctx context.Context, left Left) error {
	var problems []error
	for _, id := range left.Containers {
		_, err := e.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		problems = append(problems, unlessGone(err))
	}
	for _, name := range left.Volumes {
		_, err := e.VolumeRemove(ctx, name, client.VolumeRemoveOptions{Force: true})
		problems = append(problems, unlessGone(err))
	}
	for _, id := range left.Networks {
		_, err := e.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
		problems = append(problems, unlessGone(err))
	}
	return errors.Join(problems...)
}

// unlessGone drops the error of removing what somebody else has removed or is removing.
func unlessGone(err error) error {
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}

// labelled returns, for each run that something stands of, one set of its labels.
func (e *Engine) labelled(ctx context.Context) (map[string]map[string]string, error) {
	runs := map[string]map[string]string{}
	filters := make(client.Filters).Add("label", LabelRun)
	containers, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	for _, c := range containers.Items {
		runs[c.Labels[LabelRun]] = c.Labels
	}
	networks, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	for _, n := range networks.Items {
		runs[n.Labels[LabelRun]] = n.Labels
	}
	volumes, err := e.VolumeList(ctx, client.VolumeListOptions{Filters: filters})
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	for _, v := range volumes.Items {
		runs[v.Labels[LabelRun]] = v.Labels
	}
	return runs, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
