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
// # Words
//
// A shingle is a run of 4 consecutive words. The resemblance of two texts is the share
// of their distinct shingles that both have, 0 to 1. A signature, 230 bytes, stands for
// a text: it has a sketch of 100 lanes, each of which agrees between two texts with a
// probability equal to their resemblance; a simhash of 64 bits, which differs in few
// bits (the Hamming distance) if the texts differ little; and the exact hash, of the whole
// text but for case, punctuation and space. By the default rule two texts are near-duplicates
// if at least 90 lanes agree, or at most 3 bits differ, or the exact hashes are equal. Each search can use a rule of its own: none is stored
// with a signature.
//
// # Chapters
//
//	collapse            fold copies in search results, and serve that as JSON over HTTP
//	plugin/near      the near-duplicates of one document
//	plugin/near     the documents that share a passage with a text, word for word
//	plugin/near       all groups of an index
//	plugin/admission    tag, reject or replace copies as they are written: SetPolicy below
//	plugin/near     the copies of one text that got in before a policy stopped them: listed and tagged
//	plugin/templates    leave out of signatures what many documents of a site or a sender share
//	plugin/backfill     give an existing index signatures, or other ones; and leave again
//	plugin/cluster/shards    one index over several, local or over HTTP: a module of its own
//	plugin/indextype    what is stored, and how it gets there; marks; erase deleted documents from the files, merge them
//	analysis/analyzer/neardup    the options of a signature: width, HTML, stop words, ...
//	analysis/signature           signatures and rules without bleve
//
// # Watching
//
// Index.StatsMap and expvar count what was signed, judged, tagged and rejected (package
// indextype). If runtime/trace is on, these regions belong to the task of the caller's
// context: collapse.Search, which contains collapse.bleve for each search by bleve, and
// collapse.group where Options.Whole is set; near.Similar; near.Passages; near.Groups; and
// admission.Judge, which belongs to no task where bleve's own Index or Batch writes: they have no context.
//
// If nothing folds, look at these counts first. neardup_unsigned counts documents that were
// written without a signature, for example because the document mapping of their type has no
// fingerprinted field. neardup_untokenized counts texts in which the tokenizer finds no token.
//
// # Without this package
//
// Importing this package registers the index type "neardup", and analyzers and filters
// whose names begin with "neardup". New and Open are bleve.NewUsing and bleve.Open with
// checks; the mapping can also be written as JSON. A program that opens such an index must
// import this package, or bleve says "unknown index type". The text need not be stored, except
// for collapse/explain, plugin/backfill and plugin/templates, for options Verify, and for the
// spans of plugin/near.
//
// If other people's code calls bleve.New, one line before that call makes it create indexes
// of type neardup:
//
//	bleve.Config.DefaultIndexType = indextype.Name
//
// The line has no effect on bleve.NewMemOnly, which always makes an index of another type
// (use New("", m) for an index in memory), nor on bleve.NewBuilder, nor on indexes that
// exist. An index made without this package still opens, but it has no signatures:
// collapse.Search and Open return an error that says so, and package plugin/backfill makes
// an index with signatures from it.
//
// An index of type neardup embeds a *scorch.Scorch but is not one. So do not assert what
// Advanced returns to *scorch.Scorch: assert an interface with the methods that you need, or
// call Of.
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

// AddSignature makes one signature of the text of the given properties of dm, all together, in the
// field named Field. If dm is itself the property page of another mapping, the field is
// page.neardup, and the options of collapse and similar must name it. AddSignature keeps what dm
// says about a property. A property that dm does not know yet is also indexed as text, as
// bleve does by default. A property that no document has signs nothing, which no mapping can know: backfill.Run says so, and
// in Index.StatsMap neardup_unsigned then grows, and neardup_signed does not.
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
