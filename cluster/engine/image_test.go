package engine

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const official, built = "apache/kafka:4.3.1", "kafka-ha/kafka:4.3.1"

func says(lines ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for _, line := range lines {
			_, _ = fmt.Fprintln(w, line)
		}
	}
}

func TestChooseImage(t *testing.T) {
	gone := says(`{"status":"Pulling from apache/kafka"}`, `{"errorDetail":{"message":"manifest unknown"},"error":"manifest unknown"}`)
	for name, c := range map[string]struct {
		asked, version string // KAFKA_HA_IMAGE, KAFKA_VERSION
		here           []string
		pull           func(http.ResponseWriter)
		want           Image
		pulls          []string
		err            string
	}{
		"official image, local, is taken without a pull": {
			here: []string{official, built}, want: Image{Name: official, ID: "sha256:" + official, Why: "local"},
		},
		"official image, not local, is pulled": {
			here: []string{built}, pull: says(`{"status":"Pulling"}`, `{"status":"Done"}`),
			want: Image{Name: official, ID: "sha256:pulled", Why: "pulled"}, pulls: []string{official},
		},
		"KAFKA_VERSION, set, chooses the tag": {
			version: "4.2.0", here: []string{"apache/kafka:4.2.0"},
			want: Image{Name: "apache/kafka:4.2.0", ID: "sha256:apache/kafka:4.2.0", Why: "local"},
		},
		"official image, not to be pulled, the built one is taken and says why": {
			here: []string{built}, pull: gone, pulls: []string{official},
			want: Image{Name: built, ID: "sha256:" + built, Why: "built by make image; no registry gave " + official},
		},
		"no image at all, a problem that says how to build one": {
			pull: gone, pulls: []string{official},
			err: "no broker image: apache/kafka:4.3.1 is not to be pulled and kafka-ha/kafka:4.3.1 is not built: manifest unknown; run: make image KAFKA_VERSION=4.3.1",
		},
		"pull, a failure said once as newer engines do, is a failure with its reason": {
			pull: says(`{"errorDetail":{"message":"toomanyrequests"}}`), pulls: []string{official},
			err: "no broker image: apache/kafka:4.3.1 is not to be pulled and kafka-ha/kafka:4.3.1 is not built: toomanyrequests; run: make image KAFKA_VERSION=4.3.1",
		},
		"pull, a failure said as older engines do, is a failure with its reason": {
			pull: says(`{"error":"toomanyrequests\n"}`), pulls: []string{official},
			err: "no broker image: apache/kafka:4.3.1 is not to be pulled and kafka-ha/kafka:4.3.1 is not built: toomanyrequests; run: make image KAFKA_VERSION=4.3.1",
		},
		"KAFKA_HA_IMAGE, local, is taken before the official one": {
			asked: "my/kafka:1", here: []string{"my/kafka:1", official},
			want: Image{Name: "my/kafka:1", ID: "sha256:my/kafka:1", Why: "local, named by KAFKA_HA_IMAGE"},
		},
		"KAFKA_HA_IMAGE, wrong, is a problem although the official one is here": {
			asked: "my/kafak:1", here: []string{official, built}, pull: says(`{"error":"repository does not exist"}`), pulls: []string{"my/kafak:1"},
			err: "the image my/kafak:1 (KAFKA_HA_IMAGE) is neither here nor to be pulled: repository does not exist; correct the name, or unset KAFKA_HA_IMAGE",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KAFKA_HA_IMAGE", c.asked)
			t.Setenv("KAFKA_VERSION", c.version)
			fake := newFake(t)
			fake.pull = c.pull
			for _, image := range c.here {
				fake.images[image] = "sha256:" + image
			}
			image, err := fake.connect().ChooseImage(t.Context(), func(string) {})
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.err)
				var problem *Problem
				require.ErrorAs(t, err, &problem)
			}
			assert.Equal(t, c.want, image)
			assert.Equal(t, c.pulls, fake.pulls)
		})
	}
}

func TestPullSilence(t *testing.T) {
	t.Run("a registry, silent from the beginning, is given up after the bound", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake, began := newFake(t), time.Now()
			over := make(chan struct{})
			fake.pull = func(http.ResponseWriter) { <-over }
			err := fake.connect().pull(t.Context(), official)
			require.EqualError(t, err, "no registry answered within 15s")
			assert.Equal(t, silentWithin, time.Since(began))
			close(over)
		})
	})
	t.Run("a registry, silent in the middle, is given up after the bound", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake, began := newFake(t), time.Now()
			over := make(chan struct{})
			fake.pull = func(w http.ResponseWriter) {
				says(`{"status":"Pulling"}`)(w)
				<-over
			}
			err := fake.connect().pull(t.Context(), official)
			require.EqualError(t, err, "no registry answered within 15s")
			assert.Equal(t, silentWithin, time.Since(began))
			close(over)
		})
	})
	t.Run("a slow registry, never silent for long, may take minutes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake, began := newFake(t), time.Now()
			fake.pull = func(w http.ResponseWriter) {
				for range 20 {
					<-time.After(silentWithin - time.Second)
					says(`{"status":"Downloading"}`)(w)
				}
			}
			require.NoError(t, fake.connect().pull(t.Context(), official))
			assert.Greater(t, time.Since(began), 4*time.Minute)
		})
	})
}

func TestUseReaper(t *testing.T) {
	for name, c := range map[string]struct {
		here, keep, off, want bool
	}{
		"reaper, its image is here, is used":                   {here: true, want: true},
		"reaper, its image is not to be had, is turned off":    {},
		"reaper, the cluster is to be kept, is turned off":     {here: true, keep: true},
		"reaper, turned off by the user, stays off":            {here: true, off: true},
		"reaper, nothing here and kept, is turned off as well": {keep: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TESTCONTAINERS_RYUK_DISABLED", map[bool]string{true: "true"}[c.off])
			fake := newFake(t)
			fake.pull = says(`{"error":"no registry"}`)
			if c.here {
				fake.images[reaperImage] = "sha256:ryuk"
			}
			used, err := fake.connect().UseReaper(t.Context(), c.keep)
			require.NoError(t, err)
			assert.Equal(t, c.want, used)
		})
	}
}
