package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Nearest finds, for each query, the near-duplicate that Similar would list first: the one of the
// greatest resemblance, and of several the one with the least id; nil if there is none. All
// queries are looked up in one snapshot, which makes batches cheap: a lookup takes microseconds, a
// search by bleve tens of them, and one over HTTP hundreds. index is one index, no alias of several.
// A query needs a Signature. The document that its ID names is not found, as in Similar. There is no
// guard unless MaxShare asks for one. With an error, nothing is known about any query.
func Nearest(ctx context.Context, index bleve.Index, queries []SimilarQuery) ([]*SimilarHit, error) {
	if ctx == nil {
		return nil, errors.New("near: wanted a context, got nil")
	}
	reader, err := indexes.Reader(index)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	hits := make([]*SimilarHit, len(queries))
	for i := range queries {
		q := &queries[i]
		if err := q.Validate(); err != nil {
			return nil, err
		}
		if q.Signature == nil {
			return nil, fmt.Errorf("near: query %d: wanted a signature, got none", i)
		}
		f, err := q.finder(ctx, reader, index.Mapping())
		if err != nil {
			return nil, err
		}
		if hits[i], err = q.nearest(f); err != nil {
			return nil, err
		}
		if hits[i] != nil {
			hits[i].Index = index.Name()
		}
	}
	return hits, nil
}

// nearest returns the first of q's hits, nil if there is none.
func (q *SimilarQuery) nearest(f *finder) (*SimilarHit, error) {
	all, err := q.matches(f)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	best := slices.MaxFunc(all, func(a, b match) int { return cmp.Compare(a.Score(), b.Score()) })
	hit := new(SimilarHit)
	for _, m := range all {
		if m.Score() != best.Score() {
			continue
		}
		id, err := f.reader.ExternalID(column.Number(m.doc))
		if err != nil {
			return nil, err
		}
		if hit.ID == "" || id < hit.ID {
			hit.ID, best = id, m
		}
	}
	sig, err := f.signatures.Signature(best.doc)
	if err != nil {
		return nil, err
	}
	hit.compare(q.Signature, sig, best.Finding)
	return hit, nil
}
