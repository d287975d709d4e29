package plugin

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/mappings"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// New makes an index of type neardup at path, where nothing must exist yet, or in memory
// if path is "". m must be a *mapping.IndexMappingImpl, as bleve.NewIndexMapping makes it:
// bleve keeps no other type with an index. New returns an error if m fingerprints no field,
// or a field that no document can have because it is below a document mapping that is not
// enabled. New cannot know whether any document will have the type of a document mapping:
// neardup_unsigned in StatsMap counts documents that were written without a signature.
func New(path string, m mapping.IndexMapping) (bleve.Index, error) {
	if _, err := checked(m); err != nil {
		return nil, err
	}
	return bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, nil)
}

// Open opens an index of type neardup. It returns an error for an index of another type,
// whose documents have no signatures; package plugin/backfill adds them. If the index is
// already open, in this process or another, Open returns an error after three seconds, long enough
// for a process that is closing it. To pass settings for this opening alone, such as another
// bolt_timeout, call bleve.OpenUsing.
func Open(path string) (bleve.Index, error) {
	x, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": "3s"})
	if err != nil {
		return nil, failed(path, err)
	}
	if _, err := Of(x); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// OpenOrNew opens the index at path as Open does. If there is none, or an empty directory, it
// makes one with the mapping m as New does. If path is "", it makes one in memory. An existing
// index keeps its mapping. OpenOrNew returns an error if m signs a field in another way, since
// new signatures would then match no old one.
func OpenOrNew(path string, m mapping.IndexMapping) (bleve.Index, error) {
	own, err := checked(m)
	if err == nil {
		own, err = mappings.Copy(own)
	}
	if err != nil {
		return nil, err
	}
	if path == "" {
		return New(path, m)
	}
	x, err := Open(path)
	if err == bleve.ErrorIndexPathDoesNotExist || err == bleve.ErrorIndexMetaMissing && empty(path) {
		if x, err = New(path, m); err != bleve.ErrorIndexPathExists {
			return x, err
		}
		x, err = Open(path) // another process made it meanwhile
	}
	if err != nil {
		return nil, err
	}
	there, _ := x.Mapping().(*mapping.IndexMappingImpl) // bleve keeps no other
	if field, changed := neardup.Changed(there, own); changed {
		err = fmt.Errorf("plugin: %s: field %q: wanted the analyzer's configuration that the index was made with, got another; package plugin/backfill makes a new index", path, field)
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// checked returns m, or an error if no index can be made with it.
func checked(m mapping.IndexMapping) (*mapping.IndexMappingImpl, error) {
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

// failed returns what Open says of an error of bleve's, which opened no index. Callers compare bleve's own errors with ==.
func failed(path string, err error) error {
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

// empty reports whether path is a directory without any file.
func empty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// Of returns the index of type neardup that x is, or is an alias of: its methods set marks, merge the files and erase
// from them what was deleted, and say what is in force. It is an error if documents written to x get no signatures, if
// x is an alias of several indexes, closed, or in another process.
func Of(x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	if _, err := x.DocCount(); err == bleve.ErrorIndexClosed { // of which Advanced says nothing
		return nil, err
	}
	in, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	n, ok := in.(*indextype.Index)
	if !ok {
		return nil, fmt.Errorf("plugin: %s: wanted an index of type %q, got a %T without signatures: package plugin/backfill makes one of it", x.Name(), indextype.Name, in)
	}
	return n, nil
}
