package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
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
			seen := map[string]int{}
			labels := []admission.Label{admission.Spam, admission.Spam, admission.Spam, admission.Wanted}
			rounds := 12
			if testing.Short() {
				rounds = 8
			}
			for round := range rounds {
				changed := map[string]*admission.Mark{} // nil if it is removed
				for range 1 + rnd.IntN(test.most/4) {
					name := fmt.Sprint("m", rnd.IntN(test.most))
					if rnd.IntN(4) == 0 {
						changed[name] = nil
						delete(marks, name)
						continue
					}
					sig := signature.Of(signature.DefaultParams(), []byte(spoiled(rnd, rnd.IntN(test.families))))
					marks[name] = admission.Mark{Name: name, Label: labels[rnd.IntN(4)], Signature: &sig}
					m := marks[name]
					changed[name] = &m
				}
				for name, m := range changed {
					var err error
					if m == nil {
						err = typed(x).Unmark(t.Context(), name)
					} else {
						err = typed(x).SetMark(t.Context(), *m)
					}
					if err != nil {
						t.Fatal(err)
					}
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

// What would be taken for the place of marks is an error in a batch, and nothing is written.
func TestForeignMarks(t *testing.T) {
	t.Parallel()
	const others = "wanted SetMark to write it, got a batch that does"
	for name, tt := range map[string]struct {
		values   map[string][]byte
		document bool
		want     string
	}{
		"with a document": {map[string][]byte{"neardup/marks": {1}}, true, others},
		"alone":           {map[string][]byte{"neardup/marks": {1}}, false, others},
		"removed":         {map[string][]byte{"neardup/marks": nil, "own": {1}}, true, others},
	} {
		x := newIndex(t, "")
		setPolicy(t, x, admission.Policy{Known: admission.Reject})
		b := x.NewBatch()
		for key, value := range tt.values {
			b.SetInternal([]byte(key), value)
		}
		if tt.document {
			if err := b.Index("a", map[string]any{"body": "one"}); err != nil {
				t.Fatal(err)
			}
		}
		_, dry := plugin.DryRun(context.Background(), x, b)
		for how, err := range map[string]error{"written": x.Batch(b), "tried out": dry} {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: got %v, want %s", name, how, err, tt.want)
			}
		}
		if n, err := x.DocCount(); n != 0 || err != nil {
			t.Errorf("%s: %d documents, %v", name, n, err)
		}
		if all, err := typed(x).Marks(); len(all) != 0 || err != nil {
			t.Errorf("%s: %d marks, %v", name, len(all), err)
		}
		if err := typed(x).Unmark(context.Background(), "x"); err != nil {
			t.Fatal(err)
		}
		if err := x.Index("a", map[string]any{"body": "one"}); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
}
