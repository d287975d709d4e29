package main

import (
	"fmt"
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

// class is texts of one length. A pair is of a class if its shorter text is.
type class struct {
	name   string
	within func(words int) bool
	least  []int // what is tried as min_words
}

func classes(o options) []class {
	tried := []int{o.rule.MinWords, 5, 8, 10, 12, 15, 20, 30, 50}
	return []class{
		{"all texts", func(int) bool { return true }, tried},
		{fmt.Sprintf("short texts, of fewer than %d words", o.short), func(n int) bool { return n < o.short }, tried},
		{fmt.Sprintf("long texts, of %d words and more", o.short), func(n int) bool { return n >= o.short }, []int{o.rule.MinWords}},
	}
}

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
	t := tried{variant: v, pairs: tallied(within, slices.Max(k.least))}
	if v.preset != nil {
		t.grid = []threshold{*v.preset}
		return t
	}
	for lanes := c.lanes(); lanes >= o.loose.Lanes; lanes-- {
		for hamming := -1; hamming <= o.loose.Hamming; hamming++ {
			for _, least := range k.least {
				t.grid = append(t.grid, threshold{lanes, hamming, least})
			}
		}
	}
	return t
}

// profiles recommends for all texts, since a search has one rule, and for short and for
// long ones. A length without a judged pair is left out.
func profiles(c *corpus, all []*variant, o options) (list []profile) {
	before := threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords}
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

// comparable reports whether variants can be compared: the resemblance at one width is no
// measure of another one.
func (o options) comparable() bool { return o.labels != "" || o.groups != "" }

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
	Curve     []score          `json:"curve"`   // by lanes, otherwise the present rule; null for a preset
	Changes   []sample         `json:"changes"` // of a preset: pairs that it treats otherwise than the present rule
}

func ways(c *corpus, all []*variant, o options) (list []way) {
	whole := classes(o)[0]
	for _, v := range all {
		before := threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords}
		var other []sample
		if v.preset != nil {
			other = changes(c, all[0], v, before, o)
			before = *v.preset
		}
		t := whole.try(c, v, o)
		w := way{
			Signature: v.name, Config: v.config, Params: v.params, Pairs: len(v.pairs), Rule: before,
			Hidden: fold(c, v.pairs, before).Hidden, Present: before.score(t.pairs), Best: recommend(before, []tried{t}, o.right), Changes: other,
		}
		for lanes := c.lanes(); lanes >= o.loose.Lanes && v.preset == nil; lanes-- {
			w.Curve = append(w.Curve, threshold{lanes, before.Hamming, before.MinWords}.score(t.pairs))
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
