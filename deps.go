//go:build deps

package deps

import (
	_ "github.com/cucumber/godog"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/magiconair/properties"
	_ "github.com/moby/moby/client"
	_ "github.com/shirou/gopsutil/v4/process"
	_ "github.com/stretchr/testify/require"
	_ "github.com/testcontainers/testcontainers-go"
	_ "github.com/testcontainers/testcontainers-go/modules/kafka"
	_ "github.com/twmb/franz-go/pkg/kadm"
	_ "github.com/twmb/franz-go/pkg/kfake"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "pgregory.net/rapid"
)
