package proof

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-ha/cluster/engine"
)

// One start for the ways to select: a path as typed at the top of the repository, a name for -run, an order; and for
// the run of somebody else on the same engine at the same time.
func TestTwoRunsAtOnce(t *testing.T) {
	needEngine(t)
	takeClusters(t, 2)
	first := launch(t, nil, "-godog.paths=features/leader_spread.feature,features/replication_factor.feature", "-godog.random",
		"-test.run=^TestFeatures$/^(twelve_partitions|more_replicas)")
	first.saw("starting three brokers, run ", atOnce)
	dir := folder(t, map[string]string{"holds.feature": holds})
	second := launch(t, nil, theFeatures, "-godog.paths="+dir) // from outside the repository
	second.green(withCluster)
	first.green(withCluster)
	require.Contains(t, first.out.String(), "Randomized with seed")
	for _, name := range []string{"twelve_partitions_are_four_leaders_and_eight_followers_per_broker", "more_replicas_than_brokers_are_refused"} {
		require.Contains(t, first.out.String(), "--- PASS: TestFeatures/"+name)
	}
	require.Equal(t, 2, strings.Count(first.out.String(), "--- PASS: TestFeatures/"), "only what was picked")
	require.Contains(t, second.out.String(), "--- PASS: TestFeatures/four_leaders_each")
	require.NotContains(t, first.out.String(), "what run "+runOf(t, second), "neither sweeps or spares what the other has")
	require.NotContains(t, second.out.String(), "what run "+runOf(t, first), "neither sweeps or spares what the other has")
}

// A failed run that is to be kept: what it prints must be true, and an explicit sweep must end it.
func TestKeptCluster(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	dir := folder(t, map[string]string{"a.feature": holds, "b.feature": breaks, "c.feature": holds})
	c := launch(t, []string{"KAFKA_HA_KEEP=1"}, theFeatures, "-godog.paths="+dir)
	t.Cleanup(func() { require.NoError(t, c.engine.docker.Remove(context.Background(), engine.OfRun(runOf(t, c)))) })
	require.Equal(t, 1, c.exit(withCluster))
	require.Contains(t, c.out.String(), "--- FAIL: TestFeatures/five_leaders_each")
	require.Contains(t, c.out.String(), "--- PASS: TestFeatures/four_leaders_each")
	require.Contains(t, c.out.String(), "1 of 3 scenarios failed")
	require.FileExists(t, filepath.Join(c.reports, "junit.xml"))

	printed := regexp.MustCompile(`cluster (\S+) is kept: bootstrap servers (\S+); .*remove it with: make sweep`).FindStringSubmatch(c.out.String())
	require.NotNil(t, printed, "the line on how to reach the cluster and how to remove it")
	for address := range strings.SplitSeq(printed[2], ",") {
		session, err := kgo.NewClient(kgo.SeedBrokers(address))
		require.NoError(t, err)
		require.NoError(t, session.Ping(t.Context()), "%s answers", address)
		session.Close()
	}
	watchEnd(t)
	require.Contains(t, sweep(t, c, false).Why, "kept on request", "a sweep at a run's start spares it")
	if othersKeep(t, c) {
		t.Log("somebody else keeps a cluster in this engine: removed by the run's id, not by a sweep")
		return // the cleanup does
	}
	require.True(t, sweep(t, c, true).Removed, "an explicit sweep removes it")
	c.leavesNothing()
}

// sweep sweeps as a run does, or as somebody does by hand, and returns what that meant for the child's run.
func sweep(t *testing.T, c *child, kept bool) engine.Swept {
	t.Helper()
	all, err := c.engine.docker.Sweep(t.Context(), kept)
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(s engine.Swept) bool { return s.Run == runOf(t, c) })
	require.GreaterOrEqual(t, at, 0, "the sweep finds the run")
	return all[at]
}

// othersKeep reports that an explicit sweep would remove what others want to keep.
func othersKeep(t *testing.T, c *child) bool {
	t.Helper()
	kept, err := c.engine.docker.ContainerList(t.Context(), client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", engine.LabelKeep+"=1"),
	})
	require.NoError(t, err)
	return slices.ContainsFunc(kept.Items, func(one container.Summary) bool { return one.Labels[engine.LabelRun] != runOf(t, c) })
}

func runOf(t *testing.T, c *child) string {
	t.Helper()
	run := regexp.MustCompile(`starting three brokers, run (\S+)`).FindStringSubmatch(c.out.String())
	require.NotNil(t, run)
	return run[1]
}
