package collapse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/column"
)

// The whole match set is grouped as the page form would: in head order, each match
// held against the heads before it. To bring all matches in order, with "_id" where
// they tie, would cost more than the search, and is not needed: most have no
// near-duplicate among the matches. Where the families of the whole index are known
// (column.Families), only those of two matches or more are sorted and walked, each for
// itself; else table.Crowded finds out without order which matches may have a
// near-duplicate, and those are taken for one family. The result is the same, since a
// match can only be hidden by one of its family.

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

// grouping is what is known of the matches before they are grouped.
type grouping struct {
	signatures []*signature.Signature
	wrong      []error // why one has no signature

	// families are 0 for a match that stays whatever the rest is, which need have no
	// signature here. Matches of different families are no near-duplicates.
	families []uint32
}

// read returns what must be known of the matches.
func (s *searcher) read() (*grouping, error) {
	field, n := s.walk.options.Field, len(s.matches)
	g := &grouping{make([]*signature.Signature, n), make([]error, n), make([]uint32, n)}
	signatures, of := column.Of(s.reader, field), []uint32(nil)
	if signatures != nil {
		of = signatures.Families(s.walk.rule, n)
	}
	if of != nil {
		s.families(g, of)
	}
	read := reading(s.reader, field, signatures)
	var uniform column.Uniform
	for i, m := range s.matches {
		if of != nil && g.families[i] == 0 {
			continue
		}
		switch g.signatures[i], g.wrong[i] = read(m.id); {
		case g.wrong[i] == nil:
			uniform.See(g.signatures[i])
		case errors.Is(g.wrong[i], errUnsigned) || errors.Is(g.wrong[i], signature.ErrMalformed) || errors.Is(g.wrong[i], signature.ErrVersion):
			g.signatures[i] = nil
		default:
			return nil, g.wrong[i]
		}
		if i%checkEvery == 0 && s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
	}
	if of == nil {
		g.crowd(s.walk.rule, uniform)
	}
	for i, err := range g.wrong {
		switch {
		case errors.Is(err, errUnsigned) && s.walk.options.Missing == KeepMissing:
			s.walk.unsigned++
			g.families[i] = 0
		case err != nil:
			g.families[i] = column.Unreadable
		}
	}
	return g, nil
}

// families leaves the families that have two matches or more, by what is known of
// them for the whole index.
func (s *searcher) families(g *grouping, of []uint32) {
	first := make(map[uint32]int32, len(s.matches)/8) // of each family: its first match, -1 if it has more
	for i, m := range s.matches {
		f := of[m.id.Value()]
		if f <= column.Unreadable {
			g.families[i] = f
			continue
		}
		switch at, met := first[f]; {
		case !met:
			first[f] = int32(i)
			continue
		case at >= 0:
			g.families[at], first[f] = f, -1
		}
		g.families[i] = f
	}
}

// crowd makes one family of all that may have a near-duplicate among the matches.
func (g *grouping) crowd(rule signature.Rule, uniform column.Uniform) {
	var crowded []bool
	if uniform.Fits(rule) {
		crowded = table.Crowded(rule, g.signatures)
	}
	for i, sig := range g.signatures {
		if sig != nil && (crowded == nil || crowded[i]) {
			g.families[i] = column.Unreadable + 1
		}
	}
}

// group leaves those matches that stay.
func (s *searcher) group() error {
	g, err := s.read()
	if err != nil {
		return err
	}
	hits, err := s.hits(g)
	if err != nil {
		return err
	}
	if err := s.ready(); err != nil {
		return err
	}
	s.walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) {
		return g.signatures[hit.HitNumber], g.wrong[hit.HitNumber]
	}
	for begin, end := 0, 0; begin < len(hits); begin = end {
		family := g.families[hits[begin].HitNumber]
		for end = begin + 1; end < len(hits) && g.families[hits[end].HitNumber] == family; end++ {
		}
		if err := s.sort(hits[begin:end]); err != nil {
			return err
		}
		s.walk.begin(end - begin)
		for _, hit := range hits[begin:end] {
			s.walk.take(hit, true)
		}
	}
	if s.walk.err != nil {
		return invalid{s.walk.err}
	}
	for _, hit := range s.walk.hits {
		g.families[hit.HitNumber] = 0
	}
	kept := s.matches[:0]
	for i, m := range s.matches {
		if g.families[i] == 0 {
			kept = append(kept, m)
		}
	}
	s.matches = kept
	if s.report != nil {
		return s.report.fill(s.reader, s.walk, len(kept)-len(s.walk.hits))
	}
	return nil
}

// ready prepares sort.
func (s *searcher) ready() (err error) {
	s.scoring, s.desc = s.head.CacheIsScore(), s.head.CacheDescending()
	if slices.Contains(s.scoring, false) {
		s.values, err = s.reader.DocValueReader(s.head.RequiredFields())
	}
	return err
}

// key reads what a hit is sorted by.
func (s *searcher) key(hit *search.DocumentMatch) (err error) {
	if s.head.RequiresDocID() {
		if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
			return err
		}
	}
	err = s.values.VisitDocValues(hit.IndexInternalID, s.head.UpdateVisitor)
	s.head.Value(hit)
	return err
}

// hits returns the matches that have a family, family by family. Their HitNumber is
// their place among the matches.
func (s *searcher) hits(g *grouping) (search.DocumentMatchCollection, error) {
	var in []int
	for i, f := range g.families {
		if f != 0 {
			in = append(in, i)
		}
	}
	slices.SortFunc(in, func(a, b int) int {
		return cmp.Or(cmp.Compare(g.families[a], g.families[b]), a-b)
	})
	all := make([]search.DocumentMatch, len(in))
	hits := make(search.DocumentMatchCollection, len(in))
	for n, i := range in {
		all[n] = search.DocumentMatch{IndexInternalID: s.matches[i].id, Score: s.matches[i].score, HitNumber: uint64(i)}
		hits[n] = &all[n]
		if g.wrong[i] != nil && !errors.Is(g.wrong[i], errUnsigned) { // it is reported
			var err error
			if hits[n].ID, err = s.reader.ExternalID(hits[n].IndexInternalID); err != nil {
				return nil, err
			}
		}
	}
	return hits, nil
}

// sort brings hits in head order.
func (s *searcher) sort(hits search.DocumentMatchCollection) error {
	order := s.head
	if s.values != nil {
		for _, hit := range hits {
			if err := s.key(hit); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(hits, func(a, b *search.DocumentMatch) int { return order.Compare(s.scoring, s.desc, a, b) })
	for begin, end := 0, 0; begin < len(hits); begin = end {
		for end = begin + 1; end < len(hits) && tie(order, hits[begin], hits[end]); end++ {
		}
		if end-begin == 1 {
			continue
		}
		for _, hit := range hits[begin:end] {
			var err error
			if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
				return err
			}
		}
		slices.SortFunc(hits[begin:end], byID)
	}
	return nil
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
