package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/opening"
	"github.com/neardup/bleve-neardup/plugin/internal/typed"
)

// New makes an index of type neardup at path, where nothing must exist yet, or in memory
// if path is "". m must be a *mapping.IndexMappingImpl, as bleve.NewIndexMapping makes it:
// bleve keeps no other type with an index. New returns an error if m fingerprints no field,
// or a field that no document can have because it is below a document mapping that is not
// enabled. New cannot know whether any document will have the type of a document mapping:
// neardup_unsigned in StatsMap counts documents that were written without a signature.
func New(path string, m mapping.IndexMapping) (bleve.Index, error) {
	if _, err := opening.Mapping(m); err != nil {
		return nil, err
	}
	return bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, nil)
}

// lockTimeout is how long Open and Scrub wait for the lock of an index. It is long enough for
// another process that is closing the index.
const lockTimeout = "3s"

// Open opens an index of type neardup. It returns an error for an index of another type,
// whose documents have no signatures; package plugin/backfill adds them. If the index is
// already open, in this process or another, Open returns an error after three seconds, or
// after the bolt_timeout that is kept with the index. To pass settings for this opening
// alone, call bleve.OpenUsing.
func Open(path string) (bleve.Index, error) {
	var config map[string]any
	if !opening.SetsTimeout(path) {
		config = map[string]any{"bolt_timeout": lockTimeout}
	}
	x, err := bleve.OpenUsing(path, config)
	if err != nil {
		return nil, opening.Failed(path, err)
	}
	if _, err := inner(x); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// OpenOrNew opens the index at path as Open does. If there is none, or an empty directory, it
// makes one with the mapping m as New does. If path is "", it makes one in memory. An existing
// index keeps its mapping. OpenOrNew returns an error if m signs a field in another way, since
// new signatures would then match no old one.
func OpenOrNew(path string, m mapping.IndexMapping) (bleve.Index, error) {
	own, err := opening.Mapping(m)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return New(path, m)
	}
	x, err := Open(path)
	if err == bleve.ErrorIndexPathDoesNotExist || err == bleve.ErrorIndexMetaMissing && opening.Empty(path) {
		if x, err = New(path, m); err != bleve.ErrorIndexPathExists {
			return x, err
		}
		x, err = Open(path) // another process made it meanwhile
	}
	if err != nil {
		return nil, err
	}
	field, changed, err := opening.Changed(x.Mapping(), own)
	if err == nil && changed {
		err = fmt.Errorf("plugin: %s: field %q: wanted the analyzer's configuration that the index was made with, got another; package plugin/backfill makes a new index", path, field)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Is reports whether x is an open index of type neardup, or an alias of one such index: whether
// documents written to x get signatures, and whether x can be given to SetPolicy and Submit.
// It is false for nil and for an index in another process.
func Is(x bleve.Index) bool {
	_, err := inner(x)
	return err == nil
}

// inner returns the index of type neardup inside x, which might be an alias of one.
func inner(x bleve.Index) (*indextype.Index, error) { return typed.Index("plugin", x) }

// ForceMerge merges the segments of x, an index of type neardup on disk, into one. Searches
// are then faster, as long as little is written. It returns when the merge is done, or with
// ctx's error if ctx ends first. It calls scorch's ForceMerge, which a program can also reach
// by asserting what Advanced returns to
//
//	interface{ ForceMerge(context.Context, *mergeplan.MergePlanOptions) error }
func ForceMerge(ctx context.Context, x bleve.Index) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	return n.ForceMerge(ctx, nil)
}
