package cluster

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Head says what runs in a cluster, for the head of a run.
type Head struct {
	Image    string           // name, and how it was chosen
	Engine   string           // version of the container engine
	Kafka    string           // version of the broker software
	Features map[string]int16 // finalized feature levels (KIP-584)
	Overlay  string           // the user's broker settings
	Memory   string           // heap of each node
	Took     time.Duration    // from nothing to ready
}

// reported are the features that are named in the head even at level 0, where Kafka reports nothing.
var reported = []string{"metadata.version", "kraft.version", "eligible.leader.replicas.version"}

// String is the head in aligned lines.
func (h Head) String() string {
	levels := maps.Clone(h.Features)
	var features []string
	for _, name := range reported {
		features = append(features, fmt.Sprintf("%s %d", name, levels[name]))
		delete(levels, name)
	}
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		features = append(features, fmt.Sprintf("%s %d", name, levels[name]))
	}
	return fmt.Sprintf("image      %s\nKafka      %s, engine %s, heap %s a node\nfeatures   %s\nsettings   %s\nready in   %s",
		h.Image, h.Kafka, h.Engine, h.Memory, strings.Join(features, ", "), h.Overlay, h.Took.Round(10*time.Millisecond))
}

var versionLine = regexp.MustCompile(`Kafka version: (\S+)`)

// describe asks broker 1 what runs, and refuses settings of the user's that Kafka does not know.
func (c *Cluster) describe(ctx context.Context) (Head, error) {
	head := Head{
		Image: c.image.Name + " (" + c.image.Why + ")", Engine: c.engine.Version, Overlay: c.overlay.String(),
		Memory: strings.TrimPrefix(heap[strings.LastIndex(heap, "-Xmx"):], "-Xmx"), Features: map[string]int16{},
	}
	first := c.brokers[0]
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "kafka-ha", "1" // required from version 3 on (KIP-511)
	answer, err := first.ask(ctx, req)
	if err != nil {
		return head, err
	}
	versions := answer.(*kmsg.ApiVersionsResponse)
	if err := kerr.ErrorForCode(versions.ErrorCode); err != nil {
		return head, fmt.Errorf("%s: feature levels: %w", first, err)
	}
	for _, feature := range versions.FinalizedFeatures {
		head.Features[feature.Name] = feature.MaxVersionLevel
	}
	logs, err := first.Logs(ctx, time.Time{})
	if err != nil {
		return head, err
	}
	head.Kafka = "of unknown version"
	if match := versionLine.FindStringSubmatch(logs); match != nil {
		head.Kafka = match[1]
	}
	return head, c.refuseUnknown(ctx, head.Kafka)
}

// refuseUnknown refuses overlay keys that Kafka has no definition of: it would ignore them in silence, and a run with
// a misspelt setting would pass as one with the setting.
func (c *Cluster) refuseUnknown(ctx context.Context, version string) error {
	if c.overlay.Empty() {
		return nil
	}
	var unknown []string
	for _, b := range c.brokers {
		settings, err := b.settings(ctx)
		if err != nil {
			return err
		}
		for key := range c.overlay.For(b.ID) {
			if !settings[key].known && !slices.Contains(unknown, key) {
				unknown = append(unknown, key)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("broker settings: %s sets %s, which Kafka %s does not know; correct the spelling or remove it",
		c.overlay.Path, strings.Join(unknown, ", "), version)
}
