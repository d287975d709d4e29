package main

import (
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// writers are the formats.
var writers = map[string]func(io.Writer, iter.Seq2[near.Group, error]) error{
	"table": writeTable, "json": near.WriteGroups, "html": writeHTML,
}

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
			write, ok := writers[format]
			if !ok {
				return usageError{fmt.Errorf("--format: wanted table, json or html, got %q", format)}
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
			return write(a.stdout, near.Groups(c.Context(), x, o))
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
