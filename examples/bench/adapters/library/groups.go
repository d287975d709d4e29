package main

import (
	"context"
	"errors"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groupsBySignatures lists the groups of all documents.
func groupsBySignatures(docs []lines.Document, threshold float64, w lines.Writer) error {
	return list(docs, near.GroupsOptions{Rule: rule(threshold)}, w)
}

// components lists all documents that a chain of near-duplicates connects.
func components(docs []lines.Document, threshold float64, w lines.Writer) error {
	return list(docs, near.GroupsOptions{Rule: rule(threshold), By: near.Components}, w)
}

// groupsByTexts lists them as the stored texts confirm them.
func groupsByTexts(docs []lines.Document, threshold float64, w lines.Writer) error {
	return list(docs, near.GroupsOptions{Verify: signature.Verify{Resemblance: threshold}}, w)
}

func list(docs []lines.Document, o near.GroupsOptions, w lines.Writer) (err error) {
	x, err := newIndex(o.Verify.On())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := each(x, docs, x.Batch); err != nil {
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
