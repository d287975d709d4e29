package collapse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
)

// searcher drains the inner searcher when it is first asked, and then gives out the
// matches that stay, in the order of their ids as bleve wants them.
type searcher struct {
	search.Searcher                 // the inner one
	again           search.Searcher // the same, for what is not kept of a match; or nil
	offered         int             // matches that again gave
	ctx             context.Context
	reader          index.IndexReader
	walk            *walk
	head            search.SortOrder
	most            int
	report          *report // to fill, or nil

	scoring, desc []bool               // of head
	values        index.DocValueReader // of the fields of head; nil if head is the score alone

	signatures *column.Reader // nil if they are not in memory
	stored     []storedSignature
	cliques    []bool // column.Families.Cliques

	// These are for count to use again.
	heads *table.Table
	own   []signature.Signature
	shown []int

	drained bool
	matches []match // in the order of their ids; those that stay, once grouped
	next    int

	numbered bool // ids are numbers
	ids      []index.IndexInternalID
	nested   map[uint64][]index.IndexInternalID // of matches with nested documents that match
	buf      [8]byte
}

// match is what is kept of a match: 16 bytes without a pointer, so that the garbage
// collector need not look at them.
type match struct {
	doc   uint64 // the document's number in scorch; else a place in searcher.ids
	score float64
}

// keep returns what stands for an id in a match.
func (s *searcher) keep(id index.IndexInternalID) uint64 {
	if s.numbered {
		return id.Value()
	}
	s.ids = append(s.ids, slices.Clone(id))
	return uint64(len(s.ids) - 1)
}

// id is the id of a match, in buf if it has room.
func (s *searcher) id(m match, buf []byte) index.IndexInternalID {
	if s.numbered {
		return index.NewIndexInternalID(buf, m.doc)
	}
	return s.ids[m.doc]
}

// keepNested keeps the nested documents of a match.
func (s *searcher) keepNested(m match, ids []index.IndexInternalID) {
	if len(ids) == 0 {
		return
	}
	if s.nested == nil {
		s.nested = make(map[uint64][]index.IndexInternalID)
	}
	own := make([]index.IndexInternalID, len(ids))
	for i, id := range ids {
		own[i] = slices.Clone(id) // bleve uses the memory again
	}
	s.nested[m.doc] = own
}

// checkEvery is how many matches are taken between looks at the context.
const checkEvery = 1024

// drain takes all matches and leaves those that stay.
func (s *searcher) drain(sc *search.SearchContext) error {
	if s.drained {
		return nil
	}
	s.drained = true
	_, s.numbered = s.reader.(*scorch.IndexSnapshot)
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
		kept := match{s.keep(m.IndexInternalID), m.Score}
		s.matches = append(s.matches, kept)
		s.keepNested(kept, m.Descendants)
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
		return s.find(sc, m)
	}
	d := sc.DocumentMatchPool.Get()
	if s.numbered {
		d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.doc)
	} else {
		d.IndexInternalID = append(d.IndexInternalID[:0], s.ids[m.doc]...)
	}
	d.Score = m.score
	d.Descendants = append(d.Descendants[:0], s.nested[m.doc]...)
	return d, nil
}

// find has again give matches until m comes. It does not ask for m by Advance: of a
// boolean query, bleve then leaves out the score of clauses that should match.
func (s *searcher) find(sc *search.SearchContext, m match) (*search.DocumentMatch, error) {
	for wanted := s.id(m, s.buf[:]); ; {
		d, err := s.again.Next(sc)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			return nil, fmt.Errorf("collapse: query: wanted its match %d a second time, got the end", m.doc)
		case d.IndexInternalID.Equals(wanted):
			return d, nil
		}
		sc.DocumentMatchPool.Put(d)
		if s.offered++; s.offered%checkEvery == 0 && s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
	}
}

// Advance implements search.Searcher.
func (s *searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return s.id(rest[i], s.buf[:]).Compare(id) >= 0 })
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
