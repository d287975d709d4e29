package similar

import (
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// searcher gives out matches in the order of their numbers, as bleve wants them. All of them are
// found before the first is given out: until the rule has judged each candidate, their number is
// not known.
type searcher struct {
	of      *signature.Signature
	options search.SearcherOptions
	matches []match
	sorted  bool
	next    int

	boost, norm, weight float64 // weight is that of the query: boost·norm, once norm is known
}

// match is a document that was found.
type match struct {
	doc       uint64
	share, of int // the resemblance is share/of: of shingles, or of lanes; 1 of 1 if the exact hashes agree
	verified  bool
	signature.Match
}

func matchOf(of *signature.Signature, doc uint64, found verify.Finding) match {
	m := match{doc: doc, share: 1, of: 1, verified: found.Verified, Match: found.Match}
	switch {
	case found.Verified:
		m.share, m.of = found.Shared, found.Union()
	case m.By&signature.ByExact == 0:
		m.share, m.of = m.Agree, of.Lanes
	}
	return m
}

func (s *searcher) add(doc uint64, found verify.Finding) {
	s.matches = append(s.matches, matchOf(s.of, doc, found))
}

// Next implements search.Searcher.
func (s *searcher) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	s.sort()
	if s.next == len(s.matches) {
		return nil, nil
	}
	m := &s.matches[s.next]
	s.next++
	d := sc.DocumentMatchPool.Get()
	d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.doc)
	if s.options.Score != "none" {
		d.Score = m.resemblance() * s.weight
		if s.options.Explain {
			d.Expl = s.explain(m)
		}
	}
	return d, nil
}

// Advance implements search.Searcher.
func (s *searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	s.sort()
	doc := id.Value()
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return rest[i].doc >= doc })
	return s.Next(sc)
}

func (s *searcher) sort() {
	if !s.sorted {
		slices.SortFunc(s.matches, func(a, b match) int {
			if a.doc < b.doc {
				return -1
			}
			return 1
		})
		s.sorted = true
	}
}

// resemblance is the one number of a match that scores have.
func (m *match) resemblance() float64 { return float64(m.share) / float64(m.of) }

// explain says where a score comes from.
func (s *searcher) explain(m *match) *search.Explanation {
	e := &search.Explanation{
		Value: m.resemblance(),
		Message: fmt.Sprintf("neardup: resemblance, %d of %d lanes agree, Hamming %d; met the rule by %s",
			m.Agree, s.of.Lanes, m.Hamming, m.By),
	}
	if m.verified {
		e.Message = fmt.Sprintf("neardup: resemblance, exact, the texts share %d of %d shingles; proposed by %s", m.share, m.of, m.By)
	}
	if s.weight == 1 {
		return e
	}
	return &search.Explanation{
		Value:   e.Value * s.weight,
		Message: "weight, product of:",
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
