package admission_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// marked is what the marks make of a document: wanted before spam, then by test, then by name.
func (m *model) marked(e *entry, v *admission.Verdict) {
	name, how := firstMark(m.policy, m.marks, e.tenant, &e.sig)
	if name == "" {
		return
	}
	v.Mark, v.Match, v.Test, v.Share = name, &how.Match, how.Test, how.Share
	if v.Policy = "wanted"; m.marks[name].Label == admission.Spam {
		v.Policy, v.Action = "known", m.policy.Known
	}
}

// firstMark is the mark that counts for a document of a tenant, "" if none does: plain loops.
func firstMark(p admission.Policy, marks map[string]admission.Mark, tenant string, sig *signature.Signature) (string, admission.Likeness) {
	for _, label := range []admission.Label{admission.Wanted, admission.Spam} {
		for _, test := range []string{"near", "lanes", "contains", "contained"} {
			for _, name := range slices.Sorted(maps.Keys(marks)) {
				mark := marks[name]
				here := len(mark.Scope) == 0 || p.Scope != "" && slices.Equal(mark.Scope, []string{tenant})
				if mark.Label != label || !here || label == admission.Spam && severity(p.Known) == 0 {
					continue
				}
				if share, ok := passes(test, p.KnownRule, mark.Signature, sig); ok && (test == "near" || label == admission.Spam && !mark.Strict) {
					match, _ := signature.Rule{}.Match(mark.Signature, sig)
					return name, admission.Likeness{Test: test, Match: match, Share: share}
				}
			}
		}
	}
	return "", admission.Likeness{}
}

// touches reports whether a mark that is not set yet would have stopped a document of the index by more than a
// near-duplicate, which no other mark is like.
func (m *model) touches(mark admission.Mark) bool {
	p := m.policy
	p.Known = admission.Reject
	for _, e := range m.docs {
		name, how := firstMark(p, map[string]admission.Mark{"new": mark}, e.tenant, &e.sig)
		other, _ := firstMark(p, m.marks, e.tenant, &e.sig)
		if name != "" && how.Test != "near" && other == "" {
			return true
		}
	}
	return false
}

// passes reports whether a document and a mark pass one test, in the words of its documentation.
func passes(test string, k admission.KnownRule, mark, sig *signature.Signature) (share float64, ok bool) {
	if test == "near" {
		return 0, neartest.Duplicates(signature.Rule{}, mark, sig)
	}
	if mark.Params != sig.Params || mark.Lanes == 0 || sig.Lanes == 0 || mark.Tokens == 0 || sig.Tokens == 0 {
		return 0, false
	}
	agree, few := 0, cmp.Or(uint64(k.MinShingles), 50)
	for i := range mark.Lanes {
		if mark.Sketch.Lane(i) == sig.Sketch.Lane(i) {
			agree++
		}
	}
	if agree < 8 {
		return 0, false
	}
	r := max(0, (float64(agree)/float64(mark.Lanes)-1./256)/(1-1./256))
	both := func(of uint64) float64 { return min(1, r/(1+r)*(float64(mark.Shingles+sig.Shingles)/float64(of))) }
	switch test {
	case "lanes":
		return 0, k.Lanes >= 0 && agree >= cmp.Or(k.Lanes, (mark.Lanes+3)/4) && mark.Shingles >= 10 && sig.Shingles >= 10
	case "contains":
		share = both(mark.Shingles)
		return math.Round(1000*share) / 1000, k.Contains >= 0 && mark.Shingles >= few && share >= cmp.Or(k.Contains, .7)
	}
	share = both(sig.Shingles)
	return math.Round(1000*share) / 1000, k.Contained > 0 && sig.Shingles >= few && share >= k.Contained
}

// severity orders the actions.
func severity(a admission.Action) int {
	return 1 + slices.Index([]admission.Action{admission.Tag, admission.Replace, admission.Reject}, a)
}

// mark marks a text, or a document of the index.
func (d *driver) mark() {
	m := admission.Mark{Name: fmt.Sprint("m", d.pick(4)), Label: []admission.Label{admission.Spam, admission.Wanted}[d.pick(2)]}
	if d.pick(3) == 0 {
		m.Scope = []string{"a"}
	}
	if ids := slices.Sorted(maps.Keys(d.docs)); d.pick(2) == 0 && len(ids) > 0 {
		e := d.docs[ids[d.pick(len(ids))]]
		err := d.markDocument(m, e.id)
		if (err != nil) != (e.sig.Tokens == 0) {
			d.Errorf("marking %+v: %v", e, err)
		}
		m.Signature = &e.sig
		if err != nil {
			return
		}
		m.Strict = m.Scope == nil && m.Label == admission.Spam && d.touches(m)
	} else {
		text := words(rand.New(rand.NewPCG(9, uint64(d.pick(8)))), d.pick(4))
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		m.Signature = &sig
		marked := m
		sign(d, d.index, &marked, text)
		d.check(typed(d.index).SetMark(context.Background(), marked))
	}
	d.marks[m.Name] = m
	all, err := typed(d.index).Marks()
	d.check(err)
	if len(all) != len(d.marks) {
		d.Errorf("%d marks, want %d", len(all), len(d.marks))
	}
}

// markDocument marks a document, by MarkDocument where a name and a label are all.
func (d *driver) markDocument(m admission.Mark, id string) (err error) {
	ctx := context.Background()
	if m.Scope == nil {
		return typed(d.index).MarkDocument(ctx, m.Name, m.Label, id)
	}
	if m.Signature, err = plugin.SignatureOf(d.index, plugin.Field, id); err != nil {
		return err
	}
	return typed(d.index).SetMark(ctx, m)
}
