package passages

import (
	"fmt"
	"sort"
	"unsafe"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// searcher gives out matches in the order of their numbers, as bleve wants them.
type searcher struct {
	options search.SearcherOptions
	matches []match
	next    int

	boost, norm, weight float64 // weight is that of the query: boost·norm, once norm is known
}

// Next implements search.Searcher.
func (s *searcher) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	if s.next == len(s.matches) {
		return nil, nil
	}
	m := &s.matches[s.next]
	s.next++
	d := sc.DocumentMatchPool.Get()
	d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.doc)
	if s.options.Score != "none" {
		d.Score = m.inHit.Value * s.weight
		if s.options.Explain {
			d.Expl = s.explain(m)
		}
	}
	return d, nil
}

// Advance implements search.Searcher.
func (s *searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	doc := id.Value()
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return rest[i].doc >= doc })
	return s.Next(sc)
}

// explain says where a score comes from.
func (s *searcher) explain(m *match) *search.Explanation {
	e := &search.Explanation{Value: m.inHit.Value, Message: fmt.Sprintf("neardup: share of the given text, exact: %d words stand in the document", m.words)}
	if !m.verified {
		e.Message = fmt.Sprintf("neardup: share of the given text, estimated: %v", m.inHit)
	}
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
func (s *searcher) Weight() float64 { return s.boost * s.boost }

// SetQueryNorm implements search.Searcher.
func (s *searcher) SetQueryNorm(norm float64) { s.norm, s.weight = norm, s.boost*norm }

// Count implements search.Searcher.
func (s *searcher) Count() uint64 { return uint64(len(s.matches)) }

// Min implements search.Searcher.
func (s *searcher) Min() int { return 0 }

// Size implements search.Searcher: bytes.
func (s *searcher) Size() int {
	return int(unsafe.Sizeof(*s)) + cap(s.matches)*int(unsafe.Sizeof(match{}))
}

// DocumentMatchPoolSize implements search.Searcher.
func (s *searcher) DocumentMatchPoolSize() int { return 1 }

// Close implements search.Searcher.
func (s *searcher) Close() error { return nil }
