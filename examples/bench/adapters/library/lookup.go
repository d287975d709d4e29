package main

import (
	"context"
	"errors"
	"iter"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// lookup asks for the near-duplicates of one document after the other. The guard on keys that many documents share is
// off, so that nothing is left out.
func lookup(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) (err error) {
	x, err := newIndex(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	ids, err := each(x, docs, x.Batch)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r := near.SimilarRequest{Query: near.SimilarQuery{ID: id, Rule: rule(threshold), MaxShare: 1}, Size: 100}
		found, err := near.Similar(context.Background(), x, r)
		if err == nil && found.Total > uint64(r.Size) {
			r.Size = int(found.Total)
			found, err = near.Similar(context.Background(), x, r)
		}
		if err != nil {
			return err
		}
		for _, hit := range found.Hits {
			if id < hit.ID { // each pair is found from both ends
				w.Pair(id, hit.ID)
			}
		}
	}
	return nil
}
