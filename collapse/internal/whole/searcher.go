// Package whole groups all matches of an index before bleve sorts them. A Searcher wraps a searcher of bleve's and
// gives out only the matches that stay visible. Search does that for one index or an alias of several, whose
// Searchers meet when each has its matches, and returns the groups, too.
//
// The matches are grouped as a page is: in head order, each compared with the heads before it. To bring all in that
// order would cost more than the search, and is not needed: most have no near-duplicate among the matches, and the
// others belong to small families (package column), of the whole index where they are known, or else of the matches.
// So each family is sorted and walked for itself. The result is the same, since only a match's own family can hide
// it.
package whole

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/hits"
)

// Searcher drains the inner searcher when it is first asked, and then gives out the matches
// that stay, in the order of their ids as bleve wants them.
type Searcher struct {
	search.Searcher                 // the inner one
	again           search.Searcher // the same, for what is not kept of a match; or nil
	offered         int             // matches that again gave
	ctx             context.Context
	options         Options
	seat            *seat
	part            *part

	drained bool
	next    int // in part.matches
	buf     [8]byte
}

// NewSearcher returns a Searcher of what q matches. It is of the Search that ctx carries for
// owner, if there is one.
func NewSearcher(
	ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, q query.Query, so search.SearcherOptions, o Options, owner any,
) (*Searcher, error) {
	seat := seatOf(ctx, owner)
	seat.begin()
	err := checkNested(ctx, m, q)
	if err != nil {
		return nil, seat.refuse(hits.Wrong(err))
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	_, dry := reader.(interface{ Dry() }) // which has no documents, and counts what the query looks up
	if !ok && !dry {
		return nil, seat.refuse(hits.Wrong(fmt.Errorf("collapse: whole: wanted an index of type %q or %q, got a %T: leave out whole, and ask "+
			"for pages", "neardup", scorch.Name, reader)))
	}
	if ctx, err = withSynonyms(ctx, reader, m, q); err != nil {
		return nil, err
	}
	inner, err := q.Searcher(ctx, reader, m, so)
	if err != nil {
		return nil, err
	}
	s := &Searcher{Searcher: inner, ctx: ctx, options: o, seat: seat, part: &part{
		index: seat.index, reader: snapshot, mapping: m, signatures: column.Read(reader, o.Groups.Field),
		matches: make([]match, 0, min(inner.Count(), uint64(o.Most))),
	}}
	// What a match has beside its score is not kept while the matches are grouped: a second
	// searcher finds it again for the matches that stay.
	breakdown, _ := ctx.Value(search.IncludeScoreBreakdownKey).(bool)
	if so.Explain || so.IncludeTermVectors || breakdown {
		if s.again, err = q.Searcher(ctx, reader, m, so); err != nil {
			return nil, errors.Join(err, inner.Close())
		}
	}
	return s, nil
}

// drain takes all matches and leaves those that stay.
func (s *Searcher) drain(sc *search.SearchContext) error {
	if s.drained {
		return nil
	}
	s.drained = true
	for seen := 0; ; {
		m, err := s.Searcher.Next(sc)
		if err != nil {
			return err
		}
		if m == nil {
			return s.seat.come(s.ctx, s.part, s.options)
		}
		if len(s.part.matches) == s.options.Most {
			return s.seat.refuse(s.options.tooMany())
		}
		s.part.matches = append(s.part.matches, match{m.IndexInternalID.Value(), m.Score})
		sc.DocumentMatchPool.Put(m)
		if seen++; seen%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
}

// Next implements search.Searcher.
func (s *Searcher) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	if s.next == len(s.part.matches) {
		return nil, nil
	}
	m := s.part.matches[s.next]
	s.next++
	if s.again != nil {
		return s.find(sc, m)
	}
	d := sc.DocumentMatchPool.Get()
	d.IndexInternalID = append(d.IndexInternalID[:0], m.id(s.buf[:])...)
	d.Score = m.score
	return d, nil
}

// find has again give matches until m comes. It does not ask for m by Advance: of a
// boolean query, bleve then leaves out the score of clauses that should match.
func (s *Searcher) find(sc *search.SearchContext, m match) (*search.DocumentMatch, error) {
	for wanted := m.id(s.buf[:]); ; {
		d, err := s.again.Next(sc)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			return nil, fmt.Errorf("collapse: query: wanted its match %d a second time, got the end", m.number())
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
func (s *Searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	rest := s.part.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return rest[i].id(s.buf[:]).Compare(id) >= 0 })
	return s.Next(sc)
}

// SetQueryNorm implements search.Searcher.
func (s *Searcher) SetQueryNorm(norm float64) {
	s.Searcher.SetQueryNorm(norm)
	if s.again != nil {
		s.again.SetQueryNorm(norm)
	}
}

// DocumentMatchPoolSize implements search.Searcher.
func (s *Searcher) DocumentMatchPoolSize() int {
	n := s.Searcher.DocumentMatchPoolSize() + 1
	if s.again != nil {
		n += s.again.DocumentMatchPoolSize()
	}
	return n
}

// Close implements search.Searcher.
func (s *Searcher) Close() error {
	err := s.Searcher.Close()
	if s.again != nil {
		err = errors.Join(err, s.again.Close())
	}
	return err
}
