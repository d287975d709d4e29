// Package plugin adds near-duplicate detection to bleve.
//
// Importing it registers the index type "neardup" and the analyzer and token
// filters whose names begin with "neardup". [New] and [Open] are bleve's own, for
// that index type; [Map] says which text is fingerprinted:
//
//	m := bleve.NewIndexMapping()
//	plugin.Map(m.DefaultMapping, "title", "body")
//	index, err := plugin.New("pages.bleve", m)
//
// What they return is an ordinary bleve.Index. Everything is reachable without
// them too, from mapping JSON, bleve.NewUsing and bleve.Open; see package
// plugin/indextype for the index type and analysis/analyzer/neardup for the
// analyzer's configuration. Package collapse folds the near-copies in a result, and
// package plugin/backfill gives an index that exists signatures, or other ones.
package plugin

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/indextype"

	// The token filters, so that a mapping can name them.
	_ "github.com/neardup/bleve-neardup/analysis/token/band"
	_ "github.com/neardup/bleve-neardup/analysis/token/minhash"
	_ "github.com/neardup/bleve-neardup/analysis/token/shingle"
	_ "github.com/neardup/bleve-neardup/analysis/token/supershingle"
)

// Field is the name of the field that Map fingerprints.
const Field = signature.DefaultField

// New makes an index of type neardup at path, or in memory if path is "". It
// returns an error if m fingerprints no field.
func New(path string, m *mapping.IndexMappingImpl) (bleve.Index, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if !neardup.Fingerprints(m) {
		return nil, fmt.Errorf("plugin: mapping: wanted a text field whose analyzer is of type %q (plugin.Map adds one), got none", neardup.Name)
	}
	return bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, nil)
}

// Open opens an index of type neardup. It returns an error for an index of
// another type: what was written there has no signature.
func Open(path string) (bleve.Index, error) {
	index, err := bleve.Open(path)
	if err != nil {
		return nil, err
	}
	inner, err := index.Advanced()
	if err == nil {
		if _, ok := inner.(*indextype.Index); ok {
			return index, nil
		}
		err = fmt.Errorf("plugin: %s: wanted an index of type %q, got a %T", path, indextype.Name, inner)
	}
	if cerr := index.Close(); cerr != nil {
		err = fmt.Errorf("%w; and closing it: %v", err, cerr)
	}
	return nil, err
}

// Map makes the text of the given properties of dm the source of one signature,
// in the field named Field (of a document mapping that is itself the property
// page, in page.neardup). What dm says about a property already stays; a property
// it does not know yet is indexed as text besides, as bleve would have done by
// itself.
//
// For an analyzer of your own configuration, add FieldMapping(name) to a property
// instead.
func Map(dm *mapping.DocumentMapping, properties ...string) {
	for _, name := range properties {
		p := dm.Properties[name]
		if p == nil {
			p = bleve.NewDocumentMapping()
			dm.AddSubDocumentMapping(name, p)
		}
		if len(p.Fields) == 0 {
			p.AddFieldMapping(mapping.NewTextFieldMapping())
		}
		if !slices.ContainsFunc(p.Fields, func(f *mapping.FieldMapping) bool { return f.Name == Field }) {
			p.AddFieldMapping(FieldMapping(neardup.Name))
		}
	}
}

// FieldMapping returns the mapping of a fingerprinted field named Field, with the
// analyzer so named: not stored, not in _all, without term vectors and doc values,
// each of which would cost disk for nothing.
func FieldMapping(analyzer string) *mapping.FieldMapping {
	return &mapping.FieldMapping{Name: Field, Type: "text", Analyzer: analyzer, Index: true}
}
