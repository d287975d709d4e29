package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// report is all that was measured.
type report struct {
	Simulated []result   `json:"simulated"`
	Corpora   []measured `json:"corpora"`
	Pictures  []string   `json:"pictures"`

	short []shortCorpus
}

// MarshalJSON writes what the tables show, and the counts that it comes from.
func (r result) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"method": r.method, "kind": r.kind.name, "union": r.cell.union, "resemblance": r.cell.r(),
		"pairs": r.tally.pairs, "duplicates": r.tally.accepted, "binomial": r.binomial(),
		"estimates": r.tally.estimates, "variance": r.tally.variance(), "bias": r.tally.bias(),
	})
}

// MarshalJSON writes the counts by rule and bin.
func (m measured) MarshalJSON() ([]byte, error) {
	taken, labels := make(map[string][]int), make([]map[string]any, 0)
	for i, r := range rules() {
		taken[r.name] = m.taken[i]
	}
	for _, l := range m.labels {
		found := make(map[string]int)
		for i, r := range rules() {
			found[r.name] = l.taken[i]
		}
		labels = append(labels, map[string]any{"label": l.name, "pairs": l.pairs, "duplicates": found})
	}
	return json.Marshal(map[string]any{
		"corpus": m.name, "documents": m.docs, "without_shingles": m.without,
		"bins": edges, "pairs": m.pairs, "duplicates": taken, "labels": labels,
	})
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// binomial is the share of pairs that independent lanes of the same width would
// take for duplicates.
func (r result) binomial() float64 { return atLeast(lanes, need, r.expected()) }

// expected is the resemblance, with the lanes that agree by chance.
func (r result) expected() float64 {
	if r.kind.bits == 0 {
		return r.cell.r()
	}
	return expect(r.cell.r(), r.kind.bits)
}

// group is the results of one kind of verdict of one method for one union.
type group []result

// groups are in the order of the results, but each kind of a method stands together.
func groups(results []result) (all []group) {
	for _, r := range results {
		i := slices.IndexFunc(all, func(g group) bool {
			return g[0].method == r.method && g[0].kind == r.kind && g[0].cell.union == r.cell.union
		})
		if i < 0 {
			i = len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	first := func(g group) int {
		return slices.IndexFunc(results, func(r result) bool { return r.method == g[0].method && r.kind == g[0].kind })
	}
	slices.SortStableFunc(all, func(a, b group) int { return first(a) - first(b) })
	return all
}

// at returns the result for a resemblance, if the union allows it.
func (g group) at(r float64) (result, bool) {
	i := slices.IndexFunc(g, func(x result) bool { return math.Abs(x.cell.r()-r) < 1e-9 })
	if i < 0 {
		return result{}, false
	}
	return g[i], true
}

// variance is the variance of the estimates as part of the binomial, over all resemblances;
// NaN if there are no estimates.
func (g group) variance() float64 {
	var v, binomial float64
	for _, r := range g {
		if r.tally.estimates > 0 {
			v += r.tally.variance()
			binomial += r.expected() * (1 - r.expected()) / lanes
		}
	}
	return v / binomial
}

// bias is the worst one of all resemblances, with its sign.
func (g group) bias() (worst float64) {
	for _, r := range g {
		if b := r.tally.bias(); math.Abs(b) > math.Abs(worst) {
			worst = b
		}
	}
	return worst
}

func (r *report) print(w io.Writer) error {
	if len(r.Simulated) > 0 {
		printSimulated(w, r.Simulated)
	}
	for _, m := range r.Corpora {
		fmt.Fprintf(w, "\n%s: %s documents", m.name, comma(m.docs))
		if m.without > 0 {
			fmt.Fprintf(w, " (and %s without a shingle, left out)", comma(m.without))
		}
		fmt.Fprint(w, ". Pairs by exact resemblance, and how many of them each rule takes for duplicates.\n\n")
		printBins(w, m)
		fmt.Fprintln(w)
		printRecall(w, m)
		printLabels(w, m)
	}
	fmt.Fprintln(w)
	for _, p := range r.Pictures {
		fmt.Fprintln(w, p)
	}
	return nil
}

// printSimulated prints a table for each figure, with a row for each kind of
// verdict and a column for each union.
func printSimulated(w io.Writer, results []result) {
	fmt.Fprint(w, "Random sets, by the number of elements that two of them have together.\n")
	for _, r := range []float64{.8, .9, .95} {
		title := fmt.Sprintf("Share of pairs of resemblance %.4g taken for duplicates; of independent lanes, %.4f", r, atLeast(lanes, need, r))
		pivot(w, title, results, func(g group) string {
			if x, ok := g.at(r); ok {
				return fmt.Sprintf("%.4f", x.tally.share())
			}
			return ""
		})
	}
	pivot(w, "Variance of the estimated resemblance; of independent lanes, 1", results, func(g group) string {
		if v := g.variance(); !math.IsNaN(v) {
			return fmt.Sprintf("%.2f", v)
		}
		return ""
	})
	pivot(w, "Mean error of the estimate, in standard errors, the worst of all resemblances", results, func(g group) string {
		switch b := g.bias(); {
		case math.IsNaN(g.variance()):
			return ""
		case b == 0:
			return "0"
		default:
			return fmt.Sprintf("%+.1f", b)
		}
	})
	pivot(w, "Pairs of each resemblance", results, func(g group) string { return comma(g[0].tally.pairs) })
}

// pivot prints a table of one figure, without the rows that have none.
func pivot(w io.Writer, title string, results []result, figure func(group) string) {
	rows := [][]string{{"method", ""}}
	for _, union := range unions {
		rows[0] = append(rows[0], comma(union))
	}
	for _, g := range groups(results) {
		row := rows[len(rows)-1]
		if row[0] != g[0].method || row[1] != g[0].kind.name {
			row = []string{g[0].method, g[0].kind.name}
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(row, figure(g))
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { return strings.Join(row[2:], "") == "" })
	fmt.Fprintf(w, "\n%s:\n\n", title)
	markdown.Table(w, rows, 2)
}

func printBins(w io.Writer, m measured) {
	head := []string{"resemblance", "pairs"}
	for _, r := range rules() {
		head = append(head, r.name)
	}
	rows := [][]string{head}
	for i := range slices.Backward(edges) {
		name := "1"
		if i+1 < len(edges) {
			name = fmt.Sprintf("%.4g to %.4g", edges[i], edges[i+1])
		}
		row := []string{name, comma(m.pairs[i])}
		for rule := range rules() {
			row = append(row, comma(m.taken[rule][i]))
		}
		rows = append(rows, row)
	}
	markdown.Table(w, rows, 1)
}

// truths are the least resemblances of what is called a duplicate.
var truths = []float64{.8, .9}

// recall is, for one rule and one truth, how many pairs it found, missed, and took
// for duplicates that are none.
func (m measured) recall(rule int, truth float64) (found, missed, wrong int) {
	for i, taken := range m.taken[rule] {
		if edges[i] >= truth {
			found += taken
			missed += m.pairs[i] - taken
		} else {
			wrong += taken
		}
	}
	return found, missed, wrong
}

func printRecall(w io.Writer, m measured) {
	head := []string{"rule"}
	for _, truth := range truths {
		head = append(head, fmt.Sprintf("precision, r >= %.4g", truth), "recall", "false", "missed")
	}
	rows := [][]string{head}
	for i, r := range rules() {
		row := []string{r.name}
		for _, truth := range truths {
			found, missed, wrong := m.recall(i, truth)
			row = append(row, ratio(found, found+wrong), ratio(found, found+missed), comma(wrong), comma(missed))
		}
		rows = append(rows, row)
	}
	markdown.Table(w, rows, 1)
}

func printLabels(w io.Writer, m measured) {
	if len(m.labels) == 0 {
		return
	}
	head := []string{"label", "pairs"}
	for _, r := range rules() {
		head = append(head, r.name)
	}
	rows := [][]string{head}
	for _, l := range m.labels {
		row := []string{l.name, comma(l.pairs)}
		for _, n := range l.taken {
			row = append(row, comma(n))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	markdown.Table(w, rows, 1)
}
