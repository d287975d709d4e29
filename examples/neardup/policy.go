package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

func (a *app) policyCommand() *cobra.Command {
	return family("policy", "Show, set or try the policy by which an index stops copies as they are written",
		a.policyShowCommand(), a.policySetCommand(), a.policyTryCommand())
}

func (a *app) policyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show INDEX",
		Short: "Print the policy of an index as JSON, null if it has none",
		Args:  args("an index", 1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(args[0], true, func(_ bleve.Index, inner *indextype.Index) error { return a.encode(inner.Policy()) })
		},
	}
}

func (a *app) policySetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set INDEX FILE|-",
		Short: "Give an index the policy in a file of JSON, or in standard input",
		Long: `Set gives an index a policy, which judges what is written from then on. The members are those of
admission.Policy. {} accepts everything. "shadow": true tags what would be stopped: begin with that.`,
		Example: `  echo '{"near": "reject", "shadow": true}' | neardup policy set pages.bleve -`,
		Args:    args("an index and a file", 2, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			text, err := a.contents(args[1])
			if err != nil {
				return err
			}
			p, err := admission.ParsePolicy(text)
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			return with(args[0], false, func(_ bleve.Index, inner *indextype.Index) error { return inner.SetPolicy(c.Context(), p) })
		},
	}
}

func (a *app) policyTryCommand() *cobra.Command {
	var source documents.Source
	c := &cobra.Command{
		Use:   "try INDEX [FILE|DIRECTORY|-]...",
		Short: "Print what the policy of an index would do to documents, and write none of them",
		Long: `Try judges documents by the policy of an index, as if they were written in one batch, in the order of their
ids. It prints each that would not be accepted, and why. It writes nothing, and holds the documents in memory. It
reads documents as the command index does.`,
		Example: "  neardup policy try pages.bleve tomorrow.jsonl",
		Args:    args("an index and, if not standard input, documents", 1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = append(args, "-")
			}
			if err := source.Validate(); err != nil {
				return usageError{err}
			}
			source.Stdin = a.stdin
			return with(args[0], true, func(x bleve.Index, inner *indextype.Index) error {
				if inner.Policy() == nil {
					return fmt.Errorf("%s: wanted an index with a policy, got one that accepts everything: the command policy set gives it one", args[0])
				}
				return a.try(c.Context(), x, args[1:], source)
			})
		},
	}
	source.Flags(c.Flags())
	return c
}

func (a *app) try(ctx context.Context, x bleve.Index, from []string, source documents.Source) error {
	batch := x.NewBatch()
	for d, err := range source.Read(from...) {
		if err != nil {
			return err
		}
		if err := batch.Index(d.ID, d.Fields); err != nil {
			return fmt.Errorf("document %q: %w", d.ID, err)
		}
	}
	verdicts, err := plugin.DryRun(ctx, x, batch)
	if err != nil || a.json {
		return a.encoded(verdicts, err)
	}
	counts := map[admission.Action]int{}
	rows := []string{"ACTION\tDOCUMENT\tWHY"}
	for _, v := range verdicts {
		counts[v.Action]++
		if v.Action != admission.Accept {
			rows = append(rows, fmt.Sprintf("%s\t%s\t%s", cmp.Or(v.Would, v.Action), plain(v.ID), plain(v.Why())))
		}
	}
	if len(rows) == 1 {
		rows = nil
	}
	return a.table(rows, "documents: %d; accept: %d; tag: %d; reject: %d; replace: %d", len(verdicts),
		counts[admission.Accept], counts[admission.Tag], counts[admission.Reject], counts[admission.Replace])
}
