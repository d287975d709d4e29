package main

import (
	"context"
	"errors"
	"iter"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groups lists the groups of all documents, made by the rule or, verified, as the stored texts confirm them.
func groups(by near.By, verified bool) lines.Find {
	return func(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) (err error) {
		o := near.GroupsOptions{By: by}
		if verified {
			o.Verify.Resemblance = threshold
		} else {
			o.Rule = rule(threshold)
		}
		x, err := newIndex(verified)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, x.Close()) }()
		if _, err := each(x, docs, x.Batch); err != nil {
			return err
		}
		for g, err := range near.Groups(context.Background(), x, o) {
			if err != nil {
				return err
			}
			ids := []string{g.Head.ID}
			for _, m := range g.Members {
				ids = append(ids, m.ID)
			}
			w.Group(ids)
		}
		return nil
	}
}
