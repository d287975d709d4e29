package hits

import (
	"context"
	"maps"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// loaded reads signatures from the stored fields of hits, which bleve reads from disk for each
// hit.
type loaded struct {
	index *Watched
	field string
	by    fields.Options
	local map[string][]*snapshot // of local indexes, by their names; nil before values or texts are read
}

// sketch is the stored field with the signature.
func (s *loaded) sketch() string { return signature.Field(s.field).Sketch() }

func (s *loaded) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	if slices.Contains(r.Fields, "*") { // which has them, and bleve would load twice what is named besides
		r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(name string) bool { return name == s.sketch() })
		return s.index.SearchInContext(ctx, r)
	}
	r.Fields = slices.Concat(r.Fields, s.by.Names())
	if !s.by.Alone() {
		r.Fields = append(r.Fields, s.sketch())
	}
	return s.index.SearchInContext(ctx, r)
}

// values come from the local index that the hit is of, or the stored fields of the hit. An alias of bleve's gives
// stored fields, but not doc values. Its members are read as they are now, and not as the search saw them: a hit that
// is gone meanwhile has no values there.
func (s *loaded) values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error) {
	m, id, err := s.find(hit)
	switch {
	case err != nil:
		return nil, err
	case id == nil:
		return append(v, fields.OfHit(hit.Fields, s.by.Names())...), nil
	case m.values == nil:
		if m.values, err = fields.NewReader(m.IndexReader, s.by.Names()); err != nil {
			return nil, err
		}
	}
	return m.values.Append(v, id)
}

func (s *loaded) text(hit *stored.Hit) *verify.Text {
	m, id, err := s.find(hit.DocumentMatch)
	if err != nil || id == nil {
		return nil
	}
	return m.text(s.field, id, hit.Signature)
}

// find returns a snapshot of the local index that a hit is of, and its number there, which is nil if it is not there.
func (s *loaded) find(hit *search.DocumentMatch) (*snapshot, index.IndexInternalID, error) {
	if s.local == nil {
		s.open()
	}
	for _, m := range s.local[hit.Index] {
		if id, err := m.InternalID(hit.ID); id != nil || err != nil {
			return m, id, err
		}
	}
	return nil, nil, nil
}

// open finds the local indexes.
func (s *loaded) open() {
	s.local = make(map[string][]*snapshot)
	for _, x := range indexes.Leaves(s.index.anyIndex) {
		reader, err := indexes.Reader(x)
		if err != nil {
			continue // if it is closed, the search will say so
		}
		s.local[x.Name()] = append(s.local[x.Name()], &snapshot{IndexReader: reader, of: x})
	}
}

func (s *loaded) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	return stored.OfHit(hit, s.sketch())
}

// load does nothing: search has asked for all.
func (s *loaded) load(context.Context, search.DocumentMatchCollection) error { return nil }

func (s *loaded) close() {
	for _, all := range s.local {
		for _, m := range all {
			m.Close()
		}
	}
}

// one reports whether x is one local index. A remote one might be an alias.
func one(x bleve.Index) bool {
	leaves := indexes.Leaves(x)
	if len(leaves) != 1 {
		return false
	}
	_, err := leaves[0].Advanced()
	return err == nil
}

// Ranker is an index in another process that gives hits in rank order, with all that decides of which group they are.
//
// Each question to another process costs a round. So a Ranker is told how many hits are to be visible. It walks its
// hits until as many would be if there were no other index, and gives all that it has met: a head of another index
// might hide one that it would show, or hide the head of one that it would hide. One round is enough for nearly all
// pages.
type Ranker interface {
	// Rank gives the first hits of r, at most r.Size, with what the fields of o name. It must not change r.
	Rank(ctx context.Context, r *bleve.SearchRequest, o *Options, visible int) (*Answer, error)
}

// Answer is what a Ranker says.
type Answer struct {
	// SearchResult is bleve's, without hits.
	*bleve.SearchResult

	Ranked []Hit // each with a sort key as r asks for, by ids where they tie
	More   bool  // there are hits after the last
}

// Hit is a hit with its signature, and its values of Options.Fields. Of a Bare hit fields and highlights are not
// loaded: it is not likely to be shown.
type Hit struct {
	stored.Hit
	Values fields.Values
	Bare   bool
}

// remote gives what a Ranker says.
type remote struct {
	*loaded
	Ranker
	all  *Hits
	told map[*search.DocumentMatch]*Hit
}

// rank asks the Ranker.
func (s *remote) rank(ctx context.Context, r *bleve.SearchRequest, visible int) (*Answer, error) {
	a, err := s.Rank(ctx, r, &s.all.options, visible)
	if err != nil {
		return nil, err
	}
	s.index.Saw(a.SearchResult)
	a.Hits = make(search.DocumentMatchCollection, len(a.Ranked))
	for i := range a.Ranked {
		hit := &a.Ranked[i]
		a.Hits[i], s.told[hit.DocumentMatch] = hit.DocumentMatch, hit
	}
	return a, nil
}

func (s *remote) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	if t := s.told[hit]; t != nil {
		return t.Signature, t.Err
	}
	return s.loaded.read(hit)
}

func (s *remote) values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error) {
	if t := s.told[hit]; t != nil {
		return append(v, t.Values...), nil
	}
	return s.loaded.values(hit, v)
}

// load loads the fields of hits that came bare.
func (s *remote) load(ctx context.Context, hits search.DocumentMatchCollection) error {
	bare := make(map[Place]*search.DocumentMatch)
	for _, hit := range hits {
		if t := s.told[hit]; t != nil && t.Bare {
			bare[PlaceOf(hit)] = hit
		}
	}
	r := among(s.all.caller)
	r.Fields, r.Highlight = s.all.caller.Fields, s.all.caller.Highlight
	const most = 10_000 // ids in one search, which those who serve shards allow
	for some := range slices.Chunk(slices.Collect(maps.Values(bare)), most) {
		found, err := ByIDs(ctx, s.index.SearchInContext, r, idsOf(some))
		if err != nil {
			return err
		}
		for _, hit := range found {
			if b := bare[PlaceOf(hit)]; b != nil {
				b.Fields, b.Fragments = hit.Fields, hit.Fragments
				if b.Locations == nil { // which came already if the caller asked for them
					b.Locations = hit.Locations
				}
			}
		}
	}
	return nil
}
