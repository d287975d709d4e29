package main

import "github.com/neardup/bleve-neardup/analysis/signature"

// recommendation is what is recommended, and what it is made from.
type recommendation struct {
	Copies    int   `json:"copies"`    // pairs
	Different int   `json:"different"` // pairs
	Before    score `json:"before"`    // of the present rule
	advice
}

// Judged reports whether there are pairs to say something of.
func (p recommendation) Judged() bool { return p.Copies+p.Different > 0 }

// try returns the rules to try on the pairs of v: all lanes and Hamming distances by which pairs were looked for, and
// several min_words. A preset has its own rule.
func (v *variant) try(c *corpus, o options) tried {
	t := tried{variant: v, pairs: v.tallied}
	if v.preset != nil {
		t.grid = []threshold{*v.preset}
		return t
	}
	for lanes := c.lanes(); lanes >= o.loose.Lanes; lanes-- {
		for hamming := -1; hamming <= o.loose.Hamming; hamming++ {
			for _, least := range o.minWords() {
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

// recommended is of the first variant, or of all if the truth can compare them.
func recommended(c *corpus, all []*variant, o options) (p recommendation) {
	for _, j := range all[0].judged {
		p.Copies += btoi(j.verdict == copied)
		p.Different += btoi(j.verdict == different)
	}
	var ways []tried
	for _, v := range all {
		if len(ways) == 0 || o.comparable() {
			ways = append(ways, v.try(c, o))
		}
	}
	p.advice, p.Before = recommend(o.before(), ways, o.right), o.before().score(ways[0].pairs)
	return p
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
	Verify    []verified       `json:"verify,omitempty"`
	Curve     []score          `json:"curve"`   // by lanes, otherwise the present rule; null for a preset
	Changes   []sample         `json:"changes"` // of a preset: pairs that it treats otherwise than the present rule
}

// verified is what Verify does: the texts decide.
type verified struct {
	score
	Hidden int `json:"hidden"`
}

func ways(c *corpus, all []*variant, o options) (list []way) {
	for i, v := range all {
		before := v.rule(o)
		t := v.try(c, o)
		w := way{
			Signature: v.name, Config: v.config, Params: v.params, Pairs: len(v.pairs), Rule: before,
			Hidden: v.hidden, Present: before.score(t.pairs), Best: recommend(before, []tried{t}, o.right),
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
