package collapse

import (
	"context"
	"reflect"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
)

// rankable returns the source of s if the hits can be taken from a ranking of its
// own.
func (s *scan) rankable(ctx context.Context) *local {
	if s.fusion || s.walk.options.Cursor != nil || s.taken > 0 {
		return nil
	}
	return rankable(ctx, s.source, &s.request, s.order)
}

// rankable returns a source in which hits can be ranked here: of one index of bleve's,
// by score. What stands before bleve's own index may want to see the hits.
func rankable(ctx context.Context, src source, r *bleve.SearchRequest, order search.SortOrder) *local {
	l, ok := src.(*local)
	if !ok || r.Score == "none" || len(order) != 1 {
		return nil
	}
	if by, ok := order[0].(*search.SortScore); !ok || !by.Desc {
		return nil
	}
	index := l.index
	if w, ok := index.(*watched); ok {
		index = w.anyIndex
	}
	if ctx.Value(search.MakeDocumentMatchHandlerKey) != nil || reflect.TypeOf(index).String() != "*bleve.indexImpl" {
		return nil
	}
	return l
}

// page answers a request by a ranking of its own, ties in the order of the ids. It
// returns nil if bleve has to.
func (l *local) page(ctx context.Context, request *bleve.SearchRequest, order search.SortOrder) (*bleve.SearchResult, error) {
	want := request.From + request.Size
	ranked := newRanked(want + 1)
	defer ranked.release()
	r := *request
	r.Sort, r.From, r.Size = order.Copy(), 0, want
	res, saw, err := l.collect(ctx, &r, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		ranked.pool = sc.DocumentMatchPool
		return ranked.add, false, nil
	})
	if err != nil || ranked.unfit || saw == nil {
		return nil, err
	}
	res.Hits = make(search.DocumentMatchCollection, 0, min(request.Size, len(ranked.all)))
	for n := range want {
		hit, err := ranked.pull(saw, want)
		if err != nil {
			return nil, err
		}
		if hit == nil {
			break
		}
		if hit.Index = l.index.Name(); n < request.From {
			continue
		}
		if err := l.show(hit); err != nil {
			return nil, err
		}
		res.Hits = append(res.Hits, hit)
	}
	return res, nil
}

// rank does what run does, with a ranking; it returns false if it comes to where
// that will not do.
func (s *scan) rank(ctx context.Context, l *local, want int) (done bool, err error) {
	const most = 1 << 20 // for more, it is searched again
	for keep := 8*min(want, most) + 64; ; keep *= 8 {
		again, done, err := s.rankOnce(ctx, l, newRanked(keep), want)
		if !again {
			return done, err
		}
	}
}

// rankOnce takes hits of one search. It tells whether more have to be kept in
// another.
func (s *scan) rankOnce(ctx context.Context, l *local, ranked *ranked, want int) (again, done bool, err error) {
	defer ranked.release()
	r := s.request // bleve changes what it is given
	r.Sort, r.Size = s.order.Copy(), want
	if s.base != nil {
		r.Facets = nil
	}
	res, saw, err := l.collect(ctx, &r, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		ranked.pool = sc.DocumentMatchPool
		return ranked.add, false, nil
	})
	if err != nil {
		return false, false, err
	}
	s.note(res)
	if ranked.unfit || saw == nil || saw.IndexReader != l.searched[0].IndexReader {
		return false, false, nil
	}
	name := l.index.Name()
	for budget := s.walk.options.Budget; s.spent < budget; {
		hit, err := ranked.pull(saw, want)
		if err != nil {
			return false, false, err
		}
		if hit == nil {
			s.done = uint64(len(ranked.all)) == res.Total
			return !s.done, s.done, nil
		}
		if ranked.given <= s.taken {
			continue // in the search before
		}
		hit.Index = name
		if !s.walk.take(hit, s.walk.before+len(s.walk.hits) < want) {
			return false, true, nil // the first of the next page
		}
		s.taken++
		s.spent++
		s.last = hit
	}
	return false, true, nil
}
