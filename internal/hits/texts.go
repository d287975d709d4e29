package hits

import (
	"cmp"
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Texts reads the stored texts of hits of a local index, or of the members of an alias of local ones, for the search that
// has Verify: each in microseconds, from a snapshot. It is not safe for concurrent use, and must be closed.
type Texts struct {
	field  string
	leaves []leaf
	cache  verify.Cache[Place]
}

// leaf is one index.
type leaf struct {
	bleve.Index
	reader index.IndexReader
	texts  *verify.Snapshot
}

// OpenTexts returns the Texts of a field of x.
func OpenTexts(x bleve.Index, field string) (*Texts, error) {
	r := &Texts{field: field}
	for _, x := range indexes.Leaves(inside(x)) {
		reader, err := indexes.Reader(x)
		switch _, here := x.Advanced(); {
		case err != nil && here != nil && here != bleve.ErrorIndexClosed:
			r.Close()
			return nil, Wrong(errors.New("collapse: verify needs a local index or an alias of local ones, got one that is remote: " +
				"leave out verify, so that the sketches decide"))
		case err != nil:
			continue // it is closed, as the search will say
		}
		r.leaves = append(r.leaves, leaf{Index: x, reader: reader})
		l := &r.leaves[len(r.leaves)-1]
		if l.texts, err = verify.NewSnapshot(reader, x.Mapping(), field, column.Read(reader, field)); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Close lets go of the snapshots.
func (r *Texts) Close() {
	for _, l := range r.leaves {
		l.reader.Close()
	}
}

// Lanes is the least number of lanes that sketches have, as far as mappings tell; else the default.
func (r *Texts) Lanes() int {
	var mappings []mapping.IndexMapping
	for _, l := range r.leaves {
		mappings = append(mappings, l.Mapping())
	}
	return LeastLanes(r.field, mappings)
}

// LeastLanes is the least number of lanes that sketches of a field have, as far as mappings tell; else the default.
func LeastLanes(field string, mappings []mapping.IndexMapping) (least int) {
	for _, m := range mappings {
		if a, err := neardup.Of(m, field); err == nil && (least == 0 || a.Params().Lanes < least) {
			least = a.Params().Lanes
		}
	}
	return cmp.Or(least, signature.DefaultParams().Lanes)
}

// Text returns the text of a hit, nil if it is not stored, cannot be read, or is none that the
// signature of the hit was made from.
func (r *Texts) Text(hit *stored.Hit) *verify.Text {
	return r.cache.Text(PlaceOf(hit.DocumentMatch), func() (text *verify.Text) {
		named := func(l leaf) bool { return l.Name() == hit.Index }
		any := !slices.ContainsFunc(r.leaves, named) // an index that stands before others can have another name
		for _, l := range r.leaves {
			if text == nil && (any || named(l)) {
				text = l.read(hit)
			}
		}
		return text
	})
}

// read reads a text from one index. The number that the document had in the snapshot of the search is mostly its number
// here: to find the id takes a look into each segment. A text of the hit's signature is the hit's, wherever it is.
func (l *leaf) read(hit *stored.Hit) *verify.Text {
	if len(hit.IndexInternalID) == 8 {
		if text := l.texts.Read(hit.IndexInternalID, hit.Signature); text != nil {
			return text
		}
	}
	id, err := l.reader.InternalID(hit.ID)
	if id == nil || err != nil {
		return nil
	}
	return l.texts.Read(id, hit.Signature)
}

// Judge returns what judges a head and a hit: by their texts, or by the rule where a text is not
// there.
func (r *Texts) Judge(rule signature.Rule, v signature.Verify) func(head, hit *stored.Hit) (verify.Finding, bool) {
	judge := verify.Judge{Verify: v, Rule: rule}
	return func(head, hit *stored.Hit) (verify.Finding, bool) {
		text := func(of *stored.Hit) func() *verify.Text { return func() *verify.Text { return r.Text(of) } }
		return judge.Pair(head.Signature, hit.Signature, text(head), text(hit))
	}
}
