package cluster

import (
	"strings"
	"testing"

	"github.com/magiconair/properties"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRender(t *testing.T) {
	overlay := Overlay{
		All: Properties{"min.insync.replicas": "1", "num.io.threads": "4"},
		Each: map[int]Properties{
			2: {"num.io.threads": "16"},
			3: {"node.id": "7", "log.dirs": "/tmp", "advertised.listeners": "CLIENT://elsewhere:1"}, // ReadOverlay refuses these; render does not rely on it
		},
	}
	for name, c := range map[string]struct {
		id      int
		overlay Overlay
		key     string
		want    string
	}{
		"default, no overlay, stands":                    {1, Overlay{}, "min.insync.replicas", "2"},
		"auto-creation, no overlay, is off":              {1, Overlay{}, "auto.create.topics.enable", "false"},
		"leader rebalance, no overlay, is off":           {1, Overlay{}, "auto.leader.rebalance.enable", "false"},
		"internal topic, no overlay, has factor 3":       {1, Overlay{}, "offsets.topic.replication.factor", "3"},
		"internal topic, no overlay, is six partitions":  {1, Overlay{}, "offsets.topic.num.partitions", "6"},
		"default, overlay for all, gives way":            {1, overlay, "min.insync.replicas", "1"},
		"other default, overlay for all, stands":         {1, overlay, "default.replication.factor", "3"},
		"overlay for all, broker without its own, is":    {1, overlay, "num.io.threads", "4"},
		"overlay for one, that broker, is stronger":      {2, overlay, "num.io.threads", "16"},
		"node id, own by the overlay, is the suite's":    {3, overlay, "node.id", "3"},
		"log.dirs, own by the overlay, is the suite's":   {3, overlay, "log.dirs", "/var/lib/kafka/data"},
		"listeners, own by the overlay, are the suite's": {3, overlay, "advertised.listeners", "CLIENT://127.0.0.1:20003,BROKER://broker-3:9093"},
		"voters, three nodes, are all three":             {2, Overlay{}, "controller.quorum.voters", "1@broker-1:9094,2@broker-2:9094,3@broker-3:9094"},
		"roles, any node, are both":                      {2, Overlay{}, "process.roles", "broker,controller"},
		"advertised, broker 1, has the host's port":      {1, Overlay{}, "advertised.listeners", "CLIENT://127.0.0.1:20001,BROKER://broker-1:9093"},
		"listeners, any node, are the container's":       {1, Overlay{}, "listeners", "CLIENT://:9092,BROKER://:9093,CONTROLLER://:9094"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, render(c.id, nodes, 20000+c.id, c.overlay)[c.key])
		})
	}
	t.Run("overlay, rendered for one broker, is not changed", func(t *testing.T) {
		render(2, nodes, 20002, overlay)
		assert.Equal(t, Properties{"min.insync.replicas": "1", "num.io.threads": "4"}, overlay.All)
	})
	t.Run("every setting of the suite's own, in an overlay, is refused", func(t *testing.T) {
		defaults := suiteDefaults()
		for key := range render(1, nodes, 20001, Overlay{}) {
			if _, ok := defaults[key]; !ok {
				assert.Contains(t, suiteOwned, key)
			}
		}
	})
}

func TestPropertiesString(t *testing.T) {
	for name, c := range map[string]struct{ key, value, want string }{
		"value, plain, stands as it is":                {"a", "b,c=d:e", "a=b,c=d:e\n"},
		"value, empty, is empty":                       {"a", "", "a=\n"},
		"value, leading space, keeps it":               {"a", " b", `a=\ b` + "\n"},
		"value, leading tab, keeps it":                 {"a", "\tb", `a=\tb` + "\n"},
		"value, inner and last space, keep them":       {"a", "b c ", "a=b c \n"},
		"value, backslash, is doubled":                 {"a", `b\c`, `a=b\\c` + "\n"},
		"value, several lines, stays on one":           {"a", "b\r\nc", `a=b\r\nc` + "\n"},
		"value, letters beyond ISO 8859-1, are codes":  {"a", "키😀é", `a=\ud0a4\ud83d\ude00\u00e9` + "\n"},
		"key, with what ends a key, is escaped":        {"a b:c=d", "e", `a\ b\:c\=d=e` + "\n"},
		"key, begins like a comment, is escaped":       {"#a", "b", `\#a=b` + "\n"},
		"key, as Kafka's are, stands as it is":         {"log.retention.ms", "1", "log.retention.ms=1\n"},
		"value, a form feed in front, does not end it": {"a", "\fb", `a=\fb` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := Properties{c.key: c.value}.String()
			assert.Equal(t, c.want, text)
			read, err := (&properties.Loader{Encoding: properties.ISO_8859_1, DisableExpansion: true}).LoadBytes([]byte(text))
			require.NoError(t, err)
			if !strings.Contains(c.value, "😀") { // this reader knows no surrogate pairs; Java's does
				assert.Equal(t, map[string]string{c.key: c.value}, read.Map())
			}
		})
	}
	t.Run("several settings, are sorted by key", func(t *testing.T) {
		assert.Equal(t, "a=1\nb=2\nc=3\n", Properties{"c": "3", "a": "1", "b": "2"}.String())
	})
}
