package cluster

import (
	"context"
	"errors"
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
	Topology string           // which nodes there are
	Overlay  string           // the user's broker settings
	Settings string           // what is wanted of this cluster beside them; empty for nothing
	Memory   string           // of each node: heap, and limit of its container
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
	settings := h.Overlay
	if h.Settings != "" {
		settings += "; over these " + h.Settings
	}
	return fmt.Sprintf("image      %s\nKafka      %s, engine %s\nnodes      %s; %s\nfeatures   %s\nsettings   %s\nready in   %s",
		h.Image, h.Kafka, h.Engine, h.Topology, h.Memory, strings.Join(features, ", "), settings, h.Took.Round(10*time.Millisecond))
}

var versionLine = regexp.MustCompile(`Kafka version: (\S+)`)

// describe asks broker 1 what runs, and refuses settings that Kafka does not know.
func (c *Cluster) describe(ctx context.Context) (Head, error) {
	head := Head{
		Image: c.image.Name + " (" + c.image.Why + ")", Engine: c.engine.Version, Topology: c.topology.String(), Memory: c.memory(),
		Overlay: c.overlay.String(), Settings: c.settings.String(), Features: map[string]int16{},
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

// refuseUnknown refuses settings that Kafka has no definition of: it would ignore them in silence, and a run with a
// misspelt setting would pass as one with the setting.
func (c *Cluster) refuseUnknown(ctx context.Context, version string) error {
	if c.overlay.Empty() && len(c.settings.Properties) == 0 {
		return nil
	}
	theirs, ours := map[string]bool{}, map[string]bool{}
	for _, b := range c.brokers {
		settings, err := b.settings(ctx)
		if err != nil {
			return err
		}
		for key := range c.overlay.For(b.ID) {
			theirs[key] = theirs[key] || !settings[key].known
		}
		for key := range c.settings.Properties {
			ours[key] = !settings[key].known
		}
	}
	return errors.Join(unknown(theirs, c.overlay.Path+" sets", version), unknown(ours, "the scenario wants", version))
}

// unknown is the error for the keys that are marked, nil for none.
func unknown(keys map[string]bool, who, version string) error {
	maps.DeleteFunc(keys, func(_ string, unknown bool) bool { return !unknown })
	if len(keys) == 0 {
		return nil
	}
	return fmt.Errorf("broker settings: %s %s, which Kafka %s does not know; correct the spelling or remove it",
		who, strings.Join(slices.Sorted(maps.Keys(keys)), ", "), version)
}
