package main

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// leastCopies is how many pairs of copies there must be to recommend anything but the
// present rule.
const leastCopies = 20

// profile is the recommendation for all texts, or for texts of one length.
type profile struct {
	Name      string         `json:"name"`
	Texts     int            `json:"texts"`
	Copies    int            `json:"copies"`    // pairs
	Different int            `json:"different"` // pairs
	Rule      signature.Rule `json:"rule"`
	Score     score          `json:"score"`
	Before    score          `json:"before"` // of the present rule
	Why       string         `json:"why"`
}

// recommend chooses a threshold for pairs. Among the thresholds of the grid with a
// precision of at least right, it takes the greatest recall, and then the threshold
// nearest to before: what the data do not speak against stays. If there is none, it takes
// the threshold of the greatest precision that finds any copy.
func recommend(before threshold, grid []threshold, pairs []tally, right float64) (best score, why string) {
	old := before.score(pairs)
	if n := old.Found + old.Missed; n < leastCopies {
		return old, fmt.Sprintf("%s of copies, fewer than %d: too few to tell. This is the present rule.", count(n, "pair"), leastCopies)
	}
	best = old
	reached := old.Precision >= right
	for _, t := range grid {
		s := t.score(pairs)
		if s.Found == 0 {
			continue
		}
		good, better := s.Precision >= right, false
		switch {
		case good != reached:
			better = good
		case good:
			better = s.Recall > best.Recall || s.Recall == best.Recall && t.far(before) < best.far(before)
		default:
			better = s.Precision > best.Precision
		}
		if better {
			best, reached = s, good
		}
	}
	switch {
	case !reached:
		why = fmt.Sprintf("No threshold tried has a precision of %g; this one has the greatest.", right)
	case best.threshold == before:
		why = fmt.Sprintf("No threshold tried finds more copies with a precision of %g.", right)
	default:
		why = fmt.Sprintf("Of the thresholds tried with a precision of at least %g it finds the most copies, and is nearest to the present rule.", right)
	}
	return best, why
}

// far is how far two thresholds are apart: lanes, bits and, for texts that are hardly
// ever in between, tens of words count the same.
func (t threshold) far(u threshold) float64 {
	abs := func(n int) float64 { return float64(max(n, -n)) }
	return abs(t.Lanes-u.Lanes) + abs(t.Hamming-u.Hamming) + abs(t.MinWords-u.MinWords)/10
}

// steps are the thresholds that tables show: lanes in steps of a twentieth of all, Hamming
// distances one by one, each from what pairs were looked for by.
func steps(lanes int, loose signature.Rule, before threshold) (l, h []int) {
	for n := 20; n >= 0; n-- {
		if v := (n*lanes + 19) / 20; v >= loose.Lanes {
			l = append(l, v)
		}
		if before.Lanes < (n*lanes+19)/20 && before.Lanes > ((n-1)*lanes+19)/20 {
			l = append(l, before.Lanes)
		}
	}
	for v := -1; v <= loose.Hamming; v++ {
		h = append(h, v)
	}
	return l, h
}

// profiles recommends for all texts, since a search has one rule, and for short and for
// long ones: a pair is short if its shorter text is. It tries all lanes and Hamming
// distances by which pairs were looked for, and several min_words, except for long
// texts. A length without a judged pair is left out.
func profiles(c *corpus, t *truth, o options) []profile {
	before := threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords}
	tried := []int{before.MinWords, 5, 8, 10, 12, 15, 20, 30, 50}
	var all []profile
	for _, class := range []struct {
		name   string
		within func(words int) bool
		least  []int
	}{
		{"all texts", func(int) bool { return true }, tried},
		{fmt.Sprintf("short texts, of fewer than %d words", o.short), func(n int) bool { return n < o.short }, tried},
		{fmt.Sprintf("long texts, of %d words and more", o.short), func(n int) bool { return n >= o.short }, []int{before.MinWords}},
	} {
		p := profile{Name: class.name}
		for _, text := range c.texts {
			p.Texts += btoi(class.within(int(text.sig.Tokens)))
		}
		var within []judged
		for _, j := range t.pairs {
			if class.within(j.words) {
				within = append(within, j)
				p.Copies += btoi(j.verdict == copied)
				p.Different += btoi(j.verdict == different)
			}
		}
		if len(all) > 0 && p.Copies+p.Different == 0 { // every rule is right about nothing
			continue
		}
		pairs := tallied(within, slices.Max(class.least))
		var grid []threshold
		for lanes := c.lanes(); lanes >= o.loose.Lanes; lanes-- {
			for hamming := -1; hamming <= o.loose.Hamming; hamming++ {
				for _, least := range class.least {
					grid = append(grid, threshold{lanes, hamming, least})
				}
			}
		}
		p.Score, p.Why = recommend(before, grid, pairs, o.right)
		p.Rule, p.Before = p.Score.rule(), before.score(pairs)
		all = append(all, p)
	}
	return all
}
