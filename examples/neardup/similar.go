package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) similarCommand() *cobra.Command {
	var (
		request near.SimilarRequest
		rule    signature.Rule
		of      given
	)
	c := &cobra.Command{
		Use:   "similar INDEX [ID]",
		Short: "List the near-duplicates of a document of the index, or of a file",
		Long: `Similar lists the documents of an index that are near-duplicates of one document: of the index
(by its id), or of a file (--file, "-" for standard input). The share of common shingles, the resemblance,
is estimated. With --verify or --contained the stored texts decide, and it is exact.`,
		Example: "  neardup similar notes.bleve plan-2024\n  neardup similar notes.bleve --file draft.html",
		Args:    args("an index and at most an id", 1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			q := &request.Query
			q.Rule, q.Field = rule, a.field
			if err := of.read(a.stdin, args[1:], q, &q.ID, &q.Text); err != nil {
				return err
			}
			return a.similar(c, args[0], request)
		},
	}
	of.flags(c, &request.Size, &request.From, &request.Fields, &request.Query.MaxShare)
	c.Flags().StringVar(&request.Query.TextScope, "text-scope", "", "the scope that the file comes from, such as its site, whose template is left out")
	pairFlags(c, &request.Query.Verify, &request.Query.Within)
	ruleFlags(c, &rule)
	return c
}

func (a *app) similar(c *cobra.Command, path string, request near.SimilarRequest) error {
	var r *near.SimilarResult
	shown, err := a.nearby(path, request.Query.ID, &request.Fields, func(x bleve.Index) (err error) {
		r, err = near.Similar(c.Context(), x, request)
		return err
	})
	if err != nil || a.json {
		return a.encoded(r, err)
	}
	rows := []string{"RESEMBLANCE\tLANES\tHAMMING\tBY\tDOCUMENT\tTEXT"}
	if len(shown.asked) > 0 {
		rows[0] = "RESEMBLANCE\tLANES\tHAMMING\tBY\tDOCUMENT\tFIELDS"
	}
	for _, hit := range r.Hits {
		text := cmp.Or(shown.title(hit.Fields), strings.Join(shown.lines(hit.Fields), "; "))
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%s", hit.Resemblance, hit.Agree, hit.Hamming, verified(hit.By.String(), hit.Verified), plain(hit.ID), text))
	}
	return a.table(rows, "%d near-duplicates%s", r.Total, besides(r.Result))
}

// besides says what a search left out.
func besides(r near.Result) (text string) {
	if r.PassedOver > 0 {
		text = fmt.Sprintf(", and perhaps others: %d keys that too many documents have were passed over (--max-share)", r.PassedOver)
	}
	if r.Damaged > 0 {
		text += fmt.Sprintf("; %d documents cannot be read (neardup check)", r.Damaged)
	}
	return text
}
