package near

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/verify"
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
	_, reader, err := indexes.Reader(index)
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
			return nil, fmt.Errorf("near: query %d: %w", i, errUnsigned)
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

var errUnsigned = errors.New("wanted a signature, got none")

// nearest returns the first of q's hits, nil if there is none.
func (q *SimilarQuery) nearest(f *finder) (best *SimilarHit, err error) {
	own, err := f.number(q.ID)
	if err != nil {
		return nil, err
	}
	var share float64
	var other *signature.Signature
	var finding verify.Finding
	text := q.textOf(f, q.Signature, own)
	if f.equal, err = q.equalIn(f, own); err != nil {
		return nil, err
	}
	found := f.find(q.Signature, text, func(doc uint64, sig *signature.Signature, v verify.Finding) {
		if err != nil || own != nil && doc == own.Value() && !q.Self {
			return
		}
		m := matchOf(q.Signature, doc, v)
		if best != nil && m.Score() < share {
			return
		}
		var id string
		if id, err = f.id(doc); err != nil || best != nil && m.Score() == share && id > best.ID {
			return
		}
		best, share, other, finding = &SimilarHit{Hit: Hit{ID: id}, Match: m.Match}, m.Score(), sig, v
	})
	if err = errors.Join(err, found); err != nil || best == nil {
		return nil, err
	}
	best.compare(q.Signature, other, finding)
	return best, nil
}
