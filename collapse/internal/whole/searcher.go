// Package whole groups all matches of an index before bleve sorts them. A Searcher wraps a searcher
// of bleve's and gives out only the matches that stay visible. Search does that for one index or
// an alias of several, and returns the groups, too. Then there is a Searcher for each index: they
// meet when each has its matches, and the matches of all are grouped as one set.
//
// The match set is grouped as a page is: in head order, each match compared with the heads
// before it. To bring all matches in order, with "_id" where they tie, would cost more than
// the search, and is not needed: most have no near-duplicate among the matches, and the others
// belong to small families (package column). So each family is sorted and walked for itself.
// The result is the same, since a match can only be hidden by one of its family. The families
// are the families of the whole index, where they are known, or else the families among the matches.
package whole

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// Searcher drains the inner searcher when it is first asked, and then gives out the matches
// that stay, in the order of their ids as bleve wants them.
type Searcher struct {
	search.Searcher                 // the inner one
	again           search.Searcher // the same, for what is not kept of a match; or nil
	offered         int             // matches that again gave
	ctx             context.Context
	options         Options
	seat            *seat // of the search that it is a part of, or nil
	part            *part

	drained bool
	counted int // matches that the meeting knows of
	next    int // in part.matches
	buf     [8]byte
}

// NewSearcher returns a Searcher of what q matches. It is of the Search that ctx carries for
// owner, if there is one.
func NewSearcher(
	ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, q query.Query, so search.SearcherOptions, o Options, owner any,
) (*Searcher, error) {
	seat := seatOf(ctx, owner)
	name := ""
	if seat != nil {
		seat.begin()
		name = seat.index
	}
	err := checkNested(ctx, m, q)
	if err != nil {
		return nil, seat.refuse(o.Wrap(err))
	}
	if ctx, err = withSynonyms(ctx, reader, m, q); err != nil {
		return nil, err
	}
	inner, err := q.Searcher(ctx, reader, m, so)
	if err != nil {
		return nil, err
	}
	s := &Searcher{Searcher: inner, ctx: ctx, options: o, seat: seat, part: newPart(name, reader, m, min(inner.Count(), uint64(o.Most)))}
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
			return s.group()
		}
		if err := s.take(m); err != nil {
			return err
		}
		sc.DocumentMatchPool.Put(m)
		if seen++; seen%checkEvery == 0 {
			if err := s.check(); err != nil {
				return err
			}
		}
	}
}

// check returns an error if no more matches are to be taken.
func (s *Searcher) check() error {
	if s.seat != nil {
		more := len(s.part.matches) - s.counted
		s.counted += more
		if err := s.seat.count(more, s.options); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// group groups the matches, with the matches of the other Searchers of the search.
func (s *Searcher) group() error {
	if s.seat != nil {
		return s.seat.come(s.ctx, s.part, s.options)
	}
	return newSet(s.ctx, s.options, s.part).group()
}

// take adds a match, if the caller keeps it.
func (s *Searcher) take(m *search.DocumentMatch) error {
	if kept, err := s.keeps(m); err != nil {
		return err
	} else if !kept {
		s.part.rejected++
		return nil
	}
	if len(s.part.matches) == s.options.Most {
		return s.tooMany()
	}
	s.part.add(m)
	return nil
}

// tooMany returns the error of too many matches, of which all Searchers that meet learn.
func (s *Searcher) tooMany() error {
	if s.seat != nil {
		return s.seat.count(s.options.Most+1, s.options)
	}
	return s.options.tooMany()
}

// keeps reports whether the caller keeps a match.
func (s *Searcher) keeps(m *search.DocumentMatch) (bool, error) {
	if s.options.Keep.Hit == nil {
		return true, nil
	}
	id, err := s.part.reader.ExternalID(m.IndexInternalID)
	if err != nil {
		return false, err
	}
	return s.options.Keep.In(s.part.reader, &search.DocumentMatch{Index: s.part.index, ID: id, IndexInternalID: m.IndexInternalID, Score: m.Score})
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
	if s.part.numbered {
		d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.number())
	} else {
		d.IndexInternalID = append(d.IndexInternalID[:0], s.part.ids[m.number()]...)
	}
	d.Score = m.score
	return d, nil
}

// find has again give matches until m comes. It does not ask for m by Advance: of a
// boolean query, bleve then leaves out the score of clauses that should match.
func (s *Searcher) find(sc *search.SearchContext, m match) (*search.DocumentMatch, error) {
	for wanted := s.part.id(m, s.buf[:]); ; {
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
	s.next += sort.Search(len(rest), func(i int) bool { return s.part.id(rest[i], s.buf[:]).Compare(id) >= 0 })
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
