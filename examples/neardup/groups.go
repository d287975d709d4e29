package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) groupsCommand() *cobra.Command {
	var (
		o      near.GroupsOptions
		rule   signature.Rule
		format string
	)
	c := &cobra.Command{
		Use:   "groups INDEX",
		Short: "List all groups of near-duplicates of an index",
		Long: `Groups lists the groups of near-duplicates of a whole index, the largest first, as a table,
as JSON lines (a group each), or as a page of HTML. Each group begins with its head, the longest text
unless --order says otherwise. A member's resemblance, lanes and Hamming distance compare it with the head.`,
		Example: "  neardup groups notes.bleve\n  neardup groups --format html notes.bleve > report.html",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if a.json {
				format = "json"
			}
			if format != "table" && format != "json" && format != "html" {
				return usageError{fmt.Errorf("--format: wanted table, json or html, got %q", format)}
			}
			o.Rule, o.Field = rule, a.field
			all, err := a.groups(c.Context(), args[0], o)
			switch {
			case err != nil:
				return err
			case format == "html":
				return all.html(a.stdout)
			case format == "table":
				return a.table(all.rows(), "")
			}
			for _, g := range all.Groups {
				if err := a.encode(g); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&format, "format", "table", "table, json or html")
	choices(c, "format", "table", "json", "html")
	byFlag(c, &o.By)
	f.IntVar(&o.MinSize, "min-size", 2, "documents that a group has at least")
	f.StringSliceVar(&o.Order, "order", nil, "which document is the head: fields, such as -version,_id; the longest first if empty")
	pairFlags(c, &o.Verify, &o.Within)
	ruleFlags(c, &rule)
	return c
}

// groups lists all groups of an index, the largest first.
func (a *app) groups(ctx context.Context, path string, o near.GroupsOptions) (*listing, error) {
	l := &listing{Index: filepath.Base(path), Date: time.Now()}
	err := with(path, true, func(x bleve.Index, _ *indextype.Index) error {
		analyzer, err := neardup.Of(x.Mapping(), a.field)
		if err != nil {
			return err
		}
		rule := o.Rule.Over(analyzer.Rule()).Explicit(analyzer.Params().Lanes)
		l.Rule = fmt.Sprintf("%s; %s of %d lanes, Hamming distance %d", rule.Mode, lanes(rule), analyzer.Params().Lanes, rule.Bits())
		if o.Verify.On() {
			l.Rule = "the stored texts decide"
		}
		bar := a.progress("grouping, documents", -1, false)
		defer bar.End()
		o.Progress = func(done, all int) { bar.Set(done/3, all/3) } // a document counts three times
		for g, err := range near.Groups(ctx, x, o) {
			if err != nil {
				return err
			}
			l.Groups = append(l.Groups, g)
			l.Documents += 1 + len(g.Members)
		}
		return nil
	})
	slices.SortStableFunc(l.Groups, func(a, b near.Group) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return l, err
}
