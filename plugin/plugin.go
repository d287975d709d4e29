// Package plugin adds near-duplicate detection to bleve.
//
//	m := bleve.NewIndexMapping()
//	plugin.AddSignature(m.DefaultMapping, "title", "body")
//	index, err := plugin.New("pages.bleve", m)
//
// New returns an ordinary bleve.Index that keeps a signature of the title and body of
// every document. To search it, call collapse.Search instead of index.Search: of each
// group of copies it shows the best-ranked one.
//
// A signature, 131 bytes, stands for a text. It has a sketch of 100 lanes, each of which agrees between two texts with
// a probability equal to their resemblance, the share of runs of 4 words that both have; a simhash of 64 bits, few of
// which differ if the texts differ little; and the exact hash, of all but case, punctuation and space. By the default
// rule two texts are near-duplicates if at least 90 lanes agree, or at most 3 bits differ, or the exact hashes are
// equal. Each search can use a rule of its own: none is stored with a signature.
//
// The other packages:
//
//	collapse            fold copies in search results, and serve that as JSON over HTTP
//	plugin/near         the near-duplicates of a document, who shares a passage with it, all groups, campaigns
//	plugin/admission    tag, reject or replace copies as they are written: SetPolicy below
//	plugin/templates    leave out of signatures what many documents of a site or a sender share
//	plugin/backfill     give an existing index signatures, or other ones; and leave again
//	plugin/indextype    what is stored, marks, merging and erasing: Of below
//	plugin/cluster      one index over several, local or over HTTP: a module of its own
//	analysis/analyzer/neardup    the options of a signature: width, HTML, stop words, ...
//	analysis/signature           signatures and rules without bleve
//
// # Watching
//
// Index.StatsMap and expvar count what was signed, judged, tagged and rejected (package indextype). If nothing folds,
// look at neardup_unsigned first: documents that were written without a signature, for example because the document
// mapping of their type has no fingerprinted field. If runtime/trace is on, these regions belong to the task of the
// caller's context: collapse.Search, with collapse.bleve for each search by bleve and collapse.group where
// Options.Whole is set; near.Similar, near.Passages and near.Groups; and admission.Judge, but where bleve's own Index
// or Batch writes: they have no context.
//
// # Without this package
//
// Importing this package registers the index type "neardup", and analyzers and filters whose names begin with
// "neardup". New and Open are bleve.NewUsing and bleve.Open with checks; the mapping can also be written as JSON. A
// program that opens such an index must import this package, or bleve says "unknown index type". The text need not be
// stored, except for collapse/explain, plugin/backfill and plugin/templates, for options Verify, and for the spans of
// plugin/near.
//
// If other people's code calls bleve.New, this line before that call makes it create indexes of type neardup:
//
//	bleve.Config.DefaultIndexType = indextype.Name
//
// It has no effect on bleve.NewMemOnly (use New("", m)), on bleve.NewBuilder, and on indexes that exist.
//
// An index of type neardup embeds a *scorch.Scorch but is not one: of what Advanced returns, assert an interface with
// the methods that you need, or call Of.
package plugin

import (
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"

	// The token filters, so that a mapping can name them.
	_ "github.com/neardup/bleve-neardup/analysis/classic/token"
	_ "github.com/neardup/bleve-neardup/analysis/token"
)

// Field is the name of the field that AddSignature adds.
const Field = signature.DefaultField

// AddSignature makes one signature of the text of the given properties of dm, all together, in the field named Field.
// If dm is itself the property page of another mapping, the field is page.neardup, and the options of collapse and
// similar must name it. AddSignature keeps what dm says about a property. A property that dm does not know yet is also
// indexed as text, as bleve does by default. A property that no document has signs nothing, which no mapping can know:
// backfill.Run says so, and in Index.StatsMap neardup_unsigned then grows, and neardup_signed does not.
//
// To configure the analyzer, define one of your own and add FieldMapping(name) to a property
// instead. AddSignature does nothing if dm is nil; New then returns an error.
func AddSignature(dm *mapping.DocumentMapping, properties ...string) {
	if dm == nil {
		return
	}
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

// FieldMapping returns the mapping of a fingerprinted field named Field with the named
// analyzer. The field is not stored and not in _all, and it has neither term vectors nor doc
// values: each of these would cost disk for nothing.
func FieldMapping(analyzer string) *mapping.FieldMapping {
	return &mapping.FieldMapping{Name: Field, Type: "text", Analyzer: analyzer, Index: true}
}
