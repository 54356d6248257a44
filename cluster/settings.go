package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// featureSuffix ends the names of Kafka's feature levels (KIP-584) and of no broker setting: metadata.version,
// eligible.leader.replicas.version.
const featureSuffix = ".version"

// Settings are what somebody wants of one cluster beside its topology: broker settings for all of its nodes, and feature
// levels that it is formatted with. They are stronger than the user's overlay: a scenario that names a value is about
// that value. The zero value wants nothing.
type Settings struct {
	Properties Properties
	Features   map[string]int // level by feature; 0 switches a feature off
}

// ParseSettings sorts settings into broker settings and feature levels, which are those that end in ".version". Those
// that the suite must own are refused, and so are levels that are no numbers.
func ParseSettings(all map[string]string) (Settings, error) {
	parsed := Settings{Properties: Properties{}, Features: map[string]int{}}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if ownedBySuite(key) {
			return Settings{}, fmt.Errorf("setting %s: the suite must own it; remove it", key)
		}
		if !strings.HasSuffix(key, featureSuffix) {
			parsed.Properties[key] = all[key]
			continue
		}
		level, err := strconv.ParseUint(all[key], 10, 15)
		if err != nil {
			return Settings{}, fmt.Errorf("setting %s: %q is no feature level; give a number, 0 for off", key, all[key])
		}
		parsed.Features[key] = int(level)
	}
	return parsed, nil
}

// Empty reports that nothing is wanted.
func (s Settings) Empty() bool { return len(s.Properties) == 0 && len(s.Features) == 0 }

// String is the settings in one line, sorted: "broker.session.timeout.ms=6000, eligible.leader.replicas.version=0".
func (s Settings) String() string {
	var all []string
	for key, value := range s.Properties {
		all = append(all, key+"="+value)
	}
	return strings.Join(slices.Sorted(slices.Values(append(all, s.levels()...))), ", ")
}

// levels are the feature levels as kafka-storage.sh format takes them, sorted.
func (s Settings) levels() []string {
	var levels []string
	for _, name := range slices.Sorted(maps.Keys(s.Features)) {
		levels = append(levels, fmt.Sprintf("%s=%d", name, s.Features[name]))
	}
	return levels
}

// over says which settings the overlay has too, and so in vain; empty when there are none.
func (s Settings) over(overlay Overlay) string {
	var beaten []string
	for _, key := range overlay.Keys() {
		if _, ours := s.Properties[key]; ours {
			beaten = append(beaten, key)
		}
	}
	if len(beaten) == 0 {
		return ""
	}
	return fmt.Sprintf("the scenario's own %s, not that of %s", strings.Join(beaten, ", "), overlay.Path)
}
