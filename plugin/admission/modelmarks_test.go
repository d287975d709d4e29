package admission_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// marked is what the marks make of a document: wanted before spam, then by name.
func (m *model) marked(e *entry, v *admission.Verdict) {
	rule := signature.Rule{}
	for _, label := range []admission.Label{admission.Wanted, admission.Spam} {
		for _, name := range slices.Sorted(maps.Keys(m.marks)) {
			mark := m.marks[name]
			here := len(mark.Scope) == 0 || m.policy.Scope != "" && slices.Equal(mark.Scope, []string{e.tenant})
			if mark.Label != label || !here || !signaturetest.Duplicates(rule, &e.sig, mark.Signature) {
				continue
			}
			if label == admission.Spam && severity(m.policy.Known) == 0 {
				return
			}
			match, _ := rule.Match(mark.Signature, &e.sig)
			v.Policy, v.Mark, v.Match = admission.ByWanted, name, &match
			if label == admission.Spam {
				v.Policy, v.Action = admission.ByKnown, m.policy.Known
			}
			return
		}
	}
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
	} else {
		text := words(rand.New(rand.NewPCG(9, uint64(d.pick(8)))), d.pick(4))
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		m.Signature = &sig
		marked := m
		sign(d, d.index, &marked, text)
		d.check(plugin.SetMark(context.Background(), d.index, marked))
	}
	d.marks[m.Name] = m
	all, err := plugin.Marks(d.index)
	d.check(err)
	if len(all) != len(d.marks) {
		d.Errorf("%d marks, want %d", len(all), len(d.marks))
	}
}

// markDocument marks a document, by MarkDocument where a name and a label are all.
func (d *driver) markDocument(m admission.Mark, id string) (err error) {
	ctx := context.Background()
	if m.Scope == nil {
		return plugin.MarkDocument(ctx, d.index, m.Name, m.Label, id)
	}
	if m.Signature, err = plugin.SignatureOf(d.index, plugin.Field, id); err != nil {
		return err
	}
	return plugin.SetMark(ctx, d.index, m)
}
