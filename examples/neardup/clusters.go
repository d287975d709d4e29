package main

import (
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/clusters"
)

// writers are the formats.
var writers = map[string]func(io.Writer, iter.Seq2[clusters.Cluster, error]) error{
	"table": clusters.WriteTable, "json": clusters.WriteJSON, "html": clusters.WriteHTML,
}

func (a *app) clustersCommand() *cobra.Command {
	var (
		o      clusters.Options
		rule   signature.Rule
		format string
	)
	c := &cobra.Command{
		Use:   "clusters INDEX",
		Short: "List all groups of near-duplicates of an index",
		Long: `Clusters lists the groups of near-duplicates of a whole index, the largest first, as a table,
as JSON lines (a group each), or as a page of HTML.`,
		Example: "  neardup clusters notes.bleve\n  neardup clusters --format html notes.bleve > report.html",
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
			bar := a.progress("clusters", -1, false)
			defer bar.end()
			o.Rule, o.Field = &rule, a.field
			o.Progress = bar.of
			return write(a.stdout, clusters.Of(c.Context(), x, o))
		},
	}
	f := c.Flags()
	f.StringVar(&format, "format", "table", "table, json or html")
	choices(c, "format", "table", "json", "html")
	byFlag(c, &o.By)
	f.IntVar(&o.MinSize, "min-size", 2, "documents that a group has at least")
	f.StringSliceVar(&o.Order, "order", nil, "which document is the head: fields, such as -version,_id; the longest first if empty")
	f.StringVar(&o.Scope, "scope", "", "field whose terms all documents of a group share")
	ruleFlags(c, &rule)
	return c
}
