package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAbsences(t *testing.T) {
	assert.True(t, begins("ZooKeeper.connect", "zookeeper."))
	assert.True(t, begins("zookeeper.connect", "ZooKeeper."))
	assert.False(t, begins("my.zookeeper.connect", "zookeeper."))
	assert.True(t, mentions("apache-ZooKeeper-3.9.jar", "zookeeper"))
	assert.True(t, mentions("zookeeper-3.9.jar", "ZooKeeper"))
	assert.False(t, mentions("kafka-clients-4.3.1.jar", "zookeeper"))
	require.ErrorContains(t, run(world(t), "Then no broker listens on or is connected to port 65536"), "there is no port 65536")
	require.NoError(t, run(world(t), "Then no broker listens on or is connected to port 65535"))
}
