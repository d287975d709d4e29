package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// report is all that was found, and the form of --json.
type report struct {
	Corpus    string `json:"corpus"`
	Documents int    `json:"documents"`
	Texts     int    `json:"texts"`    // different but for case, punctuation and space
	Empty     int    `json:"empty"`    // documents without a token
	Unsigned  int    `json:"unsigned"` // documents of an index that were left out
	Short     int    `json:"short"`    // documents of fewer words than Below
	Below     int    `json:"below"`    // words of a short text, --short
	Shingles  []int  `json:"shingles"` // of texts: least, quartiles, most

	Params    signature.Params `json:"params"`
	Loose     signature.Rule   `json:"loose"`     // what pairs were looked for by
	Threshold threshold        `json:"threshold"` // the present rule

	Pairs        int    `json:"pairs"`
	Truth        string `json:"truth"`
	Contradicted int    `json:"contradicted,omitempty"`

	Lanes       histogram `json:"lanes"`
	Hamming     histogram `json:"hamming"`
	Resemblance histogram `json:"resemblance"`

	Folded   []folded  `json:"folded"` // row by row: lanes, then Hamming
	Scores   []score   `json:"scores"` // the same
	Profiles []profile `json:"profiles"`
	Samples  []sample  `json:"samples"`
	Page     string    `json:"page,omitempty"`

	hammings []int
}

// histogram counts pairs by some number.
type histogram struct {
	From   float64  `json:"from"`   // of the first bin
	Width  float64  `json:"width"`  // of each
	Counts [][3]int `json:"counts"` // different, between, copies
}

func (h *histogram) add(v float64, as verdict) {
	if i := int((v-h.From)/h.Width + 1e-9); v >= h.From && i < len(h.Counts) {
		h.Counts[i][as]++
	}
}

func newReport(c *corpus, pairs []pair, t *truth, o options) *report {
	r := &report{
		Corpus: c.name, Documents: c.documents, Texts: len(c.texts), Empty: c.empty, Unsigned: c.unsigned,
		Params: c.analyzer.Params(), Loose: o.loose, Threshold: threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords},
		Below: o.short, Pairs: len(pairs), Truth: t.by, Contradicted: t.contradicted,
	}
	var shingles []int
	for _, text := range c.texts {
		shingles = append(shingles, int(text.sig.Shingles))
		if text.sig.Tokens < uint64(o.short) {
			r.Short += len(text.ids)
		}
	}
	slices.Sort(shingles)
	for i := range 5 {
		r.Shingles = append(r.Shingles, shingles[(len(shingles)-1)*i/4])
	}
	r.count(c, pairs, t)
	lanes, hammings := steps(c.lanes(), o.loose, r.Threshold)
	r.hammings = hammings
	tallies := tallied(t.pairs, o.rule.MinWords)
	for _, l := range lanes {
		for _, h := range hammings {
			at := threshold{l, h, o.rule.MinWords}
			r.Folded = append(r.Folded, fold(c, pairs, at))
			r.Scores = append(r.Scores, at.score(tallies))
		}
	}
	r.Profiles = profiles(c, t, o)
	r.Samples = samples(c, pairs, o)
	return r
}

// count makes the histograms. Pairs without a label count as between.
func (r *report) count(c *corpus, pairs []pair, t *truth) {
	verdicts := make(map[[2]int]verdict, len(t.pairs))
	for _, j := range t.pairs {
		verdicts[[2]int{j.a, j.b}] = j.verdict
	}
	r.Lanes = histogram{float64(r.Loose.Lanes), 1, make([][3]int, c.lanes()-r.Loose.Lanes+1)}
	r.Hamming = histogram{0, 1, make([][3]int, r.Loose.Hamming+1)}
	r.Resemblance = histogram{0, .02, make([][3]int, 51)}
	for _, p := range pairs {
		v, ok := verdicts[[2]int{p.a, p.b}]
		if !ok {
			v = between
		}
		r.Lanes.add(float64(p.lanes), v)
		r.Hamming.add(float64(p.hamming), v)
		r.Resemblance.add(p.exact, v)
	}
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// print writes the short form.
func (r *report) print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %s, %s short (fewer than %d words)\n",
		r.Corpus, count(r.Documents, "document"), count(r.Texts, "different text"), count(r.Short, "document"), r.Below)
	fmt.Fprintf(w, "%s of texts with at least %d agreeing lanes or a Hamming distance of at most %d\n\n", count(r.Pairs, "pair"), r.Loose.Lanes, r.Loose.Hamming)
	fmt.Fprintf(w, "Documents hidden, by least lanes and greatest Hamming distance (- for none):\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\t")
	for _, h := range r.hammings {
		fmt.Fprintf(t, "%s\t", distance(h))
	}
	for i, f := range r.Folded {
		if i%len(r.hammings) == 0 {
			fmt.Fprintf(t, "\n%d\t", f.Lanes)
		}
		fmt.Fprintf(t, "%d\t", f.Hidden)
	}
	fmt.Fprint(t, "\n")
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe truth is %s.\n", r.Truth)
	for i, p := range r.Profiles {
		fmt.Fprintf(w, "\nFor %s (%s, %s of copies, %d different):\n  %s; precision %s, recall %s\n  before: %s; precision %s, recall %s\n  %s\n",
			p.Name, count(p.Texts, "text"), count(p.Copies, "pair"), p.Different, p.Score.threshold, p.Score.PrecisionText(), p.Score.RecallText(), p.Before.threshold, p.Before.PrecisionText(), p.Before.RecallText(), p.Why)
		if i == 0 {
			fmt.Fprintf(w, "  collapse.Options{Rule: %s}\n", p.Score.Go())
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Page)
	return err
}

// distance names a Hamming distance.
func distance(h int) string {
	if h < 0 {
		return "-"
	}
	return fmt.Sprint(h)
}

// String names the threshold.
func (t threshold) String() string {
	if t.Hamming < 0 {
		return fmt.Sprintf("lanes >= %d (sketch_only)%s", t.Lanes, t.least())
	}
	return fmt.Sprintf("lanes >= %d or Hamming <= %d%s", t.Lanes, t.Hamming, t.least())
}

func (t threshold) least() string {
	if t.MinWords < 1 {
		return ""
	}
	return fmt.Sprintf(", from %d words on", t.MinWords)
}
