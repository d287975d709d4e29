package main

import (
	"fmt"
	"slices"
)

// verdict is what a pair is in truth.
type verdict int

const (
	different verdict = iota
	between           // counts for neither
	copied
)

// judged is a pair with the truth about it.
type judged struct {
	pair
	verdict verdict
}

// truth is what rules are judged by.
type truth struct {
	by string // what makes it the truth, for people

	// Verdicts of people, and the pairs in the order of the file.
	known map[[2]int]verdict
	order [][2]int

	// What other pairs are, and the texts that are in groups.
	rest            rest
	grouped         map[int]bool
	copies, differs float64

	// Contradicted is what no rule can follow, and is left out: equal texts that are said to be different, and pairs of
	// texts that are said to be both.
	contradicted []string

	// Equal is how many pairs of documents are copies with equal texts, which every rule folds. They are no pairs of
	// texts: no figure counts them but Equal.
	equal int
}

// rest says what pairs are of which people say nothing.
type rest int

const (
	unjudged rest = iota // nothing
	apart                // different, if both have a group
	measured             // what their exact resemblance says
)

// newTruth reads labels or groups if there are any; else the exact resemblance is the truth.
func newTruth(c *corpus, o options) (*truth, error) {
	switch {
	case o.labels != "":
		return labelled(c, o.labels)
	case o.groups != "":
		return grouped(c, o.groups)
	}
	t := &truth{
		by: fmt.Sprintf("the exact resemblance of the texts at width %d: copies from %g on, different below %g",
			c.analyzer.Params().Width, o.copies, o.differs),
		rest: measured, copies: o.copies, differs: o.differs,
	}
	for _, text := range c.texts {
		t.equal += len(text.ids) * (len(text.ids) - 1) / 2
	}
	return t, nil
}

// know notes the verdict of people.
func (t *truth) know(key [2]int, v verdict) {
	if t.known == nil {
		t.known = make(map[[2]int]verdict)
	}
	if _, again := t.known[key]; !again {
		t.order = append(t.order, key)
	}
	t.known[key] = v
}

// judge returns the judged pairs of v: those that people judge, whether or not v finds them,
// so that recall counts all; and of the others those that v finds. Of pairs with a resemblance
// of .9 it finds all (60 of 100 lanes miss such a pair with probability 10^-15), so that
// recall by resemblance counts all as well.
func (t *truth) judge(c *corpus, v *variant) (all []judged) {
	for _, key := range t.order {
		all = append(all, judged{newPair(c, v.sigs, key[0], key[1]), t.known[key]})
	}
	if t.rest == unjudged {
		return all
	}
	for _, p := range v.pairs {
		if _, ok := t.known[[2]int{p.a, p.b}]; ok {
			continue
		}
		switch {
		case t.rest == measured && p.exact >= t.copies:
			all = append(all, judged{p, copied})
		case t.rest == measured && p.exact >= t.differs:
			all = append(all, judged{p, between})
		case t.rest == measured || t.grouped[p.a] && t.grouped[p.b]:
			all = append(all, judged{p, different})
		}
	}
	return all
}

// score is how a threshold does on judged pairs.
type score struct {
	threshold
	Found     int   `json:"found"`              // copies that it folds
	Missed    int   `json:"missed"`             // copies that it does not
	Wrong     int   `json:"wrong"`              // different ones that it folds
	Between   int   `json:"between"`            // pairs that count for neither, and that it folds
	Precision share `json:"precision,omitzero"` // nothing if it folds no judged pair
	Recall    share `json:"recall,omitzero"`    // nothing if there are no copies
}

// tally is judged pairs that every threshold treats alike, and their number.
type tally struct {
	judged
	n int
}

// tallied brings pairs together, so that thousands of thresholds can be tried on
// millions of pairs. No threshold that it is for has more than most as min_words, and long_lanes only if long.
func tallied(pairs []judged, most int, long bool) (all []tally) {
	type key struct{ lanes, hamming, words, longer, verdict, verified int }
	at := make(map[key]int)
	for _, p := range pairs {
		if p.words, p.longer = min(p.words, most), min(p.longer, 100); !long {
			p.longer = 0
		}
		verified := slices.IndexFunc(verifies, func(r float64) bool { return p.exact >= r })
		k := key{p.lanes, p.hamming, p.words, p.longer, int(p.verdict), verified}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, tally{judged: p})
		}
		all[i].n++
	}
	return all
}

// score counts.
func (t threshold) score(pairs []tally) score {
	s := score{threshold: t}
	for _, p := range pairs {
		switch folds := t.folds(p.pair); {
		case p.verdict == copied && folds:
			s.Found += p.n
		case p.verdict == copied:
			s.Missed += p.n
		case p.verdict == different && folds:
			s.Wrong += p.n
		case p.verdict == between && folds:
			s.Between += p.n
		}
	}
	s.Precision = newShare(s.Found, s.Found+s.Wrong)
	s.Recall = newShare(s.Found, s.Found+s.Missed)
	return s
}
