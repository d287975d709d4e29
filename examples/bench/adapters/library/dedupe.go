package main

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// dedupe writes documents under a policy that rejects copies. A document makes a group with what was rejected for it.
func dedupe(docs []lines.Document, threshold float64, w lines.Writer) (err error) {
	x, err := newIndex(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	ctx := context.Background()
	if err := plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Reject, Rule: rule(threshold)}); err != nil {
		return err
	}
	var kept []string
	rejected := map[string][]string{} // by what they are copies of
	err = each(x, docs, func(batch *bleve.Batch) error {
		verdicts, err := plugin.SubmitBatch(ctx, x, batch)
		for _, v := range verdicts {
			if v.Action == admission.Accept {
				kept = append(kept, v.ID)
			} else {
				rejected[v.Of] = append(rejected[v.Of], v.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range kept {
		if len(rejected[id]) > 0 {
			w.Group(append([]string{id}, rejected[id]...))
		}
	}
	return nil
}
