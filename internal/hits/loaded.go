package hits

import (
	"context"
	"fmt"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// loaded reads signatures from the stored fields of hits, which bleve reads from disk for each
// hit. Parts of the index that know of a Want give better.
type loaded struct {
	index  bleve.Index
	field  string
	stored string // the stored field with the signature
	by     fields.Options
	keep   []string // fields that the caller's filter needs
	caller *bleve.SearchRequest
	local  localValues

	several bool                                 // members of an alias can have the same id
	ranked  map[*search.DocumentMatch]*parts.Hit // by parts
}

func (s *loaded) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	if slices.Contains(r.Fields, "*") { // which has them, and bleve would load twice what is named besides
		r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(name string) bool { return name == s.stored })
		return s.index.SearchInContext(ctx, r)
	}
	r.Fields = slices.Concat(r.Fields, s.keep, s.by.Names())
	if !s.by.Alone() {
		r.Fields = append(r.Fields, s.stored)
	}
	return s.index.SearchInContext(ctx, r)
}

// first asks the parts of the index that know of a Want, and merges what they answer.
func (s *loaded) first(ctx context.Context, r *bleve.SearchRequest, w *parts.Want) (*bleve.SearchResult, bool, error) {
	size, order := r.Size, r.Sort.Copy()
	if w != nil {
		ctx = parts.With(ctx, w)
	}
	res, err := s.search(ctx, r)
	if err != nil {
		return nil, false, err
	}
	all := len(res.Hits) < size
	if w != nil || s.several {
		res.Hits = settle(order, res.Hits, all)
	}
	if w != nil && len(w.Answers()) > 0 {
		res.Hits, all, err = s.merge(order, res.Hits, all, w.Answers())
	}
	return res, all, err
}

// rank returns nil: hits come from bleve or from parts.
func (s *loaded) rank(int) *own { return nil }

// keeps asks about a hit that came with its fields.
func (s *loaded) keeps(k *Keep, hit *search.DocumentMatch) (bool, error) { return k.Hit(hit), nil }

// at returns no snapshot: values come with the hits.
func (s *loaded) at(*search.DocumentMatch) (*snapshot, index.IndexInternalID, error) {
	return nil, nil, nil
}

// values come from the part that gave the hit, or the index that it is of, or the stored
// fields of the hit.
func (s *loaded) values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error) {
	if r := s.ranked[hit]; r != nil {
		return append(v, r.Values...), nil
	}
	if s.local.of == nil {
		s.local.open(s.index, s.by.Names())
	}
	found, err := s.local.append(v, hit)
	if found == nil && err == nil {
		found = append(v, fields.OfHit(hit.Fields, s.by.Names())...)
	}
	return found, err
}

func (s *loaded) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	if r := s.ranked[hit]; r != nil {
		return r.Signature, r.Err
	}
	return stored.OfHit(hit, s.stored)
}

// load loads the fields of hits that came without them from a part.
func (s *loaded) load(ctx context.Context, hits search.DocumentMatchCollection) error {
	var ids []string
	bare := map[Place]*search.DocumentMatch{}
	for _, hit := range hits {
		if r := s.ranked[hit]; r != nil && r.Bare {
			ids, bare[PlaceOf(hit)] = append(ids, hit.ID), hit
		}
	}
	r := among(s.caller)
	r.Fields, r.Highlight = s.caller.Fields, s.caller.Highlight
	for some := range slices.Chunk(ids, mostIDs) {
		found, err := ByIDs(ctx, s.index.SearchInContext, r, some)
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

// mostIDs is how many ids one search names, which those who serve shards allow.
const mostIDs = 10_000

func (s *loaded) close() { s.local.close() }

// one reports whether x is one local index. A remote one might be an alias.
func one(x bleve.Index) bool {
	leaves := indexes.Leaves(x)
	if len(leaves) != 1 {
		return false
	}
	_, err := leaves[0].Advanced()
	return err == nil
}

// merge adds the answers of parts to hits that are in order, all or some, and drops what
// comes after the end of a list that has more. It reports whether the hits are all.
func (s *loaded) merge(order search.SortOrder, hits search.DocumentMatchCollection, all bool, answers []*parts.Answer) (search.DocumentMatchCollection, bool, error) {
	compare := Compare(order)
	var end *search.DocumentMatch // where the first list ends that has more
	cut := func(last *search.DocumentMatch) {
		if end == nil || compare(last, end) < 0 {
			end = last
		}
	}
	if !all && len(hits) > 0 {
		cut(hits[len(hits)-1])
	}
	nothing := !all && len(hits) == 0
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit)
	}
	for _, a := range answers {
		for i := range a.Ranked {
			hit := &a.Ranked[i]
			if len(hit.Sort) < len(order) {
				return nil, false, wrongHits(fmt.Sprintf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort)))
			}
			s.ranked[hit.DocumentMatch] = hit
			hits = append(hits, hit.DocumentMatch)
		}
		if n := len(a.Ranked); a.More && n > 0 {
			cut(a.Ranked[n-1].DocumentMatch)
		}
		nothing = nothing || a.More && len(a.Ranked) == 0
	}
	if nothing {
		return nil, false, nil
	}
	slices.SortStableFunc(hits, compare)
	if end != nil {
		hits = hits[:slices.Index(hits, end)+1]
	}
	return hits, end == nil, nil
}

// wrongHits is the error of hits that cannot be put in order.
type wrongHits string

func (e wrongHits) Error() string { return string(e) }
