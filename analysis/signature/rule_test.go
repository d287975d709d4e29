package signature_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// arbitrary returns a signature of k random lanes.
func arbitrary(rnd *rand.Rand, k int) *signature.Signature {
	s := &signature.Signature{
		Params: 7, Exact: rnd.Uint64() | 1, Simhash: rnd.Uint64(),
		Tokens: 200, Shingles: 197, Lanes: k, Sketch: make(sketch.Sketch, sketch.Words(k)),
	}
	for i := range k {
		s.Sketch.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

// near returns a signature at the thresholds of the rule from a, or up to 2 beyond;
// sometimes it changes something else on which a match depends.
func near(rnd *rand.Rand, rule signature.Rule, a *signature.Signature) *signature.Signature {
	b := *a
	b.Sketch = slices.Clone(a.Sketch)
	b.Exact++
	off := func(x, most int) int { return min(max(x+rnd.IntN(5)-2, 0), most) }
	for _, lane := range rnd.Perm(a.Lanes)[:off(a.Lanes-rule.Need(a.Lanes, a.Tokens), a.Lanes)] {
		b.Sketch[lane/8] ^= 1 << (lane%8*8 + rnd.IntN(8))
	}
	for _, bit := range rnd.Perm(64)[:off(rule.Bits(), 64)] {
		b.Simhash ^= 1 << bit
	}
	switch rnd.IntN(12) {
	case 0:
		b.Exact = a.Exact
	case 1:
		b.Tokens = uint64(max(1, rule.MinWords-1+rnd.IntN(3)))
		b.Shingles = 1 // as few as there can be
	case 6:
		b.Tokens += rnd.Uint64N(90)
	case 2:
		b = signature.Signature{Params: a.Params, Exact: b.Exact, Tokens: 2}
	case 3:
		b = signature.Signature{Params: a.Params}
	case 4:
		b.Params++
	case 5: // unrelated
		b = *arbitrary(rnd, a.Lanes)
	}
	return &b
}

func TestRule(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(81, 82))
	pairs := 20_000
	if testing.Short() {
		pairs = 2000
	}
	for _, mode := range []signature.Mode{"", signature.Either, signature.Both, signature.SketchOnly, signature.SimhashOnly, signature.ExactOnly} {
		yes, no := 0, 0
		for range pairs {
			k := []int{16, 64, 100, 101, 127, 200}[rnd.IntN(6)]
			rule := signature.Rule{
				Lanes:    []int{0, 0, 1, k / 2, k - 1, k, k + 1}[rnd.IntN(7)],
				Hamming:  []int{-1, 0, 3, 10, 64}[rnd.IntN(5)],
				MinWords: []int{0, -1, 20, 200}[rnd.IntN(4)],
				Mode:     mode,
			}
			rule.LongLanes = []int{0, 0, rule.Lanes, k - k/8, k}[rnd.IntN(5)]
			a := arbitrary(rnd, k)
			a.Tokens = []uint64{200, 200, 200, 200, 99, 60, 21, 20}[rnd.IntN(8)]
			if rnd.IntN(10) == 0 {
				a.Simhash = uint64(rnd.IntN(2)) // 0 means no features, and 1 is near it
			}
			b := near(rnd, rule, a)
			want := neartest.Duplicates(rule, a, b)
			checkMatch(t, rule, a, b, want)
			checkMatch(t, rule, b, a, want)
			if want {
				yes++
			} else {
				no++
			}
		}
		if min(yes, no) < pairs/20 {
			t.Errorf("mode %q: %d pairs match and %d do not: not a test", mode, yes, no)
		}
	}
}

func checkMatch(t *testing.T, rule signature.Rule, a, b *signature.Signature, want bool) {
	t.Helper()
	match, ok := rule.Match(a, b)
	if ok != want || rule.Duplicates(a, b) != want {
		t.Fatalf("%+v: Match is %v, Duplicates %v, want %v\n%+v\n%+v", rule, ok, rule.Duplicates(a, b), want, a, b)
	}
	if ok != (match.By != 0) {
		t.Fatalf("%+v: matches %v by %v", rule, ok, match.By)
	}
	if a.Params != b.Params || a.Tokens == 0 || b.Tokens == 0 {
		if match != (signature.Match{}) {
			t.Fatalf("%+v: got %+v of what cannot be compared", rule, match)
		}
		return
	}
	lanes := 0
	if a.Lanes == b.Lanes {
		lanes = neartest.Agree(a.Sketch, b.Sketch, a.Lanes)
	}
	if match.Agree != lanes || match.Hamming != bits.OnesCount64(a.Simhash^b.Simhash) || (match.By&signature.ByExact != 0) != (a.Exact == b.Exact && rule.Long(a) && rule.Long(b)) {
		t.Fatalf("%+v: got %+v, %d lanes agree\n%+v\n%+v", rule, match, lanes, a, b)
	}
}

// Match reports which tests were passed, among those that the mode asks for.
func TestReasons(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(83, 84))
	a := arbitrary(rnd, 100)
	of := func(lanes, bits int) *signature.Signature {
		b := *a
		b.Sketch = slices.Clone(a.Sketch)
		b.Exact++
		for i := range lanes {
			b.Sketch[i/8] ^= 1 << (i % 8 * 8)
		}
		b.Simhash ^= 1<<bits - 1
		return &b
	}
	const sketchAndSimhash = signature.BySketch | signature.BySimhash
	for _, tt := range []struct {
		lanes, bits          int // numbers that differ
		either, both         signature.Reason
		sketchOnly, simhOnly signature.Reason
	}{
		{10, 3, sketchAndSimhash, sketchAndSimhash, signature.BySketch, signature.BySimhash},
		{10, 4, signature.BySketch, 0, signature.BySketch, 0},
		{11, 3, signature.BySimhash, 0, 0, signature.BySimhash},
		{11, 4, 0, 0, 0, 0},
	} {
		for mode, want := range map[signature.Mode]signature.Reason{
			signature.Either: tt.either, signature.Both: tt.both,
			signature.SketchOnly: tt.sketchOnly, signature.SimhashOnly: tt.simhOnly,
		} {
			rule := signature.Rule{}
			rule.Mode = mode
			match, _ := rule.Match(a, of(tt.lanes, tt.bits))
			if match.By != want || match.Agree != 100-tt.lanes || match.Hamming != tt.bits {
				t.Errorf("%d lanes and %d bits differ, %s: got %+v, want by %q", tt.lanes, tt.bits, mode, match, want)
			}
		}
	}
}

// Nine tenths of the lanes, rounded up.
func TestNeed(t *testing.T) {
	t.Parallel()
	for k, want := range map[int]int{16: 15, 64: 58, 99: 90, 100: 90, 101: 91, 110: 99, 128: 116, 200: 180, 1024: 922} {
		if got := (signature.Rule{}).Need(k, 0); got != want {
			t.Errorf("of %d lanes: got %d, want %d", k, got, want)
		}
		if got := (signature.Rule{Lanes: 33}).Need(k, 0); got != 33 {
			t.Errorf("33 of %d lanes: got %d", k, got)
		}
	}
}

// A rule at its zero value is the default rule, and a member that is set leaves the others
// at their defaults.
func TestZeroRule(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(87, 88))
	a := arbitrary(rnd, 100)
	of := func(lanes, bits int) *signature.Signature {
		b := *a
		b.Sketch = slices.Clone(a.Sketch)
		b.Exact++
		for i := range lanes {
			b.Sketch[i/8] ^= 1 << (i % 8 * 8)
		}
		b.Simhash ^= 1<<bits - 1
		return &b
	}
	for _, tt := range []struct {
		rule        signature.Rule
		lanes, bits int // the most that may differ; -1 if the test is off
	}{
		{signature.Rule{}, 10, 3},
		{signature.Rule{Lanes: 80}, 20, 3},
		{signature.Rule{Hamming: 7}, 10, 7},
		{signature.Rule{Hamming: -1}, 10, 0},
		{signature.Rule{MinWords: 200}, 10, 3},
		{signature.Rule{MinWords: -1}, 10, 3},
		{signature.Rule{MinWords: 201}, -1, -1},
		{signature.Rule{Mode: signature.SketchOnly}, 10, -1},
		{signature.Rule{Mode: signature.SimhashOnly}, -1, 3},
		{signature.Rule{Mode: signature.ExactOnly}, -1, -1},
	} {
		for lanes := range 25 {
			for bits := range 10 {
				want := lanes <= tt.lanes || bits <= tt.bits
				b := of(lanes, bits)
				checkMatch(t, tt.rule, a, b, want)
				checkMatch(t, tt.rule.Normal(), a, b, want)
			}
		}
		equal := of(100, 60)
		equal.Exact = a.Exact
		checkMatch(t, tt.rule, a, equal, tt.rule.MinWords <= 200)
	}
	for _, same := range [][2]signature.Rule{
		{{}, {Hamming: 3, Mode: signature.Either, MinWords: -1}},
		{{Lanes: 80, Hamming: -1}, {Lanes: 80, Hamming: -1, Mode: signature.Either}},
	} {
		if same[0].Normal() != same[1].Normal() {
			t.Errorf("%+v and %+v mean the same: got %+v and %+v", same[0], same[1], same[0].Normal(), same[1].Normal())
		}
	}
}

// The number of lanes rises with the length of the longer text, and by no more than one where a word is added.
func TestLongLanes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule signature.Rule
		want map[uint64]int
	}{
		{signature.Rule{Lanes: 92, LongLanes: 143}, map[uint64]int{0: 92, 20: 92, 21: 93, 60: 118, 99: 143, 100: 143, 1 << 40: 143}},
		{signature.Rule{LongLanes: 137}, map[uint64]int{20: 135, 21: 136, 60: 136, 61: 137}},
		{signature.Rule{Lanes: 92}, map[uint64]int{0: 92, 1000: 92}},
		{signature.Rule{Lanes: 92, LongLanes: 50}, map[uint64]int{0: 92, 1000: 92}},
	} {
		for words, want := range tt.want {
			if got := tt.rule.Need(150, words); got != want {
				t.Errorf("%+v, %d words: got %d, want %d", tt.rule, words, got, want)
			}
		}
		for words := range uint64(120) {
			if rise := tt.rule.Need(150, words+1) - tt.rule.Need(150, words); rise < 0 || rise > 1 {
				t.Errorf("%+v, %d words: one more makes %d lanes more", tt.rule, words, rise)
			}
		}
	}
}

// Stuffed pages repeat what they are stuffed with. However often they do, they are copies:
// the set of shingles is the same, and so are all lanes and the simhash.
func TestStuffed(t *testing.T) {
	t.Parallel()
	var all []signature.Signature
	for _, n := range []int{5, 6, 20, 200} {
		all = append(all, signature.Of(signature.DefaultParams(), []byte(strings.Repeat("maui resort ", n))))
	}
	for i := range all {
		for j := range i {
			match, ok := signature.Rule{}.Match(&all[i], &all[j])
			if !ok || match.Agree != 100 || match.Hamming != 0 || match.By != signature.BySketch|signature.BySimhash {
				t.Errorf("%d and %d words: got %+v, %v", all[i].Tokens, all[j].Tokens, match, ok)
			}
		}
	}
}

// Documents that have shingles but no feature of the simhash, which happens if features are
// wider, must not match by their common simhash 0.
func TestNoFeatures(t *testing.T) {
	t.Parallel()
	p := signature.Params{Width: 4, Lanes: 100, SimhashWidth: 16}
	a := signature.Of(p, []byte("a b c d e f g h i j k l m"))
	b := signature.Of(p, []byte("n o p q r s t u v w x y z"))
	for _, mode := range []signature.Mode{signature.Either, signature.SimhashOnly} {
		rule := signature.Rule{}
		rule.Mode = mode
		if match, ok := rule.Match(&a, &b); ok || rule.Duplicates(&a, &b) {
			t.Errorf("%s: got %+v for texts that have nothing in common", mode, match)
		}
	}
}

// Documents that share one shingle, however often they repeat it, have little resemblance.
// Counted by occurrence it outvotes all others together, and both simhashes are its
// fingerprint: this made 128,207 unlike pairs in the Enron spam.
func TestRepetition(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(85, 86))
	line := slices.Repeat([]string{"na"}, 200)
	a := signature.Of(signature.DefaultParams(), plain(append(words(rnd, 100, 1<<20), line...)))
	b := signature.Of(signature.DefaultParams(), plain(append(words(rnd, 100, 1<<20), line...)))
	if match, ok := (signature.Rule{}).Match(&a, &b); ok {
		t.Errorf("got %+v for texts of 100 words of their own", match)
	}
}
