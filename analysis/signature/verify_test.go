package signature_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// The lanes of a Verify are the most at which no more than one pair of a thousand is missed, by the
// binomial distribution in whole numbers.
func TestVerifyLanes(t *testing.T) {
	t.Parallel()
	for _, k := range []int{16, 100, 150} {
		for _, percent := range []int64{30, 50, 67, 80, 90, 95, 99, 100} {
			got := signature.Verify{Resemblance: float64(percent) / 100}.Lanes(k)
			all := new(big.Int).Exp(big.NewInt(100), big.NewInt(int64(k)), nil)
			missed := func(lanes int) bool { // of 1,000 pairs, more than one
				below := new(big.Int)
				for i := range lanes {
					n := new(big.Int).Binomial(int64(k), int64(i))
					n.Mul(n, new(big.Int).Exp(big.NewInt(percent), big.NewInt(int64(i)), nil))
					n.Mul(n, new(big.Int).Exp(big.NewInt(100-percent), big.NewInt(int64(k-i)), nil))
					below.Add(below, n)
				}
				return below.Mul(below, big.NewInt(1000)).Cmp(all) > 0
			}
			if got > 1 && missed(got) || got < k && !missed(got+1) {
				t.Errorf("resemblance .%d of %d lanes: got %d", percent, k, got)
			}
		}
	}
}

// What is proposed contains what the rule accepts, and what agrees in the lanes.
func TestVerifyProposes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	accepted := 0
	for range 20_000 {
		a := signature.Of(signature.DefaultParams(), []byte("one two three four five six seven"))
		b := a
		b.Sketch = append(b.Sketch[:0:0], a.Sketch...)
		for _, lane := range rnd.Perm(100)[:rnd.IntN(60)] {
			b.Sketch[lane/8] ^= 1 << (lane % 8 * 8)
		}
		b.Exact, b.Simhash = a.Exact^uint64(rnd.IntN(2)), a.Simhash^rnd.Uint64N(32)
		rule := signature.Rule{
			Mode:  []signature.Mode{"", signature.Both, signature.SketchOnly, signature.SimhashOnly, signature.ExactOnly}[rnd.IntN(5)],
			Lanes: []int{0, 60, 95}[rnd.IntN(3)],
		}
		v := signature.Verify{Resemblance: []float64{0, .5, .8, 1}[rnd.IntN(4)], Contained: true}
		proposed := neartest.Duplicates(v.Proposes(rule, 100), &a, &b)
		by := neartest.Duplicates(rule, &a, &b)
		near := v.Resemblance > 0 && neartest.Agree(a.Sketch, b.Sketch, 100) >= v.Lanes(100)
		if (by || near) && !proposed || proposed && v.Resemblance == 0 && !by {
			t.Fatalf("%+v, %+v: accepted %v, in the lanes %v, proposed %v", v, rule, by, near, proposed)
		}
		if proposed && !by {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("%d proposed that the rule does not accept: this test shows little", accepted)
	}
}

func TestVerifyConfirms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v            signature.Verify
		shared, a, b int
		want         bool
	}{
		{signature.Verify{Resemblance: .8}, 80, 90, 90, true},
		{signature.Verify{Resemblance: .8}, 79, 90, 89, false},
		{signature.Verify{Resemblance: .56}, 56, 100, 56, true},
		{signature.Verify{Resemblance: .57}, 56, 100, 56, false},
		{signature.Verify{Resemblance: .57, Contained: true}, 56, 100, 56, true},
		{signature.Verify{Contained: true}, 56, 56, 100, true},
		{signature.Verify{Contained: true}, 55, 56, 100, false},
		{signature.Verify{Resemblance: 1}, 3, 3, 3, true},
		{signature.Verify{Resemblance: 1, Contained: true}, 0, 0, 3, false},
		{signature.Verify{}, 3, 3, 3, false},
	} {
		if got := tt.v.Confirms(tt.shared, tt.a, tt.b); got != tt.want {
			t.Errorf("%+v: %d shared of %d and %d: got %v", tt.v, tt.shared, tt.a, tt.b, got)
		}
	}
	for r, want := range map[float64]string{-1: "got -1", .29: "wanted 0.3 to 1, or 0, got 0.29", 1.01: "got 1.01"} {
		if err := (signature.Verify{Resemblance: r}).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("resemblance %v: got error %v", r, err)
		}
	}
}
