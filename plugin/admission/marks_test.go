package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Marks that are set, replaced, and taken back, one or many at a time, against plain
// loops over them all.
func TestMarksAgainstLoops(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Known: admission.Reject})
	rnd := rand.New(rand.NewPCG(1, 3))
	marks := map[string]admission.Mark{}
	seen := map[string]int{}
	for round := range 150 {
		b := x.NewBatch()
		for range 1 + rnd.IntN(3) {
			name := fmt.Sprint("m", rnd.IntN(20))
			if rnd.IntN(4) == 0 {
				b.DeleteInternal([]byte(gate.MarkPrefix + name))
				delete(marks, name)
				continue
			}
			label := []admission.Label{admission.Spam, admission.Spam, admission.Wanted}[rnd.IntN(3)]
			sig := signature.Of(signature.DefaultParams(), []byte(words(rnd, rnd.IntN(10))))
			marks[name] = admission.Mark{Name: name, Label: label, Signature: &sig}
			setMark(t, b, marks[name])
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			p := page{"p", words(rnd, rnd.IntN(10)), "", time.Now()}
			want := firstMark(marks, p.body)
			v := submit(t, x, p)
			if v.Mark != want || (v.Action == admission.Reject) != (marks[want].Label == admission.Spam) {
				t.Fatalf("round %d: got %v, want mark %q of %v", round, v, want, marks[want].Label)
			}
			seen[string(marks[want].Label)]++
		}
	}
	if len(seen) < 3 {
		t.Errorf("%v: this test shows little", seen)
	}
}

func setMark(t testing.TB, b *bleve.Batch, m admission.Mark) {
	t.Helper()
	key, value, err := gate.EncodeMark(&m)
	if err != nil {
		t.Fatal(err)
	}
	b.SetInternal(key, value)
}

// firstMark is the name of the mark that counts, wanted before spam and then by name.
func firstMark(marks map[string]admission.Mark, text string) (first string) {
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	for name, m := range marks {
		if !signaturetest.Duplicates((signature.Rule{}), m.Signature, &sig) {
			continue
		}
		order := func(name string) string { return fmt.Sprint(marks[name].Label == admission.Spam, name) }
		if first == "" || order(name) < order(first) {
			first = name
		}
	}
	return first
}

// What is under a mark's key and is none is an error that names it, not a panic.
func TestForeignMarks(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"{":                           `mark "x": unexpected end`,
		`{"name":"x","label":"spam"}`: `mark "x": wanted a text of one token or more, got none`,
	} {
		x := newIndex(t, "")
		setPolicy(t, x, admission.Policy{Known: admission.Reject})
		if err := x.SetInternal([]byte(gate.MarkPrefix+"x"), []byte(value)); err != nil {
			t.Fatal(err)
		}
		if err := x.Index("a", map[string]any{"body": "one"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", value, err, want)
		}
		if err := plugin.Unmark(context.Background(), x, "x"); err != nil {
			t.Fatal(err)
		}
		if err := x.Index("a", map[string]any{"body": "one"}); err != nil {
			t.Errorf("after it was taken back: %v", err)
		}
	}
}

// BenchmarkMark reports one more spam, where 2,000 are known, and submits a document.
func BenchmarkMark(b *testing.B) {
	x := newIndex(b, "")
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Known: admission.Reject}); err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 4))
	batch := x.NewBatch()
	for n := range 2000 {
		sig := signature.Of(signature.DefaultParams(), []byte(words(rnd, n)))
		setMark(b, batch, admission.Mark{Name: fmt.Sprint("m", n), Label: admission.Spam, Signature: &sig})
	}
	if err := x.Batch(batch); err != nil {
		b.Fatal(err)
	}
	n := 2000
	for b.Loop() {
		n++
		if err := plugin.MarkText(context.Background(), x, fmt.Sprint("m", n), admission.Spam, words(rnd, n)); err != nil {
			b.Fatal(err)
		}
		submit(b, x, page{"p", words(rnd, n), "", time.Now()})
	}
}
