package near

import (
	"context"
	"errors"
	"runtime/trace"
	"sort"
	"unsafe"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// found is a document that a query found.
type found interface {
	// Number is the document's number in the snapshot.
	Number() uint64

	// Score is what the match has before the boost, and Explain says where it comes from.
	Score() float64
	Explain() string
}

// searcher gives matches to bleve, in the order of their numbers.
type searcher[M found] struct {
	options search.SearcherOptions
	matches []M
	next    int

	boost, norm, weight float64 // weight is what scores are multiplied by: boost·norm, once norm is known
}

// newSearcher returns a searcher of the matches of q that find returns: each document once, in the order of their
// numbers. It does not call find in a dry run, in which package collapse/serve counts what other queries look up.
func newSearcher[M found](ctx context.Context, reader index.IndexReader, q interface {
	query.ValidatableQuery
	query.BoostableQuery
}, o search.SearcherOptions, name string, find func() ([]M, error),
) (search.Searcher, error) {
	if ctx == nil {
		return nil, errors.New("near: query: wanted a context, got nil")
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	s := &searcher[M]{boost: q.Boost(), weight: 1, options: o}
	if _, dry := reader.(interface{ Dry() }); dry {
		return s, nil
	}
	defer trace.StartRegion(ctx, name).End()
	var err error
	if s.matches, err = find(); err != nil {
		return nil, err
	}
	return s, nil
}

// Next implements search.Searcher.
func (s *searcher[M]) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	if s.next == len(s.matches) {
		return nil, nil
	}
	m := s.matches[s.next]
	s.next++
	d := sc.DocumentMatchPool.Get()
	d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.Number())
	if s.options.Score != "none" {
		d.Score = m.Score() * s.weight
		if s.options.Explain {
			d.Expl = s.explain(m)
		}
	}
	return d, nil
}

// Advance implements search.Searcher.
func (s *searcher[M]) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	doc := id.Value()
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return rest[i].Number() >= doc })
	return s.Next(sc)
}

// explain says where a score comes from, as bleve's own searchers do.
func (s *searcher[M]) explain(m found) *search.Explanation {
	e := &search.Explanation{Value: m.Score(), Message: "neardup: " + m.Explain()}
	if s.weight == 1 {
		return e
	}
	return &search.Explanation{
		Value: e.Value * s.weight, Message: "weight, product of:",
		Children: []*search.Explanation{
			{
				Value: s.weight, Message: "query weight, product of:",
				Children: []*search.Explanation{{Value: s.boost, Message: "boost"}, {Value: s.norm, Message: "queryNorm"}},
			},
			e,
		},
	}
}

// Weight implements search.Searcher.
func (s *searcher[M]) Weight() float64 { return s.boost * s.boost }

// SetQueryNorm implements search.Searcher.
func (s *searcher[M]) SetQueryNorm(norm float64) { s.norm, s.weight = norm, s.boost*norm }

// Count implements search.Searcher.
func (s *searcher[M]) Count() uint64 { return uint64(len(s.matches)) }

// Min implements search.Searcher.
func (s *searcher[M]) Min() int { return 0 }

// Size implements search.Searcher: bytes.
func (s *searcher[M]) Size() int {
	var m M
	return int(unsafe.Sizeof(*s)) + cap(s.matches)*int(unsafe.Sizeof(m))
}

// DocumentMatchPoolSize implements search.Searcher.
func (s *searcher[M]) DocumentMatchPoolSize() int { return 1 }

// Close implements search.Searcher.
func (s *searcher[M]) Close() error { return nil }
