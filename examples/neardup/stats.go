package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// figures are what stats prints.
type figures struct {
	Documents int              `json:"documents"`
	Signed    int              `json:"signed"`
	Unsigned  int              `json:"unsigned"`
	Damaged   int              `json:"damaged"`
	Foreign   int              `json:"foreign"` // of the signed, with other parameters than the mapping's
	Empty     int              `json:"empty"`   // of the signed, without any token
	Short     int              `json:"short"`   // of the signed, with fewer words than --min-words
	Copies    int              `json:"copies"`  // of the signed, equal to one before but for case, punctuation and space
	Shingles  quantiles        `json:"shingles"`
	Params    signature.Params `json:"params"`
	Rule      signature.Rule   `json:"rule"`
	Fields    []string         `json:"fields"`      // of the index
	From      []string         `json:"signed_from"` // properties, where the mapping says so
	DiskBytes uint64           `json:"disk_bytes"`
}

// quantiles are the least number, the quartiles and the greatest.
type quantiles [5]uint64

func (a *app) statsCommand() *cobra.Command {
	minWords := 12
	c := &cobra.Command{
		Use:   "stats INDEX",
		Short: "Count the signatures of an index, the short texts and the equal ones",
		Long: `Stats counts the documents of an index with a signature, without one, and with a damaged one, and the
texts that are empty, short, or equal to another. It shows how many shingles texts have, which
fields there are, which of them are signed, and the rule and the parameters of the signatures.`,
		Example: "  neardup stats --json notes.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return with(args[0], true, func(x bleve.Index, _ *indextype.Index) error {
				r, err := a.count(c.Context(), x, minWords)
				if err != nil || a.json {
					return a.encoded(r, err)
				}
				return a.figures(r, minWords)
			})
		},
	}
	c.Flags().IntVar(&minWords, "min-words", minWords, "texts of fewer words count as short")
	return c
}

func (a *app) count(ctx context.Context, x bleve.Index, minWords int) (*figures, error) {
	analyzer, err := neardup.Of(x.Mapping(), a.field)
	if err != nil {
		return nil, err
	}
	r := &figures{Params: analyzer.Params(), Rule: analyzer.Rule().Explicit(analyzer.Params().Lanes)}
	if r.Fields, err = fieldNames(x); err != nil {
		return nil, err
	}
	if origins, err := documents.Origins(x.Mapping(), a.field); err == nil { // else no text is stored
		for _, o := range origins {
			r.From = append(r.From, o.Fields...)
		}
	}
	slices.Sort(r.From)
	r.From = slices.Compact(r.From)
	stats, _ := x.StatsMap()["index"].(map[string]any)
	r.DiskBytes, _ = stats["num_bytes_used_disk_by_root"].(uint64)
	total, err := x.DocCount()
	if err != nil {
		return nil, err
	}
	bar := a.progress("counting", int64(total), false)
	defer bar.End()
	var shingles []uint64
	seen := make(map[uint64]bool)
	for d, err := range documents.Of(ctx, x, a.field) {
		if err != nil {
			return nil, err
		}
		bar.Add(1)
		r.Documents++
		s := d.Signature
		switch {
		case d.Damage != nil:
			r.Damaged++
			continue
		case s == nil:
			r.Unsigned++
			continue
		}
		r.Signed++
		r.Foreign += one(s.Params != r.Params.ID())
		r.Empty += one(s.Exact == 0)
		r.Short += one(s.Tokens < uint64(minWords))
		r.Copies += one(s.Exact != 0 && seen[s.Exact])
		seen[s.Exact] = true
		shingles = append(shingles, s.Shingles)
	}
	slices.Sort(shingles)
	for i := range r.Shingles {
		if len(shingles) > 0 {
			r.Shingles[i] = shingles[(len(shingles)-1)*i/(len(r.Shingles)-1)]
		}
	}
	return r, nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (a *app) figures(r *figures, minWords int) error {
	return a.table([]string{
		fmt.Sprintf("documents\t%d\t%.1f MB on disk", r.Documents, float64(r.DiskBytes)/1e6),
		fmt.Sprintf("signed\t%d", r.Signed),
		fmt.Sprintf("unsigned\t%d\twithout a signature", r.Unsigned),
		fmt.Sprintf("damaged\t%d\twith one that cannot be read", r.Damaged),
		fmt.Sprintf("foreign\t%d\twith one of other parameters than the mapping's", r.Foreign),
		fmt.Sprintf("empty\t%d\tsigned, without any token", r.Empty),
		fmt.Sprintf("short\t%d\tsigned, of fewer than %d words", r.Short, minWords),
		fmt.Sprintf("copies\t%d\tequal to another but for case, punctuation and space", r.Copies),
		fmt.Sprintf("shingles\t%d\tleast; quartiles %d, %d, %d; most %d", r.Shingles[0], r.Shingles[1], r.Shingles[2], r.Shingles[3], r.Shingles[4]),
		fmt.Sprintf("fields\t%d\t%s", len(r.Fields), strings.Join(r.Fields, ", ")),
		fmt.Sprintf("signed from\t%d\t%s", len(r.From), strings.Join(r.From, ", ")),
		fmt.Sprintf("rule\t\t%s: %s lanes, Hamming distance %d, min_words %d", r.Rule.Mode, lanes(r.Rule), r.Rule.Hamming, max(r.Rule.MinWords, 0)),
		fmt.Sprintf("parameters\t%08x\t%+v", r.Params.ID(), r.Params),
	}, "")
}
