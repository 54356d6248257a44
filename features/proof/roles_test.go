package proof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster"
	"kafka-ha/cluster/engine"
	"kafka-ha/steps"
	"kafka-ha/steps/runner"
)

// What a child may be started for, besides running the features.
const (
	roleEnv     = "KAFKA_HA_TEST_ROLE"
	everyFormat = "format" // run the same features under each format, on one cluster
	panics      = "panic"  // make a container and panic in a goroutine
	lingers     = "linger" // make a container and never end
)

// made is printed when the things of a role are made.
const made = "made things, run"

var formats = []string{"pretty", "progress", "junit", "cucumber", "events"}

// TestRole is what a child does in its role; in a run of its own it has none.
func TestRole(t *testing.T) {
	switch role := os.Getenv(roleEnv); role {
	case "":
	case everyFormat:
		runEveryFormat(t)
	case panics:
		makeThings(t)
		go func() { panic("somewhere in a goroutine") }()
		select {}
	case lingers:
		makeThings(t)
		select {}
	default:
		t.Fatalf("no role %q", role)
	}
}

func runEveryFormat(t *testing.T) {
	session, err := engine.Begin(t.Context(), false, func(string) {})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.End(t.Context(), false)) }()
	c, err := cluster.Start(t.Context(), cluster.On(session))
	require.NoError(t, err)
	other := func(context.Context, steps.Need) (*cluster.Cluster, error) {
		return nil, errors.New("one cluster for all")
	}
	pool := steps.NewPool(other, func(string, ...any) {})
	pool.Add(steps.Need{}, c)
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			s := settings
			s.Godog.Format = format
			err := runner.RunOn(t.Context(), t, s, &steps.Suite{Clusters: pool, Dir: t.TempDir(), Print: func(string, ...any) {}})
			fmt.Printf("\nverdict under %s: %v\n", format, err)
		})
	}
}

// makeThings makes what a cluster consists of, one of each, by the session of a run, and one volume that the engine
// makes by itself, without labels, as it does for a container that is created when its volume has been removed.
func makeThings(t *testing.T) {
	session, err := engine.Begin(t.Context(), false, func(string) {})
	require.NoError(t, err)
	image, err := session.ChooseImage(t.Context(), func(string) {})
	require.NoError(t, err)
	labels, err := session.Run.Labels()
	require.NoError(t, err)
	name := "kafka-ha-test-" + session.Run.ID
	labels[engine.LabelCluster] = session.Run.ID
	_, err = session.NetworkCreate(t.Context(), name, client.NetworkCreateOptions{Driver: "bridge", Labels: labels})
	require.NoError(t, err)
	_, err = session.VolumeCreate(t.Context(), client.VolumeCreateOptions{Name: name, Labels: labels})
	require.NoError(t, err)
	one, err := session.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: image.Name, Entrypoint: []string{"sleep", "600"}, Labels: labels},
		HostConfig: &container.HostConfig{NetworkMode: container.NetworkMode(name), Binds: []string{name + ":/mnt", name + "-late:/late"}},
	})
	require.NoError(t, err)
	_, err = session.ContainerStart(t.Context(), one.ID, client.ContainerStartOptions{})
	require.NoError(t, err)
	fmt.Println(made, session.Run.ID)
}
