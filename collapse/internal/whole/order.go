package whole

import (
	"cmp"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/hits"
)

// ready prepares sort.
func (s *set) ready() (err error) {
	s.scoring, s.desc = s.options.Head.CacheIsScore(), s.options.Head.CacheDescending()
	if s.byScore = !slices.Contains(s.scoring, false); s.byScore {
		return nil
	}
	for _, p := range s.parts {
		if p.values, err = p.reader.DocValueReader(s.options.Head.RequiredFields()); err != nil {
			return err
		}
	}
	return nil
}

// key reads what a hit is sorted by.
func (s *set) key(hit *search.DocumentMatch) error {
	if s.options.Head.RequiresDocID() {
		if err := s.readID(hit); err != nil {
			return err
		}
	}
	err := s.partOf(hit).values.VisitDocValues(hit.IndexInternalID, s.options.Head.UpdateVisitor)
	s.options.Head.Value(hit)
	return err
}

// sort brings hits in head order. settle sorts by id those that tie.
func (s *set) sort(all search.DocumentMatchCollection, settle func(tied search.DocumentMatchCollection) error) error {
	if !s.byScore {
		for _, hit := range all {
			if err := s.key(hit); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(all, func(a, b *search.DocumentMatch) int { return s.options.Head.Compare(s.scoring, s.desc, a, b) })
	for begin, end := 0, 0; begin < len(all); begin = end {
		for end = begin + 1; end < len(all) && hits.Tie(s.options.Head, all[begin], all[end]); end++ {
		}
		if end-begin > 1 {
			if err := settle(all[begin:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle sorts hits by their ids, which it reads.
func (s *set) settle(tied search.DocumentMatchCollection) error {
	for _, hit := range tied {
		if err := s.readID(hit); err != nil {
			return err
		}
	}
	slices.SortFunc(tied, func(a, b *search.DocumentMatch) int {
		return cmp.Or(hits.ByID(a, b), cmp.Compare(a.HitNumber, b.HitNumber))
	})
	return nil
}
