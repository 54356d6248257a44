package cluster

import (
	"os"
	"testing"

	"kafka-ha/cluster/engine"
)

func TestMain(m *testing.M) {
	engine.BeJanitor()
	os.Exit(m.Run())
}
