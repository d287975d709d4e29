package main

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/groups"
)

// writers are the formats.
var writers = map[string]func(io.Writer, iter.Seq2[groups.Group, error]) error{
	"table": writeTable, "json": groups.WriteJSON, "html": writeHTML,
}

func (a *app) groupsCommand() *cobra.Command {
	var (
		o      groups.Options
		rule   signature.Rule
		format string
		part   float64
	)
	c := &cobra.Command{
		Use:   "groups INDEX",
		Short: "List all groups of near-duplicates of an index",
		Long: `Groups lists the groups of near-duplicates of a whole index, the largest first, as a table,
as JSON lines (a group each), or as a page of HTML. Each group begins with its head, the longest text
unless --order says otherwise. A member's resemblance, lanes and Hamming distance compare it with the head.
With --containment it lists instead which documents stand in others, such as excerpts and quoted mails,
each with one document that contains it: the index needs passages ("neardup index --passages 50").`,
		Example: "  neardup groups notes.bleve\n  neardup groups --format html notes.bleve > report.html\n  neardup groups --containment .8 mail.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if a.json {
				format = "json"
			}
			write, ok := writers[format]
			if !ok {
				return usageError{fmt.Errorf("--format: wanted table, json or html, got %q", format)}
			}
			if c.Flags().Changed("containment") {
				return a.contained(c, args[0], format, groups.ContainedOptions{Field: a.field, Share: part, Within: o.Within, WithinMissing: o.WithinMissing})
			}
			x, err := open(args[0], true, true)
			if err != nil {
				return err
			}
			defer x.Close()
			bar := a.progress("groups", -1, false)
			defer bar.End()
			o.Rule, o.Field = rule, a.field
			o.Progress = bar.Set
			return write(a.stdout, groups.All(c.Context(), x, o))
		},
	}
	f := c.Flags()
	f.StringVar(&format, "format", "table", "table, json or html")
	choices(c, "format", "table", "json", "html")
	f.Float64Var(&part, "containment", 0, "list the documents of which this share of the words, above 0 to 1, stands in another, in place of groups")
	byFlag(c, &o.By)
	f.IntVar(&o.MinSize, "min-size", 2, "documents that a group has at least")
	f.StringSliceVar(&o.Order, "order", nil, "which document is the head: fields, such as -version,_id; the longest first if empty")
	pairFlags(c, &o.Verify, &o.Within, &o.WithinMissing)
	ruleFlags(c, &rule)
	return c
}

// contained lists which documents stand in others.
func (a *app) contained(c *cobra.Command, path, format string, o groups.ContainedOptions) error {
	switch {
	case !(o.Share > 0 && o.Share <= 1):
		return usageError{fmt.Errorf("--containment: wanted a share above 0 to 1, got %v", o.Share)}
	case format == "html":
		return usageError{errors.New("--containment: wanted --format table or json, got html")}
	}
	x, err := open(path, true, true)
	if err != nil {
		return err
	}
	defer x.Close()
	bar := a.progress("groups", -1, false)
	defer bar.End()
	o.Progress = bar.Set
	var sum groups.ContainedSummary
	o.Summary = func(s groups.ContainedSummary) { sum = s }
	all := groups.Contained(c.Context(), x, o)
	if format == "json" {
		return groups.WriteContained(a.stdout, all)
	}
	rows := []string{"SHARE\tWORDS\tDOCUMENT\tSTANDS IN"}
	for one, err := range all {
		if err != nil {
			return err
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s", one.Share, one.Words, nameOf(one.Part), nameOf(one.Whole)))
	}
	if err := a.table(rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "\n%d pairs of %d documents; passed over were %d places that too many documents have\n", len(rows)-1, sum.Documents, sum.PassedOver)
	return err
}
