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
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// spoiled is the text of a family as a spammer sends it: with words changed, in another order,
// with other text around it, or a part of it alone.
func spoiled(rnd *rand.Rand, family int) string {
	text := strings.Fields(words(rnd, family))
	other := strings.Fields(words(rnd, 1000+rnd.IntN(1000)))
	for range rnd.IntN(8) {
		text[rnd.IntN(len(text))] = other[rnd.IntN(len(other))]
	}
	switch rnd.IntN(5) {
	case 0:
		at := rnd.IntN(len(text))
		text = append(text[at:], text[:at]...)
	case 1:
		for range 1 + rnd.IntN(8) {
			text = append(text, strings.Fields(words(rnd, 1000+rnd.IntN(1000)))...)
		}
	case 2:
		text = text[:1+rnd.IntN(len(text))]
	}
	return strings.Join(text, " ")
}

// Marks that are set, replaced, and taken back, one or many at a time, against plain
// loops over them all: few of them, and so many that they are in lists. Tests of every rule
// for marks, with texts on both sides of it.
func TestMarksAgainstLoops(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule                  admission.KnownRule
		families, most, tests int
	}{
		"default":          {admission.KnownRule{}, 10, 20, 3},
		"many":             {admission.KnownRule{}, 60, 240, 4},
		"contained":        {admission.KnownRule{Lanes: 60, Contains: -1, Contained: .6, MinShingles: 8}, 40, 200, 4},
		"near-duplicates":  {admission.KnownRule{Lanes: -1, Contains: -1}, 10, 100, 2},
		"few shared lanes": {admission.KnownRule{Lanes: 5, Contains: .1, Contained: .1, MinShingles: 1}, 100, 200, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, "")
			policy := admission.Policy{Known: admission.Reject, KnownRule: test.rule}
			setPolicy(t, x, policy)
			rnd := rand.New(rand.NewPCG(1, 3))
			marks := map[string]admission.Mark{}
			seen := map[admission.Test]int{}
			labels := []admission.Label{admission.Spam, admission.Spam, admission.Spam, admission.Wanted}
			for round := range 20 {
				b := x.NewBatch()
				for range 1 + rnd.IntN(test.most/4) {
					name := fmt.Sprint("m", rnd.IntN(test.most))
					if rnd.IntN(4) == 0 {
						b.DeleteInternal([]byte(gate.MarkPrefix + name))
						delete(marks, name)
						continue
					}
					sig := signature.Of(signature.DefaultParams(), []byte(spoiled(rnd, rnd.IntN(test.families))))
					marks[name] = admission.Mark{Name: name, Label: labels[rnd.IntN(4)], Signature: &sig}
					setMark(t, b, marks[name])
				}
				if err := x.Batch(b); err != nil {
					t.Fatal(err)
				}
				for range 16 {
					p := page{"p", spoiled(rnd, rnd.IntN(test.families)), "", time.Now()}
					sig := signature.Of(signature.DefaultParams(), []byte(p.body))
					want, how := firstMark(policy, marks, "", &sig)
					v := submit(t, x, p)
					if v.Mark != want || v.Test != how.Test || v.Share != how.Share || v.Match != nil && *v.Match != how.Match || (v.Match == nil) != (want == "") ||
						(v.Action == admission.Reject) != (marks[want].Label == admission.Spam) {
						t.Fatalf("round %d: got %+v, want mark %q of %v, %+v", round, v, want, marks[want].Label, how)
					}
					seen[how.Test]++
				}
			}
			if len(seen) < test.tests {
				t.Errorf("%v: this test shows little", seen)
			}
		})
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
