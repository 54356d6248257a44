package proof

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// theFeatures picks TestFeatures in a child.
const theFeatures = "-test.run=^TestFeatures$"

// oneScenario selects the quickest scenario there is.
const oneScenario = "-godog.paths=leader_spread.feature"

// needEngine skips under -short, as everything does that starts containers.
func needEngine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a container engine; run without -short")
	}
}

func TestSurroundingsThatCannotWork(t *testing.T) {
	needEngine(t)
	missing := "unix://" + filepath.Join(t.TempDir(), "none.sock")
	cases := []struct {
		name  string
		env   []string
		words []string
	}{
		{"no engine answers", []string{"DOCKER_HOST=" + missing}, []string{"no container engine answers at " + missing, "start it", "set DOCKER_HOST"}},
		{
			"the engine is on another machine",
			[]string{"DOCKER_HOST=tcp://192.0.2.7:2375"},
			[]string{"tcp://192.0.2.7:2375 is on another machine", "run the suite where the engine is"},
		},
		{
			"the engine's address is none",
			[]string{"DOCKER_HOST=here"},
			[]string{`address "here" is not one`, "set DOCKER_HOST"},
		},
		{
			"the named image is not to be had",
			[]string{"KAFKA_HA_IMAGE=nonexistent:1"},
			[]string{"image nonexistent:1 (KAFKA_HA_IMAGE) is neither here nor to be pulled", "correct the name"},
		},
		{
			"no image of the Kafka version is to be had",
			[]string{"KAFKA_HA_IMAGE=", "KAFKA_VERSION=9.9.9"},
			[]string{"no broker image: apache/kafka:9.9.9 is not to be pulled and kafka-ha/kafka:9.9.9 is not built", "make image KAFKA_VERSION=9.9.9"},
		},
		{
			"KAFKA_HA_KEEP is neither 0 nor 1",
			[]string{"KAFKA_HA_KEEP=yes"},
			[]string{`KAFKA_HA_KEEP is "yes"`, "set it to 1"},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			launch(t, tc.env, theFeatures, oneScenario).redInOneLine(atOnce, tc.words...)
		})
	}
}

// An engine that lets nobody in: a socket of our own that the child's user may not open. Root may open everything, so
// its child is somebody else, who needs a binary and a module that he can read.
func TestEngineWithoutPermission(t *testing.T) {
	needEngine(t)
	dir, err := os.MkdirTemp("", "kafka-ha-permission-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	features, err := featuresBinary()
	require.NoError(t, err)
	binary := filepath.Join(dir, "features.test")
	copyFile(t, features, binary, 0o755)
	copyFile(t, filepath.Join(featuresFolder, "leader_spread.feature"), filepath.Join(dir, "leader_spread.feature"), 0o644)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module elsewhere\n"), 0o644))
	socket := filepath.Join(dir, "docker.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	require.NoError(t, os.Chmod(socket, 0o600))

	out := filepath.Join(dir, "out")
	require.NoError(t, os.Mkdir(out, 0o755))
	require.NoError(t, os.Chmod(out, 0o777), "somebody else writes there")
	c := prepareChild(t, binary, []string{"DOCKER_HOST=unix://" + socket, "KAFKA_HA_REPORT_DIR=" + out}, theFeatures, oneScenario)
	c.cmd.Dir = dir
	otherwise(t, c.cmd, socket)
	c.start()
	c.redInOneLine(atOnce, "the container engine at unix://"+socket+" does not let this user in", "join the group", "permission denied")
}

// otherwise makes cmd one that the socket does not let in.
func otherwise(t *testing.T, cmd *exec.Cmd, socket string) {
	t.Helper()
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(socket, 0))
		return
	}
	asNobody(cmd)
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, mode))
}

func TestBrokerSettingsThatAreRefused(t *testing.T) {
	needEngine(t)
	cases := []struct {
		name  string
		files map[string]string // no file name: the folder itself is named
		at    string            // what KAFKA_HA_BROKER_CONFIG names in the folder
		words []string
	}{
		{"a key that the suite owns", map[string]string{"a.properties": "node.id=7\n"}, "a.properties", []string{"a.properties sets node.id, which the suite must own", "remove it"}},
		{
			"an owned key of one broker",
			map[string]string{"all.properties": "num.io.threads=4\n", "2.properties": "listeners=X://:1\n"},
			"", []string{"2.properties sets listeners, which the suite must own", "remove it"},
		},
		{
			"a file for a broker that is not there",
			map[string]string{"4.properties": "num.io.threads=4\n"},
			"", []string{"4.properties is not for a broker", "use all.properties and 1.properties to 3.properties"},
		},
		{"an empty folder", nil, "", []string{"is empty", "want all.properties"}},
		{"a file that is not there", nil, "none.properties", []string{"none.properties", "no such file"}},
		{"a file that sets nothing", map[string]string{"a.properties": "# nothing\n"}, "a.properties", []string{"a.properties sets nothing", "write at least one"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			dir := folder(t, tc.files)
			c := launch(t, []string{"KAFKA_HA_BROKER_CONFIG=" + filepath.Join(dir, tc.at)}, theFeatures, oneScenario)
			c.redInOneLine(atOnce, tc.words...)
			require.NotContains(t, c.out.String(), "starting", "nothing is started")
		})
	}
}

// A key that Kafka does not know is ignored by Kafka in silence; only the running broker can tell.
func TestBrokerSettingThatKafkaDoesNotKnow(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	file := filepath.Join(folder(t, map[string]string{"a.properties": "min.insync.replica=1\n"}), "a.properties")
	c := launch(t, []string{"KAFKA_HA_BROKER_CONFIG=" + file}, theFeatures, oneScenario)
	c.redInOneLine(withCluster, file+" sets min.insync.replica, which Kafka", "does not know", "correct the spelling")
}

// A broker that cannot start says so in its log; the run ends with that and not with the bound of the start.
func TestBrokerThatNeverStarts(t *testing.T) {
	needEngine(t)
	takeClusters(t, 1)
	file := filepath.Join(folder(t, map[string]string{"a.properties": "log.retention.ms=abc\n"}), "a.properties")
	c := launch(t, []string{"KAFKA_HA_BROKER_CONFIG=" + file}, theFeatures, oneScenario)
	text := c.red(atOnce, "exited by itself (code 1); mend what its last log lines complain of", "Invalid value abc for configuration log.retention.ms")
	require.Regexp(t, `broker [123] exited`, text)
}

// folder makes a folder with files in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}
