// Package plugin adds near-duplicate detection to bleve.
//
//	m := bleve.NewIndexMapping()
//	plugin.Map(m.DefaultMapping, "title", "body")
//	index, err := plugin.New("pages.bleve", m)
//
// What comes back is an ordinary bleve.Index that keeps a signature of the title and
// body of every document. Then collapse.Search takes the place of index.Search, and
// shows of each group of copies the best-ranked.
//
// # Words
//
// A shingle is a run of 4 consecutive words. The resemblance of two texts is the share
// of their distinct shingles that both have, 0 to 1. A signature, 230 bytes, stands for
// a text: it has a sketch of 100 lanes, each of which agrees between two texts with a
// probability equal to their resemblance; a simhash of 64 bits, which differs in few
// bits (the Hamming distance) if the texts differ little; and a hash of the whole. By the
// default rule two texts are near-duplicates if 90 lanes agree, or 3 bits differ at most,
// or the hashes are equal. A rule is not stored: it may be another for every search.
//
// # Chapters
//
//	collapse            fold copies in search results, and serve that as JSON over HTTP
//	plugin/similar      the near-duplicates of one document
//	plugin/groups     all groups of an index
//	plugin/admission    tag, refuse or replace copies as they are written: SetPolicy below
//	plugin/backfill     signatures for an index that exists, or other ones; and the way back
//	Purge, Scrub        erase from files what was deleted
//	plugin/indextype    what is stored, and how it gets there
//	analysis/analyzer/neardup    the options of a signature: width, HTML, stop words, ...
//	analysis/signature           signatures and rules without bleve
//
// # Watching
//
// Index.StatsMap and expvar tell what was signed, judged, tagged and refused (package
// indextype). Where runtime/trace is on, it has these regions, in the task that the
// context carries: collapse.Search, in it collapse.bleve for each search of bleve's, and
// collapse.group in the whole form; similar.lookup; groups.All. Writes have no context,
// so admission.Judge is in no task.
//
// If nothing folds, look there first: neardup_unsigned counts documents that were written
// without a signature, such as those of a type whose document mapping has no fingerprinted
// field, and neardup_untokenized those with text of which the tokenizer makes no token.
//
// # Without this package
//
// Importing it registers the index type "neardup", and analyzers and filters whose names
// begin with "neardup". New and Open are bleve.NewUsing and bleve.Open with checks, and
// the mapping may as well be JSON. A program that opens such an index must import it, or
// bleve says "unknown index type".
// The text need not be stored for anything but package collapse/explain and plugin/backfill.
//
// Where calls of bleve.New lie in code of others, one line before them makes the indexes
// that they make ones of type neardup:
//
//	bleve.Config.DefaultIndexType = indextype.Name
//
// Not bleve.NewMemOnly, which makes an index of another type whatever one says: New("", m)
// is in memory, too. And not bleve.NewBuilder, nor what is there already: an index that was
// made without this package opens as ever and has no signatures, which collapse.Search and
// Open say; package plugin/backfill makes one of it that has.
//
// An index of type neardup is scorch, but no *scorch.Scorch: what Advanced returns has
// scorch's methods by promotion, so assert an interface of those that are needed, or call
// ForceMerge here.
package plugin

import (
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"

	// The token filters, so that a mapping can name them.
	_ "github.com/neardup/bleve-neardup/analysis/token/band"
	_ "github.com/neardup/bleve-neardup/analysis/token/minhash"
	_ "github.com/neardup/bleve-neardup/analysis/token/shingle"
	_ "github.com/neardup/bleve-neardup/analysis/token/supershingle"
)

// Field is the name of the field that Map fingerprints.
const Field = signature.DefaultField

// Map makes the text of the given properties of dm the source of one signature,
// that of all of them together, in the field named Field. (Of a document mapping that
// is itself the property page, the field is page.neardup, for which the options of
// collapse and similar must ask.) What dm says about a property already stays; a
// property it does not know yet is indexed as text besides, as bleve would have done
// by itself.
//
// For an analyzer of your own configuration, add FieldMapping(name) to a property
// instead. A nil dm stays nil, and New says what is wrong with that.
func Map(dm *mapping.DocumentMapping, properties ...string) {
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

// FieldMapping returns the mapping of a fingerprinted field named Field, with the
// analyzer so named: not stored, not in _all, without term vectors and doc values,
// each of which would cost disk for nothing.
func FieldMapping(analyzer string) *mapping.FieldMapping {
	return &mapping.FieldMapping{Name: Field, Type: "text", Analyzer: analyzer, Index: true}
}
