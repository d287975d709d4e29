package main

import (
	"context"
	"errors"
	"iter"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// dedupe writes documents under a policy that rejects copies. A document makes a group with what was rejected for it.
func dedupe(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) (err error) {
	x, err := newIndex(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	ctx := context.Background()
	if err := plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Reject, Rule: rule(threshold)}); err != nil {
		return err
	}
	rejected := map[string][]string{} // by what they are copies of
	if _, err := each(x, docs, func(batch *bleve.Batch) error {
		verdicts, err := plugin.SubmitBatch(ctx, x, batch)
		for _, v := range verdicts {
			if v.Action == admission.Reject {
				rejected[v.Of] = append(rejected[v.Of], v.ID)
			}
		}
		return err
	}); err != nil {
		return err
	}
	for id, copies := range rejected {
		w.Group(append(copies, id))
	}
	return nil
}
