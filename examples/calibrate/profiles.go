package main

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// profile is the recommendation for all texts, or for texts of one length.
type profile struct {
	Name      string `json:"name"`
	Texts     int    `json:"texts"`
	Copies    int    `json:"copies"`    // pairs
	Different int    `json:"different"` // pairs
	Before    score  `json:"before"`    // of the present rule
	advice
}

// Judged reports whether there are pairs to say something of.
func (p profile) Judged() bool { return p.Copies+p.Different > 0 }

// try returns the rules to try on the pairs of v that are of the class: all lanes and Hamming
// distances by which pairs were looked for, and several min_words, except for long texts. A preset
// has its own rule.
func (k class) try(c *corpus, v *variant, o options) tried {
	var within []judged
	for _, j := range v.judged {
		if k.within(j.words) {
			within = append(within, j)
		}
	}
	t := tried{variant: v, judged: within, pairs: tallied(within, k.most(), v.rule(o).LongLanes > 0)}
	if v.preset != nil {
		t.grid = []threshold{*v.preset}
		return t
	}
	for lanes := c.lanes(); lanes >= o.loose.Lanes; lanes-- {
		for hamming := -1; hamming <= o.loose.Hamming; hamming++ {
			for _, least := range k.least {
				t.grid = append(t.grid, threshold{Lanes: lanes, Hamming: hamming, MinWords: least})
			}
		}
	}
	if o.rule.LongLanes > 0 {
		t.grid = append(t.grid, o.before())
	}
	if o.comparable() { // by the resemblance itself, Verify is right by definition
		for _, r := range verifies {
			t.grid = append(t.grid, threshold{Lanes: o.rule.Lanes, Hamming: o.rule.Hamming, MinWords: o.rule.MinWords, Verify: r})
		}
	}
	return t
}

// profiles recommends for all texts, since a search has one rule, and for short and for
// long ones. A length without a judged pair is left out.
func profiles(c *corpus, all []*variant, o options) (list []profile) {
	before := o.before()
	for _, k := range classes(o) {
		p := profile{Name: k.name}
		for _, text := range c.texts {
			p.Texts += btoi(k.within(int(text.sig.Tokens)))
		}
		for _, j := range all[0].judged {
			p.Copies += btoi(k.within(j.words) && j.verdict == copied)
			p.Different += btoi(k.within(j.words) && j.verdict == different)
		}
		if len(list) > 0 && p.Copies+p.Different == 0 { // every rule is right about nothing
			continue
		}
		var ways []tried
		for _, v := range all {
			if len(ways) == 0 || o.comparable() {
				ways = append(ways, k.try(c, v, o))
			}
		}
		p.advice = recommend(before, ways, o.right)
		p.Before = before.score(ways[0].pairs)
		list = append(list, p)
	}
	return list
}

// way is what one variant does, with the present rule and with the best for it. A preset has its own
// rule in place of both.
type way struct {
	Signature string           `json:"signature"`
	Config    string           `json:"analyzer"`
	Params    signature.Params `json:"params"`
	Pairs     int              `json:"pairs"`  // that were looked at
	Rule      threshold        `json:"rule"`   // the present one, or that of a preset
	Hidden    int              `json:"hidden"` // documents, by that rule
	Present   score            `json:"present"`
	Best      advice           `json:"best"`
	Seeds     spread           `json:"seeds"` // of that rule, by several seeds of the hash functions
	Verify    []verified       `json:"verify,omitempty"`
	Curve     []score          `json:"curve"`   // by lanes, otherwise the present rule; null for a preset
	Changes   []sample         `json:"changes"` // of a preset: pairs that it treats otherwise than the present rule
}

// verified is what Verify does: the texts decide.
type verified struct {
	score
	Hidden int `json:"hidden"`
}

// spread is the least and the greatest figure of several seeds.
type spread struct {
	Seeds     int        `json:"seeds"`
	Hidden    [2]int     `json:"hidden"`
	Precision [2]float64 `json:"precision"` // 0 and 0 if no seed has any
	Recall    [2]float64 `json:"recall"`
}

// spread is of the rule that hides, and of any rule as to precision and recall.
func (v *variant) spread(at threshold) spread {
	var precision, recall []float64
	var hidden []int
	for _, r := range v.seeds {
		s := at.score(r.pairs)
		hidden = append(hidden, r.hidden)
		if s.Precision.Of > 0 {
			precision = append(precision, s.Precision.Value)
		}
		if s.Recall.Of > 0 {
			recall = append(recall, s.Recall.Value)
		}
	}
	return spread{len(v.seeds), ends(hidden), ends(precision), ends(recall)}
}

func ends[N int | float64](all []N) (e [2]N) {
	if len(all) > 0 {
		e = [2]N{slices.Min(all), slices.Max(all)}
	}
	return e
}

func ways(c *corpus, all []*variant, o options) (list []way) {
	whole := classes(o)[0]
	for i, v := range all {
		before := v.rule(o)
		t := whole.try(c, v, o)
		w := way{
			Signature: v.name, Config: v.config, Params: v.params, Pairs: len(v.pairs), Rule: before, Seeds: v.spread(before),
			Hidden: v.seeds[0].hidden, Present: before.score(t.pairs), Best: recommend(before, []tried{t}, o.right),
		}
		if v.preset != nil {
			w.Changes = changes(c, all[0], v, o)
		}
		for _, r := range verifies {
			at := before
			if at.Verify = r; i == 0 {
				w.Verify = append(w.Verify, verified{at.score(t.pairs), fold(c, v.pairs, at).Hidden})
			}
		}
		for lanes := c.lanes(); lanes >= o.loose.Lanes && v.preset == nil; lanes-- {
			w.Curve = append(w.Curve, threshold{Lanes: lanes, Hamming: before.Hamming, MinWords: before.MinWords}.score(t.pairs))
		}
		list = append(list, w)
	}
	return list
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
