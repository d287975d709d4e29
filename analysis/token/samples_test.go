package token

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func TestFingerprints(t *testing.T) {
	t.Parallel()
	const text = "A rose is a rose is a rose"
	seen := map[string]bool{}
	for _, f := range signature.Fingerprints() {
		set := terms(build(t, map[string]any{"type": Shingle, "fingerprint": string(f)}).Filter(words(text)))
		bag := terms(build(t, map[string]any{"type": Shingle, "fingerprint": string(f), "bag": true}).Filter(words(text)))
		if len(set) != 3 || len(bag) != 5 {
			t.Errorf("%s: got %d terms, %d with multiplicity, want 3, 5", f, len(set), len(bag))
		}
		for _, term := range set {
			if !slices.Contains(bag, term) {
				t.Errorf("%s: a first copy has another term with multiplicity: %q, %q", f, set, bag)
			}
			if seen[term] {
				t.Errorf("%s: %s comes from another kind of fingerprint too", f, term)
			}
			seen[term] = true
		}
		for _, term := range bag {
			if strings.HasPrefix(term, "000000") != (f == signature.Rabin40) || len(term) != 16 {
				t.Errorf("%s: got %q", f, term)
			}
		}
		if f == signature.XXHash64 && !slices.Contains(set, fmt.Sprintf("%016x", xxhash.Sum64String("rose is a rose"))) {
			t.Errorf("%q has not the xxHash64 of the words", set)
		}
	}
}

// set returns the set of terms, in the form of the oracles.
func set(stream analysis.TokenStream) map[string]struct{} {
	return neartest.Shingles(terms(stream), 1)
}

// Samples of every kind of fingerprint estimate without bias: mod m the resemblance and the
// containment, bottom s the resemblance (Broder 1997, section 3). Linear fingerprints are
// sampled as they are.
func TestSamplesUnbiased(t *testing.T) {
	t.Parallel()
	const seeds = 20.
	rnd := rand.New(rand.NewPCG(71, 72))
	all := make([]string, 400)
	for i := range all {
		all[i] = fmt.Sprint("w", rnd.IntN(60))
	}
	longer := slices.Clone(all)
	for range 20 {
		longer[rnd.IntN(len(all))] = "changed"
	}
	longer = append(longer, all[:120]...)
	for _, f := range signature.Fingerprints() {
		for _, bag := range []bool{false, true} {
			of := neartest.Shingles
			if bag {
				of = neartest.Bag
			}
			a, b := of(all, 3), of(longer, 3)
			r, c := neartest.Resemblance(a, b), neartest.Containment(a, b)
			var mod, bottom, contained, share float64
			for seed := range int(seeds) {
				config := map[string]any{"type": Shingle, "width": 3, "fingerprint": string(f), "bag": bag, "seed": seed, "sample": "mod", "m": 5}
				filter := build(t, config)
				va, vb := set(filter.Filter(words(strings.Join(all, " ")))), set(filter.Filter(words(strings.Join(longer, " "))))
				mod += neartest.Resemblance(va, vb) / seeds
				contained += neartest.Containment(va, vb) / seeds
				share += float64(len(va)) / float64(len(a)) / seeds

				config["sample"], config["s"] = "bottom", 100
				filter = build(t, config)
				bottom += bottomEstimate(filter.Filter(words(strings.Join(all, " "))), filter.Filter(words(strings.Join(longer, " "))), 100) / seeds
			}
			for _, e := range []struct {
				what      string
				got, want float64
				n         float64 // of elements on which the estimate is based
			}{
				{"share of mod 5", share, .2, float64(len(a))},
				{"resemblance, mod 5", mod, r, float64(len(b)) / 5},
				{"containment, mod 5", contained, c, float64(len(a)) / 5},
				{"resemblance, bottom 100", bottom, r, 100},
			} {
				stderr := math.Sqrt(e.want * (1 - e.want) / e.n / seeds)
				if math.Abs(e.got-e.want) > 4*stderr {
					t.Errorf("%s, bag %v: %s: got %.4f, want %.4f within %.4f", f, bag, e.what, e.got, e.want, 4*stderr)
				}
			}
		}
	}
}

// bottomEstimate is Broder's: the share of the s smallest of both samples that both have.
func bottomEstimate(a, b analysis.TokenStream, s int) float64 {
	union := slices.Concat(terms(a), terms(b))
	slices.Sort(union)
	union = slices.Compact(union)[:s]
	inA, inB := set(a), set(b)
	both := 0
	for _, term := range union {
		_, x := inA[term]
		_, y := inB[term]
		if x && y {
			both++
		}
	}
	return float64(both) / float64(s)
}
