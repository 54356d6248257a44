package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written writes files and returns their folder.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestReadOverlay(t *testing.T) {
	t.Run("no path, is an empty overlay", func(t *testing.T) {
		overlay, err := ReadOverlay("")
		require.NoError(t, err)
		assert.True(t, overlay.Empty())
		assert.Equal(t, "none", overlay.String())
	})
	t.Run("one file, is for every broker", func(t *testing.T) {
		path := filepath.Join(written(t, map[string]string{"server.properties": "# mine\nnum.io.threads = 4\nlog.retention.ms: ${x}\n"}), "server.properties")
		overlay, err := ReadOverlay(path)
		require.NoError(t, err)
		for _, id := range Combined.Brokers() {
			assert.Equal(t, Properties{"num.io.threads": "4", "log.retention.ms": "${x}"}, overlay.For(id))
		}
		assert.False(t, overlay.Empty())
		assert.Equal(t, path+" (log.retention.ms, num.io.threads)", overlay.String())
	})
	t.Run("folder, all and each broker's, each broker's is stronger", func(t *testing.T) {
		overlay, err := ReadOverlay(written(t, map[string]string{
			"all.properties": "a=0\nb=0\n", "1.properties": "a=1\n", "2.properties": "a=2\n", "3.properties": "c=3\n",
		}))
		require.NoError(t, err)
		assert.Equal(t, Properties{"a": "1", "b": "0"}, overlay.For(1))
		assert.Equal(t, Properties{"a": "2", "b": "0"}, overlay.For(2))
		assert.Equal(t, Properties{"a": "0", "b": "0", "c": "3"}, overlay.For(3))
		assert.Equal(t, []string{"a", "b", "c"}, overlay.Keys())
	})
	t.Run("folder, one broker's only, leaves the others alone", func(t *testing.T) {
		overlay, err := ReadOverlay(written(t, map[string]string{"2.properties": "a=2\n"}))
		require.NoError(t, err)
		assert.Empty(t, overlay.For(1))
		assert.Equal(t, Properties{"a": "2"}, overlay.For(2))
		assert.False(t, overlay.Empty())
	})
	for name, c := range map[string]struct {
		files map[string]string
		path  string // within the folder; empty for the folder itself
		want  []string
	}{
		"path, not there, is refused":                   {path: "none.properties", want: []string{"none.properties", "no such file"}},
		"folder, empty, is refused":                     {want: []string{"is empty; want all.properties"}},
		"file, empty, is refused":                       {map[string]string{"a": ""}, "a", []string{"/a sets nothing"}},
		"file, comments only, is refused":               {map[string]string{"a": "# a=b\n"}, "a", []string{"/a sets nothing"}},
		"file, malformed, is refused":                   {map[string]string{"a": `a=\u12` + "\n"}, "a", []string{"/a: properties: Line 1: invalid unicode literal"}},
		"folder, file of another name, is refused":      {map[string]string{"all.properties": "a=1", "4.properties": "a=1"}, "", []string{"/4.properties is not for a broker"}},
		"folder, another file beside, is refused":       {map[string]string{"all.properties": "a=1", "notes.txt": ""}, "", []string{"/notes.txt is not for a broker"}},
		"folder, folder of a right name, is refused":    {map[string]string{"all.properties/x": "a=1"}, "", []string{"/all.properties is not for a broker"}},
		"file, suite's own key, is refused":             {map[string]string{"a": "node.id=7\nb=1"}, "a", []string{"/a sets node.id, which the suite must own"}},
		"file, listener's own setting, is refused":      {map[string]string{"a": "listener.name.client.ssl.keystore.location=/x"}, "a", []string{"sets listener.name.client.ssl.keystore.location, which the suite must own"}},
		"file, several of the suite's own, names all":   {map[string]string{"a": "log.dirs=/x\nnode.id=7\nlisteners=x"}, "a", []string{"sets listeners, log.dirs, node.id, which"}},
		"folder, several problems, tells all in one go": {map[string]string{"1.properties": "", "2.properties": "node.id=1", "3.properties": `a=\u12`, "x": ""}, "", []string{"1.properties sets nothing", "2.properties sets node.id", "3.properties: properties: Line 1: invalid", "/x is not for a broker"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadOverlay(filepath.Join(written(t, c.files), c.path))
			for _, want := range append(c.want, "broker settings: ") {
				require.ErrorContains(t, err, want)
			}
		})
	}
}
