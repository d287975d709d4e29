package collapse

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/column"
)

// searcher drains the inner searcher when it is first asked, and then gives out the
// matches that stay, in the order of their ids as bleve wants them.
type searcher struct {
	search.Searcher                 // the inner one
	again           search.Searcher // the same, for what is not kept of a match; or nil
	ctx             context.Context
	reader          index.IndexReader
	walk            *walk
	head            search.SortOrder
	most            int
	report          *report // to fill, or nil

	scoring, desc []bool               // of head
	values        index.DocValueReader // of the fields of head; nil if head is the score alone

	signatures *column.Reader // nil if they are not in memory

	// These are for count to use again.
	heads *table.Table
	own   []signature.Signature
	shown []int

	drained bool
	matches []match // in the order of their ids; those that stay, once grouped
	ids     []byte  // where the next matches' ids go
	next    int
}

type match struct {
	id    index.IndexInternalID
	score float64
}

// keep returns a copy of id.
func (s *searcher) keep(id index.IndexInternalID) index.IndexInternalID {
	const chunk = 1 << 14
	if cap(s.ids)-len(s.ids) < len(id) {
		s.ids = make([]byte, 0, max(chunk, len(id)))
	}
	begin := len(s.ids)
	s.ids = append(s.ids, id...)
	return index.IndexInternalID(s.ids[begin:len(s.ids):len(s.ids)])
}

// checkEvery is how many matches are taken between looks at the context.
const checkEvery = 1024

// drain takes all matches and leaves those that stay.
func (s *searcher) drain(sc *search.SearchContext) error {
	if s.drained {
		return nil
	}
	s.drained = true
	s.matches = make([]match, 0, min(s.Searcher.Count(), uint64(s.most)))
	for {
		m, err := s.Searcher.Next(sc)
		if err != nil {
			return err
		}
		if m == nil {
			break
		}
		if len(s.matches) == s.most {
			return fmt.Errorf("collapse: wanted at most %d matches, got more: %w", s.most, ErrTooMany)
		}
		s.matches = append(s.matches, match{s.keep(m.IndexInternalID), m.Score})
		sc.DocumentMatchPool.Put(m)
		if len(s.matches)%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	return s.group()
}

// Next implements search.Searcher.
func (s *searcher) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	if s.next == len(s.matches) {
		return nil, nil
	}
	m := s.matches[s.next]
	s.next++
	if s.again != nil {
		return s.again.Advance(sc, m.id)
	}
	d := sc.DocumentMatchPool.Get()
	d.IndexInternalID = append(d.IndexInternalID[:0], m.id...)
	d.Score = m.score
	return d, nil
}

// Advance implements search.Searcher.
func (s *searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return rest[i].id.Compare(id) >= 0 })
	return s.Next(sc)
}

// SetQueryNorm implements search.Searcher.
func (s *searcher) SetQueryNorm(norm float64) {
	s.Searcher.SetQueryNorm(norm)
	if s.again != nil {
		s.again.SetQueryNorm(norm)
	}
}

// DocumentMatchPoolSize implements search.Searcher.
func (s *searcher) DocumentMatchPoolSize() int {
	n := s.Searcher.DocumentMatchPoolSize() + 1
	if s.again != nil {
		n += s.again.DocumentMatchPoolSize()
	}
	return n
}

// Close implements search.Searcher.
func (s *searcher) Close() error {
	err := s.Searcher.Close()
	if s.again != nil {
		err = errors.Join(err, s.again.Close())
	}
	return err
}
