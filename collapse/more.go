package collapse

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
)

// more returns the next hits, n or somewhat more or less, and whether they are the last.
// Of all hits, want are to be visible.
func (s *scan) more(ctx context.Context, n, want int) (hits search.DocumentMatchCollection, all bool, err error) {
	if s.quick {
		hits, all, err := s.top(ctx, s.taken+n, want)
		if err != nil {
			return nil, false, err
		}
		if hits, ok := s.unseen(hits); ok && (all || len(hits) > 0) {
			return hits, all, nil
		}
		s.quick = false
	}
	place := bleve.SearchRequest{Sort: s.request.Sort, Size: n}
	if err := s.advance(); err != nil {
		return nil, false, err
	}
	if s.after != nil {
		place.SearchAfter = s.after
	} else {
		place.From = s.taken
	}
	hits, err = s.fetch(ctx, place)
	all = len(hits) < n
	for s.after != nil && len(hits) > 0 { // of vectors alone, an alias gives the hit of the key again
		if key, err := sortKey(s.request.Sort, hits[0]); err != nil || !slices.Equal(key, s.after) {
			break
		}
		hits = hits[1:]
	}
	return hits, all, err
}

// top returns the first hits, about as many as size says, in the order of ids where they
// tie, and whether those are all. Parts of the index that know of a Want decide for
// themselves how many.
func (s *scan) top(ctx context.Context, size, want int) (search.DocumentMatchCollection, bool, error) {
	o := s.walk.options
	w := &Want{Field: o.Field, Rule: o.Rule, Visible: size, PerGroup: o.Visible, Hits: size}
	if s.taken == 0 {
		w.Visible = want + 1 // to see the first of the next page
	}
	from, away := s.source.(*stored)
	if away {
		ctx = context.WithValue(ctx, wantKey{}, w)
	}
	hits, err := s.fetch(ctx, bleve.SearchRequest{Sort: s.order, Size: size})
	if err != nil {
		return nil, false, err
	}
	all := len(hits) < size
	switch {
	case len(w.parts) > 0:
		return from.merge(s.order, settle(s.order, hits, all), all, w.parts)
	case len(s.order) == len(s.request.Sort):
		s.quick = false // to go on behind the last hit costs less
		return hits, all, nil
	}
	return settle(s.order, hits, all), all, nil
}

// fetch asks bleve for the hits that place says.
func (s *scan) fetch(ctx context.Context, place bleve.SearchRequest) (search.DocumentMatchCollection, error) {
	r := s.request // bleve changes what it is given
	r.Sort, r.SearchAfter, r.SearchBefore, r.From, r.Size = place.Sort.Copy(), place.SearchAfter, place.SearchBefore, place.From, place.Size
	if s.base != nil {
		r.Facets = nil
	}
	res, err := s.source.search(ctx, &r)
	if err != nil {
		return nil, err
	}
	s.note(res)
	return res.Hits, nil
}

// note adds what bleve tells of one search to what it told of those before.
func (s *scan) note(res *bleve.SearchResult) {
	s.took += res.Took
	if s.base == nil {
		s.base = res
	}
}

// advance moves the key to the last hit that was taken.
func (s *scan) advance() error {
	if s.last == nil || s.fusion {
		return nil
	}
	key, err := sortKey(s.request.Sort, s.last)
	if err != nil {
		return err
	}
	s.after = nil
	if continuable(&s.request, key) && encodes(s.request.Sort, s.last, key) {
		s.after = key
	}
	return nil
}
