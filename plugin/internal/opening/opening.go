// Package opening has the checks of plugin.New, Open and OpenOrNew that bleve does not make.
package opening

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Mapping returns m, or an error if no index can be made with it.
func Mapping(m mapping.IndexMapping) (*mapping.IndexMappingImpl, error) {
	own, ok := m.(*mapping.IndexMappingImpl)
	if !ok || own == nil {
		return nil, fmt.Errorf("plugin: mapping: wanted a *mapping.IndexMappingImpl, which is all that bleve keeps with an index, got %s", kind(m))
	}
	if own.DefaultMapping == nil {
		return nil, errors.New("plugin: mapping: wanted a default mapping, perhaps one that is not enabled, got nil")
	}
	if err := own.Validate(); err != nil {
		return nil, err
	}
	if field, below, found := neardup.Unreachable(own); found {
		if below == "" {
			below = "a document mapping"
		} else {
			below = fmt.Sprintf("the property %q", below)
		}
		return nil, fmt.Errorf("plugin: mapping: field %q: wanted a fingerprinted field that documents can have, got one below %s that is not enabled", field, below)
	}
	if !neardup.Fingerprints(own) {
		return nil, fmt.Errorf("plugin: mapping: wanted a text field whose analyzer is of type %q (plugin.AddSignature adds one), got none", neardup.Name)
	}
	return own, nil
}

// kind is the type of m, or "nil".
func kind(m mapping.IndexMapping) string {
	if own, ok := m.(*mapping.IndexMappingImpl); m == nil || ok && own == nil {
		return "nil"
	}
	return fmt.Sprintf("a %T", m)
}

// Failed returns what Open says of an error of bleve's, which opened no index. Callers compare bleve's own errors with ==.
func Failed(path string, err error) error {
	wanted := "wanted an index, with segments that are whole: "
	_, bleves := err.(bleve.Error)
	switch {
	case bleves:
		return err
	case errors.Is(err, signature.ErrVersion):
		wanted = ""
	case strings.HasSuffix(err.Error(), "timeout"): // bolt's, which bleve passes on
		wanted = "wanted an index that nobody has open, got one that another process or this one holds: "
	}
	return fmt.Errorf("plugin: %s: %s%w", path, wanted, err)
}

// SetsTimeout reports whether a bolt_timeout is kept with an index.
func SetsTimeout(path string) bool {
	data, err := os.ReadFile(filepath.Join(path, "index_meta.json"))
	if err != nil {
		return false
	}
	var meta struct {
		Config map[string]any `json:"config"`
	}
	// A Decoder, since bleve writes some bytes after the JSON.
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&meta); err != nil {
		return false
	}
	_, set := meta.Config["bolt_timeout"]
	return set
}

// Empty reports whether path is a directory without any file.
func Empty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// Changed is neardup.Changed for mappings that were not read from JSON.
func Changed(before, now mapping.IndexMapping) (field string, changed bool, err error) {
	var parsed [2]mapping.IndexMappingImpl
	for i, m := range [2]mapping.IndexMapping{before, now} {
		data, err := json.Marshal(m)
		if err == nil {
			err = json.Unmarshal(data, &parsed[i])
		}
		if err != nil {
			return "", false, fmt.Errorf("plugin: mapping: %w", err)
		}
	}
	field, changed = neardup.Changed(&parsed[0], &parsed[1])
	return field, changed, nil
}
