package admission_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A short spam mail with the footer of a list is marked: none of the list's mails is stopped, neither those that were accepted nor
// later ones, and copies of the spam are. A caller that insists has them stopped. A mark of a scope touches what is of it.
func TestTouches(t *testing.T) {
	t.Parallel()
	ctx, rnd := t.Context(), rand.New(rand.NewPCG(32, 2))
	text := func(n int) (text string) {
		for range n {
			text += fmt.Sprintf("w%d ", rnd.IntN(1<<20))
		}
		return text
	}
	x, footer := newIndex(t, ""), text(30)
	setPolicy(t, x, admission.Policy{Known: admission.Reject, Scope: "tenant"})
	var ids, ofA []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("mail %02d", i))
		tenant := []string{"", "a", "b"}[i%3]
		if tenant == "a" {
			ofA = append(ofA, ids[i])
		}
		if err := x.Index(ids[i], map[string]any{"body": text(8) + footer, "tenant": tenant}); err != nil {
			t.Fatal(err)
		}
	}
	spam := text(8) + footer
	dry := func(id string, data any) (v admission.Verdict, err error) {
		b := x.NewBatch()
		if err := b.Index(id, data); err != nil {
			return v, err
		}
		verdicts, err := plugin.DryRun(ctx, x, b)
		if err == nil {
			v = verdicts[0]
		}
		return v, err
	}
	stopped := func() (n int) {
		for i := range 20 {
			v, err := dry(fmt.Sprint("new ", i), map[string]any{"body": text(8) + footer})
			if err != nil {
				t.Fatal(err)
			}
			if v.Action == admission.Reject {
				n++
			}
		}
		return n
	}
	sig, err := plugin.Sign(x, plugin.Field, spam)
	if err != nil {
		t.Fatal(err)
	}
	m := admission.Mark{Name: "spam", Label: admission.Spam, Signature: sig}
	own, err := typed(x).SignatureOf(plugin.Field, ids[7])
	if err != nil {
		t.Fatal(err)
	}
	other := admission.Mark{Name: "other", Label: admission.Spam, Signature: own, Scope: []string{"nobody"}}
	touched, err := typed(x).Touches(ctx, m, other)
	if slices.Sort(touched[0]); err != nil || !slices.Equal(touched[0], slices.Delete(slices.Clone(ids), 7, 8)) || len(touched[1]) > 0 {
		t.Errorf("wanted all mails but the one that is marked itself, and none of another scope, got %d, %v", len(touched[0]), err)
	}
	a := m
	a.Scope = []string{"a"}
	touched, err = typed(x).Touches(ctx, a)
	if slices.Sort(touched[0]); err != nil || !slices.Equal(touched[0], ofA) {
		t.Errorf("wanted the mails of the mark's scope, %q, got %q, %v", ofA, touched[0], err)
	}
	if err := typed(x).MarkText(ctx, "spam", admission.Spam, spam); err != nil {
		t.Fatal(err)
	}
	if marks, err := typed(x).Marks(); err != nil || len(marks) != 1 || !marks[0].Strict {
		t.Errorf("wanted a strict mark, got %+v, %v", marks, err)
	}
	if n := stopped(); n > 0 {
		t.Errorf("strict: wanted no mail of the list to be stopped, got %d of 20", n)
	}
	if v, err := dry("copy", map[string]any{"body": spam}); err != nil || v.Action != admission.Reject || v.Test != "near" {
		t.Errorf("a copy: got %+v, %v", v, err)
	}
	if err := typed(x).SetMark(ctx, m); err != nil {
		t.Fatal(err)
	}
	if n := stopped(); n != 20 {
		t.Errorf("insisted: wanted all mails of the list to be stopped, got %d of 20", n)
	}
	if touched, err := typed(x).Touches(ctx, admission.Mark{Name: "again", Label: admission.Spam, Signature: sig}); err != nil || len(touched[0]) > 0 {
		t.Errorf("what another mark stops: wanted none, got %d, %v", len(touched[0]), err)
	}
}
