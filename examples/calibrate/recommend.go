package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// A rule other than the present one is recommended only if there are so many pairs of each
// kind. If a rule folds none of 50 different pairs, it can still fold 7 in 100.
const (
	leastCopies    = 20
	leastDifferent = 50
)

// enough is how much a rule must be better to be preferred to one nearer to the present rule.
const enough = .005

// tried is the rules that are tried on the pairs of one variant.
type tried struct {
	*variant
	grid  []threshold
	pairs []tally // the judged ones
}

// choice is a rule on signatures of one variant.
type choice struct {
	Signature string `json:"signature"`
	score
	Config string `json:"analyzer,omitempty"` // if the signatures are other than the present ones
}

// advice is what is recommended.
type advice struct {
	Choice   choice   `json:"choice"`
	Present  bool     `json:"present"` // the choice is the present rule
	Why      string   `json:"why"`
	Edge     bool     `json:"edge"` // the choice is at the edge of what was tried
	Warnings []string `json:"warnings,omitempty"`
}

// recommend chooses a rule. The first of all has the present signatures. Of the rules with a
// precision of at least right it takes the greatest recall, or if there is none, of all rules
// the precision whose interval begins highest. Of the rules that are worse by at most enough,
// it takes the one that changes least: what the data do not speak against stays.
func recommend(before threshold, all []tried, right float64) advice {
	old := choice{Signature: all[0].name, score: before.score(all[0].pairs)}
	if why := few(all[0].pairs); why != "" {
		return advice{Choice: old, Present: true, Why: why + ": too few to tell. This is the present rule."}
	}
	type rated struct {
		choice
		of    int // the variant
		worth float64
	}
	var good, other []rated
	for i, t := range all {
		if i > 0 && few(t.pairs) != "" {
			continue
		}
		for _, at := range t.grid {
			r := rated{choice{Signature: t.name, score: at.score(t.pairs)}, i, 0}
			if i > 0 {
				r.Config = t.config
			}
			switch r.worth = r.Precision.Low; {
			case r.Found == 0:
			case r.Precision.Value >= right:
				r.worth = r.Recall.Value
				good = append(good, r)
			default:
				other = append(other, r)
			}
		}
	}
	among := good
	if len(good) == 0 {
		among = other
	}
	if len(among) == 0 {
		return advice{Choice: old, Present: true, Why: "No rule tried finds a copy. This is the present rule."}
	}
	top := slices.MaxFunc(among, func(a, b rated) int { return cmp.Compare(a.worth, b.worth) }).worth
	among = slices.DeleteFunc(among, func(r rated) bool { return r.worth < top-enough })
	best := slices.MinFunc(among, func(a, b rated) int {
		return cmp.Or(
			slices.Compare(a.change(before, a.of, all), b.change(before, b.of, all)),
			cmp.Compare(b.worth, a.worth),
		)
	})
	got := advice{Choice: best.choice, Present: best.of == 0 && best.threshold == before}
	got.Why = why(got, old, right, len(good) > 0)
	got.Warnings = edges(best.choice, best.of, all)
	got.Edge = len(got.Warnings) > 0
	if mine, others := against(all[best.of].judged, best.threshold, all[0].judged, before); !got.Present && !significant(mine, others) {
		got.Warnings = append(got.Warnings, fmt.Sprintf("The judged pairs cannot tell it from the present rule: it alone is right about %d, the present rule alone about %d.", mine, others))
	}
	if low := best.Precision.Low; low < right && best.Precision.Value >= right {
		got.Warnings = append(got.Warnings, fmt.Sprintf("The interval of the precision begins at %s, below the %g that is wanted: more judged pairs would tell.", decimals(low), right))
	}
	return got
}

// against counts the judged pairs that only one of two rules is right about, each on pairs of its own signatures.
func against(own []judged, at threshold, others []judged, before threshold) (mine, theirs int) {
	right := make(map[[2]int]int) // by pair: 1 for the first rule, -1 for the second
	note := func(pairs []judged, rule threshold, as int) {
		for _, p := range pairs {
			if rule.folds(p.pair) { // what a rule does not know of, it keeps apart
				right[[2]int{p.a, p.b}] += as * (int(p.verdict) - int(between))
			}
		}
	}
	note(own, at, 1)
	note(others, before, -1)
	for _, n := range right {
		mine, theirs = mine+btoi(n > 0), theirs+btoi(n < 0)
	}
	return mine, theirs
}

// significant reports whether two counts differ by more than chance: a coin that falls a times on one side and b times
// on the other is no fair one, with an error of 5 %.
func significant(a, b int) bool {
	n := float64(a + b)
	if n > 1000 {
		return math.Abs(float64(a-b)) > deviations*math.Sqrt(n)
	}
	p, term := 0.0, math.Exp2(-n)
	for i := range min(a, b) + 1 {
		p += term
		term *= (n - float64(i)) / float64(i+1)
	}
	return 2*p < .05
}

// few says what there is too little of, if anything.
func few(pairs []tally) string {
	var n [3]int
	for _, p := range pairs {
		n[p.verdict] += p.n
	}
	switch {
	case n[copied] < leastCopies && n[different] < leastDifferent:
		return fmt.Sprintf("%s of copies, fewer than %d, and %s, fewer than %d",
			count(n[copied], "pair"), leastCopies, count(n[different], "different pair"), leastDifferent)
	case n[copied] < leastCopies:
		return fmt.Sprintf("%s of copies, fewer than %d", count(n[copied], "pair"), leastCopies)
	case n[different] < leastDifferent:
		return fmt.Sprintf("%s, fewer than %d", count(n[different], "different pair"), leastDifferent)
	}
	return ""
}

// change is how much a rule changes, the weightiest first: more bits of the simhash, which bring
// unrelated texts together; other signatures, for which all is written anew; texts that are read; then what is
// changed at all, and by how much.
func (t threshold) change(before threshold, of int, all []tried) []int {
	abs := func(n int) int { return max(n, -n) }
	return []int{
		max(0, t.Hamming-before.Hamming),
		btoi(of > 0), btoi(t.Verify > 0), abs(all[of].params.Width - all[0].params.Width), of,
		btoi(t.Hamming != before.Hamming), btoi(t.MinWords != before.MinWords),
		abs(t.Lanes - before.Lanes), abs(t.Hamming - before.Hamming), abs(t.MinWords - before.MinWords),
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// why says by what a rule was chosen, and what it changes.
func why(got advice, old choice, right float64, reached bool) string {
	best := got.Choice
	var text string
	switch {
	case got.Present && reached:
		return fmt.Sprintf("This is the present rule. No rule tried finds more copies, by more than half a percent, with a precision of %g.", right)
	case got.Present:
		return fmt.Sprintf("This is the present rule. No rule tried has a precision of %g, and none does better by more than half a percent.", right)
	case reached:
		text = fmt.Sprintf("Of the rules tried with a precision of at least %g it finds the most copies (within half a percent) and changes the present rule least.", right)
	default:
		text = fmt.Sprintf("No rule tried has a precision of %g; of all rules the interval of its precision begins highest.", right)
	}
	return fmt.Sprintf("%s Compared with the present rule: %+d pairs of copies found, %+d different pairs folded.",
		text, best.Found-old.Found, best.Wrong-old.Wrong)
}

// edges says where a rule is at the edge of what was tried.
func edges(best choice, of int, all []tried) (text []string) {
	edge := func(what, how string) {
		text = append(text, fmt.Sprintf("This rule is at the edge of what was tried: %s. A better one might be beyond it. To try more: %s.", what, how))
	}
	if all[of].preset != nil {
		return nil
	}
	low, high := all[of].grid[0], all[of].grid[0]
	for _, t := range all[of].grid {
		low.Lanes, low.MinWords = min(low.Lanes, t.Lanes), min(low.MinWords, t.MinWords)
		high.Lanes, high.Hamming, high.MinWords = max(high.Lanes, t.Lanes), max(high.Hamming, t.Hamming), max(high.MinWords, t.MinWords)
	}
	if best.Lanes == low.Lanes && low.Lanes > 1 && low.Lanes < high.Lanes {
		edge(fmt.Sprintf("no fewer than %d lanes", low.Lanes), fmt.Sprintf("--loose-lanes %d", max(1, low.Lanes-10)))
	}
	if best.Hamming == high.Hamming && best.Hamming > 0 && best.Hamming < 64 {
		edge(fmt.Sprintf("no Hamming distance above %d", high.Hamming), fmt.Sprintf("--loose-hamming %d", min(64, high.Hamming+4)))
	}
	if best.MinWords == high.MinWords && low.MinWords < high.MinWords {
		edge(fmt.Sprintf("no min_words above %d", high.MinWords), fmt.Sprintf("--min-words %d", 2*high.MinWords))
	}
	width := func(t tried) int { return t.params.Width }
	byWidth := func(a, b tried) int { return cmp.Compare(width(a), width(b)) }
	widths := slices.DeleteFunc(slices.Clone(all), func(t tried) bool { return t.preset != nil })
	narrow, wide := width(slices.MinFunc(widths, byWidth)), width(slices.MaxFunc(widths, byWidth))
	if w := width(all[of]); of > 0 && w == narrow && w > 1 {
		edge(fmt.Sprintf("no width below %d", w), fmt.Sprintf("--widths %d,%d", w-1, w))
	} else if of > 0 && w == wide && w < shingle.MaxWidth {
		edge(fmt.Sprintf("no width above %d", w), fmt.Sprintf("--widths %d,%d", w, w+1))
	}
	return text
}
