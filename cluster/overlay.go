package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/magiconair/properties"
)

// Overlay is broker settings of the user's own, laid over the suite's defaults.
type Overlay struct {
	Path string             // the file or folder it was read from; empty when there is none
	All  Properties         // for every broker
	Each map[int]Properties // for one broker, by id; stronger than All
}

// For returns the overlay's settings for one broker.
func (o Overlay) For(id int) Properties {
	merged := maps.Clone(o.All)
	if merged == nil {
		merged = Properties{}
	}
	maps.Copy(merged, o.Each[id])
	return merged
}

// Empty reports that the overlay changes nothing.
func (o Overlay) Empty() bool { return len(o.All) == 0 && len(o.Each) == 0 }

// Keys returns every key that the overlay sets, sorted.
func (o Overlay) Keys() []string {
	keys := map[string]bool{}
	for key := range o.All {
		keys[key] = true
	}
	for _, each := range o.Each {
		for key := range each {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// String names the overlay and what it sets, for the run's head.
func (o Overlay) String() string {
	if o.Path == "" {
		return "none"
	}
	return fmt.Sprintf("%s (%s)", o.Path, strings.Join(o.Keys(), ", "))
}

var perBroker = regexp.MustCompile(`^([1-3])\.properties$`)

// ReadOverlay reads a server.properties file, or a folder with all.properties and 1.properties … 3.properties. An
// empty path is an empty overlay. Settings that the suite owns and files of other names are refused, all of them in
// one error.
func ReadOverlay(path string) (Overlay, error) {
	overlay := Overlay{Path: path, Each: map[int]Properties{}}
	if path == "" {
		return overlay, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return overlay, fmt.Errorf("broker settings: %w", err)
	}
	if !info.IsDir() {
		overlay.All, err = readProperties(path)
		return overlay, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return overlay, fmt.Errorf("broker settings: %w", err)
	}
	if len(entries) == 0 {
		return overlay, fmt.Errorf("broker settings: %s is empty; want all.properties or 1.properties to 3.properties in it", path)
	}
	var problems []error
	for _, entry := range entries {
		problems = append(problems, overlay.add(path, entry))
	}
	return overlay, errors.Join(problems...)
}

func (o *Overlay) add(dir string, entry fs.DirEntry) error {
	file := filepath.Join(dir, entry.Name())
	match := perBroker.FindStringSubmatch(entry.Name())
	if entry.IsDir() || match == nil && entry.Name() != "all.properties" {
		return fmt.Errorf("broker settings: %s is not for a broker; use all.properties and 1.properties to 3.properties, or move it away",
			file)
	}
	read, err := readProperties(file)
	if match == nil {
		o.All = read
	} else {
		o.Each[int(match[1][0]-'0')] = read
	}
	return err
}

func readProperties(file string) (Properties, error) {
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	loaded, err := loader.LoadFile(file)
	if err != nil {
		return nil, fmt.Errorf("broker settings: %s: %w", file, err)
	}
	read := Properties(loaded.Map())
	if len(read) == 0 {
		return nil, fmt.Errorf("broker settings: %s sets nothing; write at least one key=value, or leave it out", file)
	}
	var owned []string
	for _, key := range slices.Sorted(maps.Keys(read)) {
		if ownedBySuite(key) {
			owned = append(owned, key)
		}
	}
	if len(owned) > 0 {
		return nil, fmt.Errorf("broker settings: %s sets %s, which the suite must own; remove it", file, strings.Join(owned, ", "))
	}
	return read, nil
}
