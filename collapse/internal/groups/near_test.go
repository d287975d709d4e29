package groups

import (
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// TestNear compares lookups with a loop over all heads, by several rules.
func TestNear(t *testing.T) {
	t.Parallel()
	var signatures []*signature.Signature
	for i, d := range neartest.Shipped(t) {
		if i%2 == 0 && len(signatures) < 100 {
			s := signature.Of(signature.DefaultParams(), []byte(d.Text))
			signatures = append(signatures, &s)
		}
	}
	signatures = append(signatures, new(signature.Signature))
	for _, text := range []string{"two words", "Two words!", "other words"} {
		s := signature.Of(signature.DefaultParams(), []byte(text))
		signatures = append(signatures, &s)
	}
	for _, mode := range []signature.Mode{(signature.Rule{}).Mode, signature.SketchOnly, signature.SimhashOnly, signature.Both} {
		for _, lanes := range []int{0, 60, 100} {
			for _, hamming := range []int{0, 3, 5} {
				rule := signature.Rule{}
				rule.Mode, rule.Lanes, rule.Hamming = mode, lanes, hamming
				for _, n := range []int{1, 1000} { // with and without growing
					near := newNear(rule, n)
					var heads []*signature.Signature
					for i, s := range signatures {
						want := -1
						for at, h := range heads {
							if neartest.Duplicates(rule, h, s) {
								want = at
								break
							}
						}
						if got := near.First(s); got != want {
							t.Fatalf("%+v: signature %d: wanted head %d, got %d", rule, i, want, got)
						}
						if want < 0 || i%50 == 0 {
							heads = append(heads, s)
							near.Add(s)
						}
					}
					near.release()
				}
			}
		}
	}
}

// A near is for a thousand heads, and for simhashes of few enough blocks, where the rule looks
// at simhashes alone: else there is a table.
func TestNewNear(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule signature.Rule
		n    int
		want bool
	}{
		{signature.Rule{}, mostNear, true},
		{signature.Rule{}, mostNear + 1, false},
		{signature.Rule{Hamming: 5}, 1, true},
		{signature.Rule{Hamming: 6}, 1, false},
		{signature.Rule{Hamming: 6, Mode: signature.SimhashOnly}, 1, false},
		{signature.Rule{Hamming: 6, Mode: signature.SketchOnly}, 1, true},
		{signature.Rule{Hamming: 6, Mode: signature.Both}, 1, true},
	} {
		near := newNear(tt.rule, tt.n)
		if got := near != nil; got != tt.want {
			t.Errorf("%+v, %d heads: got a near: %v, want %v", tt.rule, tt.n, got, tt.want)
		}
		if near != nil {
			near.release()
		}
	}
}
