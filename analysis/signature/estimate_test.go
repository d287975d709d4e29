package signature_test

import (
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// The estimates agree with the lanes and the sizes.
func TestEstimates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(67, 68))
	p := signature.DefaultParams()
	text := words(rnd, 500, 1<<30)
	a, b := signature.Of(p, plain(text)), signature.Of(p, plain(text[:400]))
	r, ok := a.Resemblance(&b)
	if want := sketch.Resemblance(a.Sketch, b.Sketch, 100, 497, 397); !ok || r != want || r.Value < .65 || r.Value > .95 {
		t.Errorf("got %v, %v, want %v", r, ok, want)
	}
	aInB, bInA, ok := a.Containment(&b)
	if wantA, wantB := r.Containment(497, 397); !ok || aInB != wantA || bInA != wantB {
		t.Errorf("got %v, %v, %v, want %v, %v", aInB, bInA, ok, wantA, wantB)
	}
	other := signature.Of(p, plain(words(rnd, 500, 1<<30)))
	if r, ok := a.Resemblance(&other); r.Value > .04 || !ok {
		t.Errorf("with another: got %v, %v", r, ok)
	}
}

// The estimate of an edited text has a standard error, even if all lanes agree; so has that of
// unrelated texts.
func TestEditedEstimates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(69, 70))
	p := signature.DefaultParams()
	all, none := 0, 0
	for range 40 {
		text := words(rnd, 3000, 1<<30)
		a, b := signature.Of(p, plain(text)), signature.Of(p, plain(text[1:]))
		other := signature.Of(p, plain(words(rnd, 500, 1<<30)))
		r, _ := a.Resemblance(&b)
		aInB, bInA, _ := a.Containment(&b)
		s, _ := a.Resemblance(&other)
		if r.Value == 1 {
			all++
		}
		if s.Value == 0 {
			none++
		}
		for _, e := range []sketch.Estimate{r, aInB, bInA, s} {
			if e.StdErr < .0009 || e.String() == "1.00 ± 0.00" {
				t.Errorf("got %s, %+v", e, e)
			}
		}
	}
	if all == 0 || none == 0 {
		t.Errorf("%d pairs agree in all lanes and %d in none, want some", all, none)
	}
}

// Equal texts are known to be equal, whatever their lanes. About other texts without a
// sketch nothing is known.
func TestExactEstimates(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	exact := sketch.Estimate{Value: 1}
	long, short, none := signature.Of(p, []byte("one two three four five")), signature.Of(p, []byte("one two")), signature.Of(p)
	p.Seed = 1
	seeded := signature.Of(p, []byte("one two"))
	for _, tt := range []struct {
		name string
		a, b signature.Signature
		ok   bool
	}{
		{"long", long, long, true},
		{"short", short, short, true},
		{"long and short", long, short, false},
		{"no text", none, none, false},
		{"short and none", short, none, false},
		{"another seed", short, seeded, false},
	} {
		r, ok := tt.a.Resemblance(&tt.b)
		aInB, bInA, also := tt.a.Containment(&tt.b)
		if ok != tt.ok || also != tt.ok || ok && (r != exact || aInB != exact || bInA != exact) {
			t.Errorf("%s: got %v, %v; %v, %v, %v", tt.name, r, ok, aInB, bInA, also)
		}
	}
}
