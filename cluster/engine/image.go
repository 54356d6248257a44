package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	// DefaultVersion is the Kafka version that is run when nothing else is asked for.
	DefaultVersion = "4.3.1"
	officialImage  = "apache/kafka"
	builtImage     = "kafka-ha/kafka"
	// silentWithin bounds the silence of a registry, not the length of a pull: one that cannot be reached at all
	// must not hold up a run.
	silentWithin = 15 * time.Second
)

// reaperImage is the image that testcontainers-go's reaper runs from.
var reaperImage = testcontainers.ReaperDefaultImage //nolint:staticcheck // deprecated, and the only place where the library names it

// Image is a broker image that stands in the engine.
type Image struct {
	Name string // repository:tag as it was asked for
	ID   string // content digest
	Why  string // how the choice fell on it, for the run's head
}

// ChooseImage returns the broker image: the one that KAFKA_HA_IMAGE names, else the official one for KAFKA_VERSION,
// local or pulled, else the one that `make image` builds. Where none is to be had the error is a *Problem.
func (e *Engine) ChooseImage(ctx context.Context, progress func(string)) (Image, error) {
	if asked := os.Getenv("KAFKA_HA_IMAGE"); asked != "" {
		img, err := e.have(ctx, asked, progress)
		if err != nil {
			return Image{}, &Problem{
				What: "the image " + asked + " (KAFKA_HA_IMAGE) is neither here nor to be pulled",
				Do:   "correct the name, or unset KAFKA_HA_IMAGE", Err: err,
			}
		}
		img.Why += ", named by KAFKA_HA_IMAGE"
		return img, nil
	}
	version := Version()
	official, err := e.have(ctx, officialImage+":"+version, progress)
	if err == nil {
		return official, nil
	}
	built, builtErr := e.local(ctx, builtImage+":"+version)
	if builtErr == nil {
		built.Why = "built by make image; no registry gave " + officialImage + ":" + version
		return built, nil
	}
	return Image{}, &Problem{
		What: fmt.Sprintf("no broker image: %s:%s is not to be pulled and %s:%s is not built", officialImage, version, builtImage, version),
		Do:   "run: make image KAFKA_VERSION=" + version, Err: err,
	}
}

// Version returns the Kafka version asked for by KAFKA_VERSION, or the default.
func Version() string {
	if version := os.Getenv("KAFKA_VERSION"); version != "" {
		return version
	}
	return DefaultVersion
}

// UseReaper leaves testcontainers-go's own reaper on where its image is to be had, and turns it off elsewhere or when
// a cluster is to be kept. It must come before the first container: testcontainers-go reads its settings once.
func (e *Engine) UseReaper(ctx context.Context, keep bool) (bool, error) {
	const disabled = "TESTCONTAINERS_RYUK_DISABLED"
	if os.Getenv(disabled) == "true" {
		return false, nil
	}
	if !keep {
		_, err := e.have(ctx, reaperImage, func(string) {})
		if err == nil {
			return true, nil
		}
	}
	if err := os.Setenv(disabled, "true"); err != nil {
		return false, fmt.Errorf("set %s: %w", disabled, err)
	}
	return false, nil
}

// have returns an image that is local, or pulls it.
func (e *Engine) have(ctx context.Context, name string, progress func(string)) (Image, error) {
	img, err := e.local(ctx, name)
	if !errdefs.IsNotFound(err) {
		return img, err
	}
	progress("pulling " + name)
	if err := e.pull(ctx, name); err != nil {
		return Image{}, err
	}
	img, err = e.local(ctx, name)
	img.Why = "pulled"
	return img, err
}

func (e *Engine) local(ctx context.Context, name string) (Image, error) {
	found, err := e.ImageInspect(ctx, name)
	if err != nil {
		return Image{}, err
	}
	return Image{Name: name, ID: found.ID, Why: "local"}, nil
}

// pull reads the engine's progress messages to the end; each resets the bound on silence.
func (e *Engine) pull(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silentWithin, func() { cancel(fmt.Errorf("no registry answered within %s", silentWithin)) })
	defer silence.Stop()
	response, err := e.ImagePull(ctx, name, client.ImagePullOptions{})
	if err != nil {
		return reasonFor(ctx, err)
	}
	defer func() { _ = response.Close() }()
	messages := json.NewDecoder(response)
	for {
		var message pullMessage
		switch err := messages.Decode(&message); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return reasonFor(ctx, err)
		case message.problem() != "":
			return errors.New(message.problem())
		}
		silence.Reset(silentWithin)
	}
}

// pullMessage is what a message of a pull may say of a failure: older engines say it twice, newer ones once.
type pullMessage struct {
	Error  string `json:"error"` // deprecated in favour of the other
	Detail struct {
		Message string `json:"message"`
	} `json:"errorDetail"`
}

func (m pullMessage) problem() string { return strings.TrimSpace(cmp.Or(m.Detail.Message, m.Error)) }

// reasonFor prefers the reason for which ctx was ended over the error that this led to.
func reasonFor(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
