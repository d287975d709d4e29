package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// report is all that was measured.
type report struct {
	Simulated []result   `json:"simulated"`
	Corpora   []measured `json:"corpora"`
	Pictures  []string   `json:"pictures"`
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

// variance is that of the estimates as part of the binomial, over all resemblances;
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
		fmt.Fprintf(w, "Sketches of %d lanes over random sets. Union: elements of both sets together. Variance: of the estimate\n"+
			"of the resemblance, as part of the binomial. P(r): share of pairs of resemblance r taken for duplicates\n"+
			"(%d lanes agree, or what corresponds). Mean error: in standard errors, the worst of all resemblances.\n\n", lanes, need)
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

func printSimulated(w io.Writer, results []result) {
	rows := [][]string{{"method", "lanes of", "union", "pairs", "variance", "P(.8)", "P(.9)", "P(.95)", "mean error"}}
	exact := []string{"binomial", "", "", "", "1.00"}
	for _, r := range []float64{.8, .9, .95} {
		exact = append(exact, fmt.Sprintf("%.4f", atLeast(lanes, need, r)))
	}
	rows = append(rows, append(exact, "0"))
	for _, g := range groups(results) {
		row := []string{g[0].method, g[0].kind.name, comma(g[0].cell.union), comma(g[0].tally.pairs), "", "", "", "", ""}
		if v := g.variance(); !math.IsNaN(v) {
			row[4] = fmt.Sprintf("%.2f", v)
			row[8] = fmt.Sprintf("%+.1f", g.bias())
		}
		for i, r := range []float64{.8, .9, .95} {
			if x, ok := g.at(r); ok {
				row[5+i] = fmt.Sprintf("%.4f", x.tally.share())
			}
		}
		rows = append(rows, row)
	}
	table(w, rows, 2)
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
	table(w, rows, 1)
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
	table(w, rows, 1)
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
	table(w, rows, 1)
}
