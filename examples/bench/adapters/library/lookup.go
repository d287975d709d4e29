package main

import (
	"context"
	"errors"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// lookup asks for the near-duplicates of one document after the other. The guard on keys that many documents share is
// off, so that nothing is left out.
func lookup(docs []lines.Document, threshold float64, w lines.Writer) (err error) {
	x, err := newIndex(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := each(x, docs, x.Batch); err != nil {
		return err
	}
	for _, d := range docs {
		found, err := near.Similar(context.Background(), x, near.SimilarRequest{
			Query: near.SimilarQuery{ID: d.ID, Rule: rule(threshold), MaxShare: 1}, Size: len(docs),
		})
		if err != nil {
			return err
		}
		for _, hit := range found.Hits {
			if d.ID < hit.ID { // each pair is found from both ends
				w.Pair(d.ID, hit.ID)
			}
		}
	}
	return nil
}
