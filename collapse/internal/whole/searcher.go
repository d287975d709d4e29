// Package whole groups all matches of one index before bleve sorts them. A Searcher wraps a searcher
// of bleve's and gives out only the matches that stay visible. A Report has their groups.
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
	"slices"
	"sort"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/column"
)

// Options says what a Searcher does. All fields must be set but Wrap, Keep and Index.
type Options struct {
	Field   string           // the fingerprinted field
	Head    search.SortOrder // in which matches become heads
	Most    int              // matches that are grouped
	Groups  grouping.Options
	Keep    ranking.Keep
	Index   string            // its name, which Keep sees
	TooMany error             // is wrapped by the error where there are more than Most
	Wrap    func(error) error // makes of an error one that says that the request is wrong
}

// Searcher drains the inner searcher when it is first asked, and then gives out the matches
// that stay, in the order of their ids as bleve wants them.
type Searcher struct {
	search.Searcher                 // the inner one
	again           search.Searcher // the same, for what is not kept of a match; or nil
	offered         int             // matches that again gave
	ctx             context.Context
	reader          index.IndexReader
	options         Options
	walk            *grouping.Walk
	report          *Report // to fill, or nil

	scoring, desc []bool               // of the head order
	values        index.DocValueReader // of the fields of the head order; nil if that is the score alone

	signatures *column.Reader // nil if they are not in memory
	stored     []readSignature
	cliques    []bool // column.Families.Cliques

	// These are for count to use again.
	heads *table.Table
	own   []signature.Signature
	shown []int

	drained bool
	matches []match // in the order of their ids; once grouped, the matches that stay
	next    int

	numbered bool // ids are numbers
	ids      []index.IndexInternalID
	nested   map[uint64][]index.IndexInternalID // of matches with nested documents that match
	buf      [8]byte
}

// NewSearcher returns a Searcher of what q matches. It fills the Report that ctx carries for
// owner.
func NewSearcher(
	ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, q query.Query, so search.SearcherOptions, o Options, owner any,
) (*Searcher, error) {
	ctx, err := withSynonyms(ctx, reader, m, q)
	if err != nil {
		return nil, err
	}
	inner, err := q.Searcher(ctx, reader, m, so)
	if err != nil {
		return nil, err
	}
	s := &Searcher{
		Searcher: rootsOf(ctx, reader, inner), ctx: ctx, reader: reader, options: o,
		walk: grouping.New(o.Groups), report: reportOf(ctx, owner),
	}
	// What a match has beside its score is not kept while the matches are grouped: a second
	// searcher finds it again for the matches that stay.
	breakdown, _ := ctx.Value(search.IncludeScoreBreakdownKey).(bool)
	if so.Explain || so.IncludeTermVectors || breakdown {
		if s.again, err = q.Searcher(ctx, reader, m, so); err != nil {
			return nil, errors.Join(err, inner.Close())
		}
		s.again = rootsOf(ctx, reader, s.again)
	}
	return s, nil
}

// match is what is kept of a match: 16 bytes without a pointer, so that the garbage
// collector need not look at them.
type match struct {
	doc   uint64 // the document's number in scorch; else a place in searcher.ids
	score float64
}

// keep returns what stands for an id in a match.
func (s *Searcher) keep(id index.IndexInternalID) uint64 {
	if s.numbered {
		return id.Value()
	}
	s.ids = append(s.ids, slices.Clone(id))
	return uint64(len(s.ids) - 1)
}

// id is the id of a match, in buf if it has room.
func (s *Searcher) id(m match, buf []byte) index.IndexInternalID {
	if s.numbered {
		return index.NewIndexInternalID(buf, m.doc)
	}
	return s.ids[m.doc]
}

// keepNested keeps the nested documents of a match.
func (s *Searcher) keepNested(m match, ids []index.IndexInternalID) {
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
func (s *Searcher) drain(sc *search.SearchContext) error {
	if s.drained {
		return nil
	}
	s.drained = true
	_, s.numbered = s.reader.(*scorch.IndexSnapshot)
	s.matches = make([]match, 0, min(s.Searcher.Count(), uint64(s.options.Most)))
	for seen := 0; ; {
		m, err := s.Searcher.Next(sc)
		if err != nil {
			return err
		}
		if m == nil {
			break
		}
		if err := s.take(m); err != nil {
			return err
		}
		sc.DocumentMatchPool.Put(m)
		if seen++; seen%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	return s.group()
}

// take adds a match, if the caller keeps it.
func (s *Searcher) take(m *search.DocumentMatch) error {
	if kept, err := s.keeps(m); err != nil {
		return err
	} else if !kept {
		s.walk.Rejected++
		return nil
	}
	if len(s.matches) == s.options.Most {
		return fmt.Errorf("collapse: wanted at most %d matches, got more: %w", s.options.Most, s.options.TooMany)
	}
	kept := match{s.keep(m.IndexInternalID), m.Score}
	s.matches = append(s.matches, kept)
	s.keepNested(kept, m.Descendants)
	return nil
}

// keeps reports whether the caller keeps a match.
func (s *Searcher) keeps(m *search.DocumentMatch) (bool, error) {
	if s.options.Keep.Hit == nil {
		return true, nil
	}
	id, err := s.reader.ExternalID(m.IndexInternalID)
	if err != nil {
		return false, err
	}
	return s.options.Keep.In(s.reader, &search.DocumentMatch{Index: s.options.Index, ID: id, IndexInternalID: m.IndexInternalID, Score: m.Score})
}

// Next implements search.Searcher.
func (s *Searcher) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
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
func (s *Searcher) find(sc *search.SearchContext, m match) (*search.DocumentMatch, error) {
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
func (s *Searcher) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := s.drain(sc); err != nil {
		return nil, err
	}
	rest := s.matches[s.next:]
	s.next += sort.Search(len(rest), func(i int) bool { return s.id(rest[i], s.buf[:]).Compare(id) >= 0 })
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
