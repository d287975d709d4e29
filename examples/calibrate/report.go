package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// report is all that was found, and the form of --json.
type report struct {
	Corpus    string `json:"corpus"`
	Documents int    `json:"documents"`
	Texts     int    `json:"texts"`    // different but for case, punctuation and space
	Empty     int    `json:"empty"`    // documents without a token
	Unsigned  int    `json:"unsigned"` // documents of an index that were left out
	Short     int    `json:"short"`    // documents of fewer than 100 words
	Shingles  []int  `json:"shingles"` // of texts: least, quartiles, most

	Params    signature.Params `json:"params"`
	Loose     signature.Rule   `json:"loose"`     // what pairs were looked for by
	Threshold threshold        `json:"threshold"` // the present rule

	Pairs        int      `json:"pairs"`
	Truth        string   `json:"truth"`
	Comparable   bool     `json:"comparable"`             // the truth can compare widths
	Equal        int      `json:"equal"`                  // pairs of copies with equal texts, which every rule folds
	Contradicted []string `json:"contradicted,omitempty"` // labels that no rule can follow, and that are left out
	Left         []string `json:"left,omitempty"`         // what was not tried, and why

	Recommended recommendation `json:"recommended"`
	First       []sample       `json:"first"` // pairs to look at first
	Ways        []way          `json:"ways"`  // by width

	Folded []folded `json:"folded"` // row by row: lanes, then Hamming
	Page   string   `json:"page,omitempty"`

	hammings []int
}

func newReport(c *corpus, all []*variant, left []string, t *truth, o options) *report {
	pairs := all[0].pairs
	r := &report{
		Corpus: c.name, Documents: c.documents, Texts: len(c.texts), Empty: c.empty, Unsigned: c.unsigned,
		Params: c.analyzer.Params(), Loose: o.loose, Threshold: o.before(),
		Pairs: len(pairs), Truth: t.by, Comparable: o.comparable(), Equal: t.equal, Contradicted: t.contradicted, Left: left,
	}
	var shingles []int
	for _, text := range c.texts {
		shingles = append(shingles, int(text.sig.Shingles))
		if text.sig.Tokens < short {
			r.Short += len(text.ids)
		}
	}
	slices.Sort(shingles)
	for i := range 5 {
		r.Shingles = append(r.Shingles, shingles[(len(shingles)-1)*i/4])
	}
	lanes, hammings := steps(c.lanes(), o.loose, r.Threshold)
	r.hammings = hammings
	for _, l := range lanes {
		for _, h := range hammings {
			at := threshold{Lanes: l, Hamming: h, MinWords: o.rule.MinWords}
			r.Folded = append(r.Folded, fold(c, pairs, at))
		}
	}
	r.Recommended, r.Ways = recommended(c, all, o), ways(c, all, o)
	r.First = first(c, all, r.Recommended.Choice, o)
	return r
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// Hint says what to do where most texts are short, and is empty where they are not.
func (r *report) Hint() string {
	if 2*r.Short <= r.Documents {
		return ""
	}
	return fmt.Sprintf("Most documents are short, %d of %d: the preset %s is for titles, names and messages of 10 to %d words, and stands under the widths.", r.Short, r.Documents, neardup.Short, short)
}

// print writes what is recommended, and where the page is that has the rest.
func (r *report) print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %s, %s short (fewer than %d words)\n",
		r.Corpus, count(r.Documents, "document"), count(r.Texts, "different text"), count(r.Short, "document"), short)
	if hint := r.Hint(); hint != "" {
		fmt.Fprintf(w, "%s\n", hint)
	}
	fmt.Fprintf(w, "%s of texts with at least %d agreeing lanes or a Hamming distance of at most %d\n", count(r.Pairs, "pair"), r.Loose.Lanes, r.Loose.Hamming)
	fmt.Fprintf(w, "The truth is %s.\n%s\n", r.Truth, r.Caveat())
	for _, text := range r.Contradicted[:min(len(r.Contradicted), mostContradicted)] {
		fmt.Fprintf(w, "Left out, as no rule can follow it: %s.\n", text)
	}
	if more := len(r.Contradicted) - mostContradicted; more > 0 {
		fmt.Fprintf(w, "And %d more are left out.\n", more)
	}
	p := r.Recommended
	fmt.Fprintf(w, "\nRecommended (by %s of copies, %d different):\n", count(p.Copies, "pair"), p.Different)
	fmt.Fprintf(w, "  %s, %s; precision %s, recall %s\n", p.Choice.Signature, p.Choice.threshold, p.Choice.Precision, p.Choice.Recall)
	if !p.Present {
		fmt.Fprintf(w, "  present: %s; precision %s, recall %s\n", p.Before.threshold, p.Before.Precision, p.Before.Recall)
	}
	fmt.Fprintf(w, "  %s\n", p.Why)
	for _, text := range p.Warnings {
		fmt.Fprintf(w, "  Warning: %s\n", text)
	}
	for _, text := range r.Besides() {
		fmt.Fprintf(w, "  %s\n", text)
	}
	fmt.Fprintf(w, "  collapse.Options{%s}\n", p.Choice.Go())
	if p.Choice.Config != "" {
		fmt.Fprintf(w, "  analyzer %s, and all is written anew\n", p.Choice.Config)
	}
	_, err := fmt.Fprintf(w, "\nThe pairs to look at first, with their differences; widths, presets and Verify; and what each threshold hides:\n%s\n", r.Page)
	return err
}

// short is how many words a text has that is no longer short.
const short = 100

// mostContradicted is how many contradictions are told one by one.
const mostContradicted = 5

// Caveat is what the figures do not say.
func (r *report) Caveat() string {
	if !r.Comparable {
		return "So precision and recall say how well the lanes estimate that resemblance, not whether such pairs are copies to you, and they\n" +
			"cannot compare widths: for both, label pairs (--labels)."
	}
	return "Intervals are of 95 %, as if pairs were independent. The pairs of one group are not, so the truth can lie outside them more often."
}

// distance names a Hamming distance.
func distance(h int) string {
	if h < 0 {
		return "-"
	}
	return fmt.Sprint(h)
}

// Besides is what the figures of the recommended rule leave out: equal texts, and pairs that count for neither.
func (r *report) Besides() (lines []string) {
	best := r.Recommended.Choice
	if all := best.Found + best.Missed; r.Equal > 0 && all > 0 {
		lines = append(lines, fmt.Sprintf("Recall is of pairs whose texts differ. With the %s of equal texts, which every rule folds, it is %s.",
			count(r.Equal, "pair"), decimals(float64(best.Found+r.Equal)/float64(all+r.Equal))))
	}
	if folded := best.Found + best.Wrong + best.Between; best.Between > 0 && !r.Comparable {
		lines = append(lines, fmt.Sprintf("Precision counts %s between copies and different ones for neither. With these as wrong, as bench counts them, it is %s.",
			count(best.Between, "pair"), decimals(float64(best.Found)/float64(folded))))
	}
	return lines
}

// String names the threshold.
func (t threshold) String() string {
	if t.Verify > 0 {
		return fmt.Sprintf("Verify, resemblance >= %g%s", t.Verify, t.least())
	}
	lanes := fmt.Sprint("lanes >= ", t.Lanes)
	if t.LongLanes > 0 {
		lanes += fmt.Sprintf(" (%d of long texts)", t.LongLanes)
	}
	if t.Hamming < 0 {
		return lanes + " (sketch_only)" + t.least()
	}
	return fmt.Sprintf("%s or Hamming <= %d%s", lanes, t.Hamming, t.least())
}

func (t threshold) least() string {
	if t.MinWords < 1 {
		return ""
	}
	return fmt.Sprintf(", from %d words on", t.MinWords)
}
