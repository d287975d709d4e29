package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) passagesCommand() *cobra.Command {
	var (
		request near.PassagesRequest
		of      given
	)
	c := &cobra.Command{
		Use:   "passages INDEX [ID]",
		Short: "List the documents of the index that share a passage, word for word, with one of them or with a file",
		Long: `Passages lists the documents of an index that have as many words in a row in common with one
document as the index was made for (neardup index --signature '{"passages": 50}'): with one of the index (by
its id), or with a file (--file, "-" for standard input). It prints how much of the document stands in
each of them, how much of each stands in the document, and the passages.`,
		Example: "  neardup index notes.bleve ~/notes --signature '{\"passages\": 50}'\n  neardup passages notes.bleve plan-2024\n  neardup passages notes.bleve --file draft.html",
		Args:    args("an index and at most an id", 1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			q := &request.Query
			q.Field = a.field
			if err := of.read(a.stdin, args[1:], q, &q.ID, &q.Text); err != nil {
				return err
			}
			return a.quotes(c, args[0], request)
		},
	}
	f, q := c.Flags(), &request.Query
	of.flags(c, &request.Size, &request.From, &request.Fields, &q.MaxShare)
	f.IntVar(&q.Least, "least", 0, "the least number of words of a passage: 0 for what the index was made for, and not less")
	f.StringSliceVar(&q.Within, "within", nil, "fields in which the documents are equal, such as tenant,lang")
	return c
}

func (a *app) quotes(c *cobra.Command, path string, request near.PassagesRequest) error {
	var r *near.PassagesResult
	shown, err := a.nearby(path, request.Query.ID, &request.Fields, func(x bleve.Index) (err error) {
		r, err = near.Passages(c.Context(), x, request)
		return err
	})
	if err != nil || a.json {
		return a.encoded(r, err)
	}
	rows := []string{"STANDS IN IT\tOF IT\tWORDS\tDOCUMENT\tTEXT"}
	for _, hit := range r.Hits {
		text := cmp.Or(shown.title(hit.Fields), strings.Join(shown.lines(hit.Fields), "; "))
		rows = append(rows, fmt.Sprintf("%s\t%s\t%d\t%s\t%s", hit.InHit, hit.OfHit, hit.Words, plain(hit.ID), text))
	}
	if err := a.table(rows, ""); err != nil {
		return err
	}
	for _, hit := range r.Hits {
		for _, p := range hit.Passages {
			fmt.Fprintf(a.stdout, "\n%s, %d words from word %d on, here from word %d on:\n    %s\n", plain(hit.ID), p.Words, p.Own.From+1, p.Given.From+1, short(p.Text))
		}
	}
	more := besides(r.Result)
	if r.Templates > 0 {
		more += fmt.Sprintf("; %d places of a template were passed over (--max-share 1 follows all)", r.Templates)
	}
	_, err = fmt.Fprintf(a.stdout, "\n%d documents share passages of %d words or more%s\n", r.Total, r.Least, more)
	return err
}
