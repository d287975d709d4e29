package signature_test

import (
	"fmt"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Over fills in member by member, and Explicit leaves nothing to be filled in and changes nothing.
func TestRuleOver(t *testing.T) {
	t.Parallel()
	var rules []signature.Rule
	for _, lanes := range []int{0, 1, 90} {
		for _, hamming := range []int{0, -1, 5} {
			for _, mode := range []signature.Mode{"", signature.Either, signature.Both, signature.ExactOnly} {
				for _, words := range []int{0, -1, 7} {
					for _, long := range []int{0, 50, 95} {
						rules = append(rules, signature.Rule{Lanes: lanes, LongLanes: long, Hamming: hamming, Mode: mode, MinWords: words})
					}
				}
			}
		}
	}
	for _, r := range rules {
		full := r.Explicit(100)
		if full.Need(100, 0) != r.Need(100, 0) || full.Need(100, 70) != r.Need(100, 70) || full.Bits() != r.Bits() || full.Normal().Mode != r.Normal().Mode || full.Normal().MinWords != r.Normal().MinWords {
			t.Errorf("%+v: Explicit makes another rule of it: %+v", r, full)
		}
		for _, base := range rules {
			got, want := r.Over(base), r
			if want.Lanes == 0 {
				want.Lanes = base.Lanes
				if want.LongLanes == 0 {
					want.LongLanes = base.LongLanes
				}
			}
			if want.Hamming == 0 {
				want.Hamming = base.Hamming
			}
			if want.Mode == "" {
				want.Mode = base.Mode
			}
			if want.MinWords == 0 {
				want.MinWords = base.MinWords
			}
			if got != want {
				t.Fatalf("%+v over %+v: got %+v, want %+v", r, base, got, want)
			}
			if full.Over(base) != full {
				t.Fatalf("%+v: over %+v it is %+v", full, base, full.Over(base))
			}
		}
	}
}

func ExampleRule_Over() {
	field := signature.Rule{Lanes: 62, LongLanes: 90, MinWords: 5}
	fmt.Printf("%+v\n", signature.Rule{Hamming: 2}.Over(field))
	literature := signature.Rule{}.Explicit(100)
	fmt.Printf("%+v\n", literature.Over(field))
	// Output:
	// {Lanes:62 LongLanes:90 Hamming:2 Mode: MinWords:5}
	// {Lanes:90 LongLanes:0 Hamming:3 Mode:either MinWords:-1}
}
