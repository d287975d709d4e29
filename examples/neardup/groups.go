package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) groupsCommand() *cobra.Command {
	var (
		o    near.GroupsOptions
		rule signature.Rule
	)
	c := &cobra.Command{
		Use:   "groups INDEX",
		Short: "List all groups of near-duplicates of an index",
		Long: `Groups lists the groups of near-duplicates of a whole index, the largest first, as a table, or
as JSON lines (a group each). Each group begins with its head, the longest text
unless --order says otherwise. A member's resemblance, lanes and Hamming distance compare it with the head.`,
		Example: "  neardup groups notes.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Rule, o.Field = rule, a.field
			all, err := a.groups(c.Context(), args[0], o)
			if err != nil {
				return err
			}
			if !a.json {
				return a.table(groupRows(all), "")
			}
			for _, g := range all {
				if err := a.encode(g); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar((*string)(&o.By), "by", string(near.Leaders), "leaders (every member is a copy of its head) or components (of some other member)")
	f.IntVar(&o.MinSize, "min-size", 2, "documents that a group has at least")
	f.StringSliceVar(&o.Order, "order", nil, "which document is the head: fields, such as -version,_id; the longest first if empty")
	pairFlags(c, &o.Verify, &o.Within)
	ruleFlags(c, &rule)
	return c
}

// groups lists all groups of an index, the largest first.
func (a *app) groups(ctx context.Context, path string, o near.GroupsOptions) (all []near.Group, err error) {
	err = with(path, true, func(x bleve.Index, _ *indextype.Index) error {
		bar := a.progress("grouping, documents", -1, false)
		defer bar.End()
		o.Progress = func(done, all int) { bar.Set(done/3, all/3) } // a document counts three times
		for g, err := range near.Groups(ctx, x, o) {
			if err != nil {
				return err
			}
			all = append(all, g)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b near.Group) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return all, err
}

// groupRows are groups as a table for people: a line a document, the head of each group first.
func groupRows(groups []near.Group) []string {
	rows := []string{"GROUP\tSIZE\tRESEMBLANCE\tLANES\tHAMMING\tBY\tDOCUMENT"}
	for i, g := range groups {
		rows = append(rows, fmt.Sprintf("%d\t%d\t\t\t\thead\t%s", i+1, 1+len(g.Members), nameOf(g.Head)))
		for _, m := range g.Members {
			rows = append(rows, fmt.Sprintf("%d\t\t%s\t%d\t%d\t%s\t%s", i+1, resembles(m), m.Agree, m.Hamming, by(m), nameOf(m.Document)))
		}
	}
	return rows
}

// resembles is the resemblance of a member to its head: not 1 if their texts are known to differ.
func resembles(m near.Member) string {
	if m.Resemblance >= .995 && m.By&signature.ByExact == 0 && !(m.Verified && m.Resemblance == 1) {
		return ">0.99"
	}
	return fmt.Sprintf("%.2f", m.Resemblance)
}

// by names the tests that a member passed against the head.
func by(m near.Member) string {
	if m.By == 0 {
		return "others"
	}
	return verified(m.By.String(), m.Verified)
}

// nameOf is a document's name on one line.
func nameOf(d near.Document) string {
	if d.Index != "" {
		return plain(d.Index) + " " + plain(d.ID)
	}
	return plain(d.ID)
}
