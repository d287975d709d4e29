package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

func (a *app) searchCommand() *cobra.Command {
	var (
		o       collapse.Options
		rule    signature.Rule
		request = bleve.NewSearchRequest(nil)
		reasons bool
		copies  string
		by      string
		sort    []string
	)
	c := &cobra.Command{
		Use:   "search INDEX QUERY...",
		Short: "Search an index, with near-copies folded under the best of them",
		Long: `Search answers a query in bleve's query string syntax (words, field:word, +must, -not,
"phrase") with near-copies folded. Each hit has its title (the stored field "title") or its first words.
Below it are the copies that it hides, with the number of agreeing lanes, the Hamming distance of the simhashes, and the tests they passed.
If nothing is found, it says which of the fields no document has.`,
		Example: "  neardup search notes.bleve release plan\n  neardup search --collapse annotate --explain notes.bleve '+title:plan budget'",
		Args:    args("an index and a query", 2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains([]string{"drop", "annotate", "off"}, copies) {
				return usageError{fmt.Errorf("--collapse: wanted drop, annotate or off, got %q", copies)}
			}
			x, err := open(args[0], true, true)
			if err != nil {
				return err
			}
			defer x.Close()
			text := strings.Join(args[1:], " ")
			fields, err := asked(text, x.Mapping())
			if err != nil {
				return usageError{err}
			}
			request.Query = bleve.NewQueryStringQuery(text)
			if len(sort) > 0 {
				request.SortBy(sort)
			}
			ignored, err := ignoredBy(x, request.Sort)
			if err != nil {
				return usageError{fmt.Errorf("sort: %w", err)}
			}
			o.Rule, o.Field = rule, a.field
			if by != "" {
				o.By = &collapse.By{Field: by}
			}
			if reasons {
				o.Explain = &explain.Options{}
			}
			shown := a.showing(x, request.Fields)
			if !a.json {
				request.Fields = shown.fields()
			}
			full := serve.Request{SearchRequest: request, Collapse: &o}
			switch copies {
			case "annotate":
				o.Visible = -1
			case "off":
				full.Collapse = nil
			}
			result, err := full.Search(c.Context(), x)
			if errors.Is(err, collapse.ErrRequest) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			if a.json {
				return a.encode(result)
			}
			err = a.hits(result, request.From, shown, by)
			for _, name := range ignored {
				fmt.Fprintf(a.stdout, "sort: no document has the field %s\n", plain(name))
			}
			if err != nil || result.Total > 0 {
				return err
			}
			lines, err := hints(x, fields)
			for _, line := range lines {
				fmt.Fprintln(a.stdout, plain(line))
			}
			return err
		},
	}
	f := c.Flags()
	f.IntVar(&request.Size, "size", 10, "hits on the page")
	f.IntVar(&request.From, "from", 0, "hits before the page")
	f.StringSliceVar(&request.Fields, "fields", nil, "stored fields to print with each hit, * for all, in place of a title or the first words")
	f.StringSliceVar(&sort, "sort", nil, "order of the hits, such as -_score,-version")
	f.StringVar(&copies, "collapse", "drop", "drop copies, annotate, or off")
	f.BoolVar(&o.Whole, "whole", false, "group all matches, so that totals are those of groups")
	pairFlags(c, &o.Verify, &o.Within)
	f.StringVar(&by, "by", "", "field whose equal values are folded in place of near-copies, such as host")
	f.IntVar(&o.Visible, "visible", 1, "hits of each group that are shown")
	f.IntVar(&o.Budget, "budget", 0, "most hits looked at; 0 for 10,000, or for 1,000,000 with --whole")
	f.BoolVar(&reasons, "explain", false, "show which shingles a copy and its head share, and which not")
	ruleFlags(c, &rule)
	return c
}

// ignoredBy returns the fields of an order that no document has, which bleve ignores. The error is of those
// that none can get.
func ignoredBy(x bleve.Index, order search.SortOrder) (ignored []string, err error) {
	fields, err := x.Fields()
	if err != nil {
		return nil, err
	}
	for _, name := range order.RequiredFields() {
		if err := indexes.Field(x, name); err != nil {
			return nil, err
		}
		if !slices.Contains(fields, name) {
			ignored = append(ignored, name)
		}
	}
	return ignored, nil
}

// hits prints a page.
func (a *app) hits(r *collapse.Result, from int, shown shown, by string) error {
	for hit, place := range r.All() {
		from++
		fmt.Fprintf(a.stdout, "%3d  %s  (%.3f)\n", from, plain(hit.ID), hit.Score)
		if title := shown.title(hit.Fields); title != "" {
			fmt.Fprintf(a.stdout, "     %s\n", title)
		}
		for _, line := range shown.lines(hit.Fields) {
			fmt.Fprintf(a.stdout, "     %s\n", line)
		}
		for _, m := range place.Copies {
			if m.Key && m.By == 0 {
				fmt.Fprintf(a.stdout, "       %-43s  %s\n", "the same "+by, plain(m.ID))
				continue
			}
			fmt.Fprintf(a.stdout, "       %3d lanes, Hamming %2d  %-20s  %s\n", m.Agree, m.Hamming, verified(m.By.String(), m.Verified), plain(m.ID))
			if e := m.Explanation; e != nil {
				fmt.Fprintf(a.stdout, "         %d shingles shared\n", e.Shared)
				a.passages("head", e.Head.Own, e.Head.OwnText)
				a.passages("copy", e.Member.Own, e.Member.OwnText)
			} else if m.Unexplained != "" {
				fmt.Fprintf(a.stdout, "         not explained: %s\n", m.Unexplained)
			}
		}
	}
	if r.Groups == nil { // collapse is off
		_, err := fmt.Fprintf(a.stdout, "%d matches\n", r.Total)
		return err
	}
	least := ""
	if r.TotalGroupsRelation == bleve.TotalRelationGte {
		least = "at least "
	}
	_, err := fmt.Fprintf(a.stdout, "matches: %d; groups: %s%d; near-copies hidden up to this page: %d\n", r.Total, least, r.TotalGroups, r.Hidden)
	if n := r.Unsigned + r.Foreign + len(r.Damaged); n > 0 {
		fmt.Fprintf(a.stdout, "%d hits without a readable signature of these parameters are shown as they are: run check\n", n)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Valueless)) {
		fmt.Fprintf(a.stdout, "%d hits have no value of %s\n", r.Valueless[name], plain(name))
	}
	return err
}

func (a *app) passages(whose string, own int, all []explain.Passage) {
	fmt.Fprintf(a.stdout, "         %d of the %s alone\n", own, whose)
	for _, p := range all {
		fmt.Fprintf(a.stdout, "           %s\n", oneLine(p.Text))
	}
}
