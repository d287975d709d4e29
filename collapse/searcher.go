package collapse

import (
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
// near-duplicate among the matches. table.Crowded finds those out, without order;
// the others alone are sorted and walked. The result is the same, since a match can
// only be hidden by one that it shares a key with.

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

// read returns the signatures of the matches, or why they have none, and which
// matches must be walked: the others stay whatever the rest is. A match that need not
// be may have neither.
func (s *searcher) read() (signatures []*signature.Signature, wrong []error, crowded []bool, err error) {
	field := s.walk.options.Field
	known, paired := column.Of(s.reader, field), []bool(nil)
	if known != nil {
		paired = known.Paired(s.walk.rule, len(s.matches))
	}
	read := reading(s.reader, field, known)
	signatures, wrong = make([]*signature.Signature, len(s.matches)), make([]error, len(s.matches))
	var uniform column.Uniform
	for i, m := range s.matches {
		if paired != nil && !paired[m.id.Value()] {
			continue
		}
		switch signatures[i], wrong[i] = read(m.id); {
		case wrong[i] == nil:
			uniform.See(signatures[i])
		case errors.Is(wrong[i], errUnsigned) || errors.Is(wrong[i], signature.ErrMalformed) || errors.Is(wrong[i], signature.ErrVersion):
			signatures[i] = nil
		default:
			return nil, nil, nil, wrong[i]
		}
		if i%checkEvery == 0 && s.ctx.Err() != nil {
			return nil, nil, nil, s.ctx.Err()
		}
	}
	if crowded = make([]bool, len(signatures)); paired == nil && uniform.Fits(s.walk.rule) {
		crowded = table.Crowded(s.walk.rule, signatures)
	} else {
		for i, sig := range signatures {
			crowded[i] = sig != nil
		}
	}
	for i, err := range wrong {
		if errors.Is(err, errUnsigned) && s.walk.options.Missing == KeepMissing {
			s.walk.unsigned++
		} else if err != nil {
			crowded[i] = true
		}
	}
	return signatures, wrong, crowded, nil
}

// group leaves those matches that stay.
func (s *searcher) group() error {
	signatures, wrong, crowded, err := s.read()
	if err != nil {
		return err
	}
	stays := make([]bool, len(s.matches))
	var hits search.DocumentMatchCollection
	at := make(map[*search.DocumentMatch]int)
	for i, m := range s.matches {
		if stays[i] = !crowded[i]; stays[i] {
			continue
		}
		hit := &search.DocumentMatch{IndexInternalID: m.id, Score: m.score}
		if wrong[i] != nil && !errors.Is(wrong[i], errUnsigned) { // it is reported
			if hit.ID, err = s.reader.ExternalID(m.id); err != nil {
				return err
			}
		}
		hits = append(hits, hit)
		at[hit] = i
	}
	if err := s.sort(hits); err != nil {
		return err
	}
	s.walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) {
		i := at[hit]
		return signatures[i], wrong[i]
	}
	s.walk.table.Reserve(len(hits))
	for _, hit := range hits {
		s.walk.take(hit, true)
	}
	if s.walk.err != nil {
		return invalid{s.walk.err}
	}
	for _, hit := range s.walk.hits {
		stays[at[hit]] = true
	}
	kept := s.matches[:0]
	for i, m := range s.matches {
		if stays[i] {
			kept = append(kept, m)
		}
	}
	s.matches = kept
	if s.report != nil {
		return s.report.fill(s.reader, s.walk, len(kept)-len(s.walk.hits))
	}
	return nil
}

// sort brings hits in head order.
func (s *searcher) sort(hits search.DocumentMatchCollection) error {
	order := s.head
	values, err := s.reader.DocValueReader(order.RequiredFields())
	if err != nil {
		return err
	}
	scoring, desc := order.CacheIsScore(), order.CacheDescending()
	for _, hit := range hits {
		if order.RequiresDocID() {
			if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
				return err
			}
		}
		if err := values.VisitDocValues(hit.IndexInternalID, order.UpdateVisitor); err != nil {
			return err
		}
		order.Value(hit)
	}
	slices.SortFunc(hits, func(a, b *search.DocumentMatch) int { return order.Compare(scoring, desc, a, b) })
	for begin, end := 0, 0; begin < len(hits); begin = end {
		for end = begin + 1; end < len(hits) && tie(order, hits[begin], hits[end]); end++ {
		}
		if end-begin == 1 {
			continue
		}
		for _, hit := range hits[begin:end] {
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
