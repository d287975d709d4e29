package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// comparison is how two texts compare.
type comparison struct {
	Duplicates bool `json:"duplicates"`
	signature.Match
	Need  int            `json:"need"` // lanes that the rule asks for
	Rule  signature.Rule `json:"rule"`
	Sizes [2]uint64      `json:"shingles"`

	// Estimates are nil if there is nothing to estimate from.
	Resemblance *sketch.Estimate `json:"resemblance,omitempty"`
	AInB        *sketch.Estimate `json:"a_in_b,omitempty"`
	BInA        *sketch.Estimate `json:"b_in_a,omitempty"`

	Explanation *explanation `json:"explanation,omitempty"`
}

// explanation says which shingles they have in common, exactly.
type explanation struct {
	Shared      int     `json:"shared"`
	Resemblance float64 `json:"resemblance"`
	// NumbersDiffer says that the analyzer wants equal numbers, and the texts have others.
	NumbersDiffer bool  `json:"numbers_differ,omitempty"`
	OwnA          int   `json:"own_a"`
	OwnB          int   `json:"own_b"`
	Passages      sides `json:"passages"`
}

type sides struct {
	Shared []string `json:"shared"`
	A      []string `json:"a"`
	B      []string `json:"b"`
}

func (a *app) compareCommand() *cobra.Command {
	var (
		s       signing
		rule    signature.Rule
		source  documents.Source
		explain bool
		limit   int
	)
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two files",
		Long: `Compare signs two files of text or HTML ("-" is standard input) and reports how they compare: the
agreeing lanes, the Hamming distance of the simhashes, the resemblance (the share of common
shingles) and the containments with their standard errors, and whether they are
near-duplicates. If not, the exit code is 1.`,
		Example: "  neardup compare --explain old.html new.html",
		Args:    args("two files", 2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			source.Stdin = a.stdin
			analyzer, err := s.analyzer()
			if err != nil {
				return err
			}
			var d [2]documents.Document
			for i, path := range args {
				if d[i], err = source.Whole(path); err != nil {
					return err
				}
			}
			r := newComparison(analyzer, rule.Over(analyzer.Rule()).Normal(), d)
			if explain {
				r.Explanation = explainPair(analyzer, d, limit)
			}
			return a.compared(r)
		},
	}
	c.Flags().BoolVar(&explain, "explain", false, "show which shingles both have, and which one of them, exactly")
	c.Flags().IntVar(&limit, "shingles", 40, "most shingles shown of each list")
	s.add(c)
	htmlFlag(c, &source)
	ruleFlags(c, &rule)
	return c
}

func newComparison(analyzer *neardup.Analyzer, rule signature.Rule, d [2]documents.Document) *comparison {
	x, y := sign(analyzer, d[0]), sign(analyzer, d[1])
	r := &comparison{Need: rule.Need(analyzer.Params().Lanes, max(x.Tokens, y.Tokens)), Rule: rule, Sizes: [2]uint64{x.Shingles, y.Shingles}}
	r.Match, r.Duplicates = rule.Match(x, y)
	if e, ok := x.Resemblance(y); ok {
		r.Resemblance = &e
	}
	if inB, inA, ok := x.Containment(y); ok {
		r.AInB, r.BInA = &inB, &inA
	}
	return r
}

func explainPair(analyzer *neardup.Analyzer, d [2]documents.Document, limit int) *explanation {
	var texts [2][]byte
	var tokens [2][][]token.Token
	for i := range d {
		text, all := analyzer.Tokens([]byte(d[i].Values[0]))
		texts[i], tokens[i] = text, [][]token.Token{all}
	}
	p := analyzer.Params()
	c := shingle.Compare(p.Width, p.Bag, tokens[0], tokens[1], limit)
	cut := func(i int, spans []shingle.Span) []string {
		all := make([]string, len(spans))
		for j, s := range spans {
			all[j] = string(texts[i][s.Start:s.End])
		}
		return all
	}
	differ := !p.Numbers.Agree(tokens[0], tokens[1])
	e := &explanation{Shared: c.Shared, NumbersDiffer: differ, OwnA: c.A.Own, OwnB: c.B.Own}
	if union := c.Shared + c.A.Own + c.B.Own; union > 0 {
		e.Resemblance = float64(c.Shared) / float64(union)
	}
	e.Passages = sides{cut(0, c.A.SharedSpans), cut(0, c.A.OwnSpans), cut(1, c.B.OwnSpans)}
	return e
}

// compared prints r.
func (a *app) compared(r *comparison) (err error) {
	if a.json {
		err = a.encode(r)
	} else {
		err = a.table(r.rows(), "")
		if e := r.Explanation; e != nil && err == nil {
			fmt.Fprintf(a.stdout, "\n%d shingles shared, %d of the first alone, %d of the second alone: resemblance %.4f exactly\n",
				e.Shared, e.OwnA, e.OwnB, e.Resemblance)
			if e.NumbersDiffer {
				fmt.Fprintln(a.stdout, "The numbers differ, and have to be equal: no rule takes these texts for near-duplicates.")
			}
			a.list("both have", e.Passages.Shared)
			a.list("the first alone", e.Passages.A)
			a.list("the second alone", e.Passages.B)
		}
	}
	if err == nil && !r.Duplicates {
		err = errFinding
	}
	return err
}

func (a *app) list(title string, passages []string) {
	if len(passages) > 0 {
		fmt.Fprintf(a.stdout, "\n%s:\n", title)
	}
	for _, p := range passages {
		fmt.Fprintf(a.stdout, "  %s\n", oneLine(p))
	}
}

// rows are the figures as a table.
func (r *comparison) rows() []string {
	estimate := func(e *sketch.Estimate) string {
		if e == nil {
			return "unknown: a text is shorter than a shingle"
		}
		return e.String()
	}
	verdict := "no near-duplicates"
	if r.Duplicates {
		verdict = fmt.Sprintf("near-duplicates (%s)", r.By)
	}
	return []string{
		fmt.Sprintf("shingles\t%d and %d\t", r.Sizes[0], r.Sizes[1]),
		fmt.Sprintf("lanes\t%d\tat least %d asked for", r.Agree, r.Need),
		fmt.Sprintf("Hamming\t%d\tat most %d asked for", r.Hamming, r.Rule.Bits()),
		fmt.Sprintf("resemblance\t%s\tthe share of the shingles of both that each has", estimate(r.Resemblance)),
		fmt.Sprintf("containment\t%s\tof the first in the second", estimate(r.AInB)),
		fmt.Sprintf("\t%s\tof the second in the first", estimate(r.BInA)),
		fmt.Sprintf("verdict\t%s\tmode %s", verdict, r.Rule.Mode),
	}
}
