package whole

import (
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// ready prepares sort.
func (s *Searcher) ready() (err error) {
	s.scoring, s.desc = s.options.Head.CacheIsScore(), s.options.Head.CacheDescending()
	if slices.Contains(s.scoring, false) {
		s.values, err = s.reader.DocValueReader(s.options.Head.RequiredFields())
	}
	return err
}

// key reads what a hit is sorted by.
func (s *Searcher) key(hit *search.DocumentMatch) (err error) {
	if s.options.Head.RequiresDocID() {
		if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
			return err
		}
	}
	for _, nested := range hit.Descendants {
		if err := s.values.VisitDocValues(nested, s.options.Head.UpdateVisitor); err != nil {
			return err
		}
	}
	err = s.values.VisitDocValues(hit.IndexInternalID, s.options.Head.UpdateVisitor)
	s.options.Head.Value(hit)
	return err
}

// sort brings hits in head order. settle sorts by id those that tie.
func (s *Searcher) sort(hits search.DocumentMatchCollection, settle func(tied search.DocumentMatchCollection) error) error {
	if s.values != nil {
		for _, hit := range hits {
			if err := s.key(hit); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(hits, func(a, b *search.DocumentMatch) int { return s.options.Head.Compare(s.scoring, s.desc, a, b) })
	for begin, end := 0, 0; begin < len(hits); begin = end {
		for end = begin + 1; end < len(hits) && ranking.Tie(s.options.Head, hits[begin], hits[end]); end++ {
		}
		if end-begin > 1 {
			if err := settle(hits[begin:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle sorts hits by their ids, which it reads.
func (s *Searcher) settle(tied search.DocumentMatchCollection) (err error) {
	for _, hit := range tied {
		if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
			return err
		}
	}
	slices.SortFunc(tied, ranking.ByID)
	return nil
}
