package hits

import (
	"context"
	"fmt"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

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
		return s.plain(ctx, r)
	}
	r.Fields = slices.Concat(r.Fields, s.keep, s.by.Names())
	if !s.by.Alone() {
		r.Fields = append(r.Fields, s.stored)
	}
	return s.plain(ctx, r)
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

// sorted returns false: the values are not here.
func (s *loaded) sorted(search.DocumentMatchCollection, search.SortOrder) (
	search.DocumentMatchCollection, bool, error,
) {
	return nil, false, nil
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

// merge merges hits that are in order, all or some, with the answers of parts, and drops what
// comes after the end of a list that has more. It reports whether the hits are all.
func (s *loaded) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, answers []*parts.Answer) (search.DocumentMatchCollection, bool, error) {
	lists, sum, err := listsOf(order, own, all, answers)
	if err != nil {
		return nil, false, err
	}
	if slices.ContainsFunc(lists, func(l parts.Answer) bool { return len(l.Ranked) == 0 && l.More }) {
		return nil, false, nil
	}
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit, sum)
	}
	compare := Compare(order)
	hits := make(search.DocumentMatchCollection, 0, sum)
	for {
		best := bestOf(lists, compare)
		if best < 0 {
			return hits, true, nil
		}
		l := &lists[best]
		next := &l.Ranked[0]
		if best > 0 {
			s.ranked[next.DocumentMatch] = next
		}
		hits = append(hits, next.DocumentMatch)
		if l.Ranked = l.Ranked[1:]; len(l.Ranked) == 0 && l.More {
			return hits, false, nil
		}
	}
}

// listsOf returns the lists to merge, and how many hits are in them: first the hits of parts
// that gave no answer.
func listsOf(order search.SortOrder, own search.DocumentMatchCollection, all bool, answers []*parts.Answer) (lists []parts.Answer, sum int, err error) {
	first := parts.Answer{Ranked: make([]parts.Hit, 0, len(own)), More: !all}
	for _, hit := range own {
		first.Ranked = append(first.Ranked, parts.Hit{Hit: stored.Hit{DocumentMatch: hit}})
	}
	lists = append(lists, first)
	for _, p := range answers {
		for _, hit := range p.Ranked {
			if len(hit.Sort) < len(order) {
				return nil, 0, fmt.Errorf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
		}
		lists = append(lists, *p)
		sum += len(p.Ranked)
	}
	return lists, sum + len(own), nil
}

// bestOf returns which list begins with the best hit, -1 if all are empty.
func bestOf(lists []parts.Answer, compare func(a, b *search.DocumentMatch) int) int {
	best := -1
	for i, l := range lists {
		if len(l.Ranked) > 0 && (best < 0 || compare(l.Ranked[0].DocumentMatch, lists[best].Ranked[0].DocumentMatch) < 0) {
			best = i
		}
	}
	return best
}

// plain searches for the hits of r, with their values where parts give them.
func (s *loaded) plain(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if !s.by.Any() || parts.In(ctx) != nil || r.Size == 0 {
		return s.index.SearchInContext(ctx, r)
	}
	order, size := Order(r.Sort), r.Size
	w := &parts.Want{Field: s.field, Fields: s.by, Plain: true}
	res, err := s.index.SearchInContext(parts.With(ctx, w), r)
	if err != nil {
		return nil, err
	}
	if len(w.Answers()) == 0 {
		return res, nil
	}
	for _, answer := range w.Answers() {
		for i := range answer.Ranked {
			hit := &answer.Ranked[i]
			s.remember(hit)
			res.Hits = append(res.Hits, hit.DocumentMatch)
		}
	}
	slices.SortStableFunc(res.Hits, Compare(order))
	res.Hits = res.Hits[:min(size, len(res.Hits))]
	return res, nil
}

// remember keeps what a part knows of a hit.
func (s *loaded) remember(hit *parts.Hit) {
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit)
	}
	s.ranked[hit.DocumentMatch] = hit
}
