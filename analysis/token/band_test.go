package token

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

func shared(a, b []string) (n int) {
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}

func text(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "word%d ", i*7919%10007)
	}
	return b.String()
}

// Texts with the same numbers share the terms that they share without the option, and texts
// with other numbers share none.
func TestBandNumbers(t *testing.T) {
	t.Parallel()
	f, err := newBand(map[string]any{"numbers": "equal"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := text(0, 300)
	a, b, c := terms(f.Filter(words(long+" 7"))), terms(f.Filter(words("x "+long+" 7"))), terms(f.Filter(words("x "+long+" 8")))
	if shared(a, b) == 0 || shared(a, c) > 0 || shared(b, c) > 0 {
		t.Errorf("%d terms are shared with the same numbers, %d and %d with others", shared(a, b), shared(a, c), shared(b, c))
	}
}

func TestBand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   int
	}{
		{nil, 11 + 4},
		{map[string]any{"agree": 80, "hamming": 7}, 21 + 8},
		{map[string]any{"lanes": 200, "hamming": 0}, 21 + 1},
		{map[string]any{"agree": 100}, 1 + 4},
		{map[string]any{"fingerprint": "rabin40", "bag": true, "simhash_weight": "log"}, 11 + 4},
		{map[string]any{"fingerprint": "xxhash64"}, 11 + 4},
	} {
		f, err := newBand(tt.config, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := terms(f.Filter(words(text(0, 300))))
		if len(a) != tt.want {
			t.Errorf("%v: got %d terms, want %d", tt.config, len(a), tt.want)
		}
		for _, term := range a {
			if len(term) != 10 {
				t.Errorf("%v: got the term %q, want 10 digits", tt.config, term)
			}
		}
		if sorted := slices.Sorted(slices.Values(a)); len(slices.Compact(sorted)) != len(a) {
			t.Errorf("%v: a term stands twice in %q", tt.config, a)
		}
		if other := terms(f.Filter(words(text(5000, 5300)))); shared(a, other) > 0 {
			t.Errorf("%v: unrelated texts share %d terms", tt.config, shared(a, other))
		}
		if near := terms(f.Filter(words(text(0, 301)))); shared(a, near) == 0 && tt.want > 5 {
			t.Errorf("%v: near-copies share no term", tt.config)
		}
	}
}

// Two signatures just within the rule share a term wherever they differ.
func TestNoMiss(t *testing.T) {
	t.Parallel()
	base := signature.Of(signature.DefaultParams(), []byte(text(0, 400)))
	plan := Plan{Bands: 11, Blocks: 4}
	want := terms(plan.Terms(&base, 0))
	for start := range 100 {
		for step := 1; step <= 10; step++ {
			near := base
			near.Simhash = ^base.Simhash
			near.Sketch = slices.Clone(base.Sketch)
			for i := range 10 {
				lane := (start + i*step) % 100
				near.Sketch[lane/8] ^= 1 << (lane % 8 * 8)
			}
			if sketch.Differ(near.Sketch, base.Sketch) > 10 {
				t.Fatal("more lanes differ than meant")
			}
			if shared(want, terms(plan.Terms(&near, 0))) == 0 {
				t.Fatalf("lanes %d, %d, ... differ: no term in common", start, start+step)
			}
		}
	}
	for a := range 64 {
		for b := range 64 {
			near := base
			near.Sketch = make(sketch.Sketch, len(base.Sketch))
			near.Simhash ^= 1<<a | 1<<b | 1<<(a*b%64)
			if shared(want, terms(plan.Terms(&near, 0))) == 0 {
				t.Fatalf("simhashes differ in bits %d, %d, %d: no term in common", a, b, a*b%64)
			}
		}
	}
}

func TestBandErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"agree": 101}, `neardup_band: agree: wanted a whole number from 1 to 100, got int "101"`},
		{map[string]any{"lanes": 1024, "agree": 10}, `neardup_band: agree: wanted a whole number from 833 to 1024`},
		{map[string]any{"hamming": 32}, `neardup_band: hamming: wanted a whole number from 0 to 31`},
		{map[string]any{"simhash_weight": "tf"}, `neardup_band: simhash_weight: wanted one of ["distinct" "count" "log"], or the name of a function that signature.RegisterWeight got before, got string "tf"`},
		{map[string]any{"fingerprint": 64}, `neardup_band: fingerprint: wanted one of ["polynomial" "xxhash64" "rabin64" "rabin40"], got int "64"`},
		{map[string]any{"lane": 100}, `neardup_band: lane: wanted one of the keys`},
	} {
		if _, err := newBand(tt.config, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

func TestBandShort(t *testing.T) {
	t.Parallel()
	f, err := newBand(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, again := terms(f.Filter(words("too short"))), terms(f.Filter(words("too short")))
	if len(short) != 1 || !slices.Equal(short, again) || !strings.HasPrefix(short[0], "ff") {
		t.Errorf("got %q and %q, want one term that begins with ff", short, again)
	}
	if other := terms(f.Filter(words("too long"))); slices.Equal(short, other) {
		t.Errorf("got %q for another text too", other)
	}
	if got := f.Filter(nil); len(got) != 0 {
		t.Errorf("no token: got %q", terms(got))
	}
}

// A plan is enough for rules that are at least as strict, by the tests that they make.
func TestCheck(t *testing.T) {
	t.Parallel()
	p := Plan{Bands: 11, Blocks: 4} // 90 of 100, 3
	for _, tt := range []struct {
		rule signature.Rule
		ok   bool
	}{
		{signature.Rule{}, true},
		{signature.Rule{Lanes: 90, Hamming: 3}, true},
		{signature.Rule{Lanes: 89, Hamming: 3}, false},
		{signature.Rule{Lanes: 90, Hamming: 4}, false},
		{signature.Rule{Lanes: 90, Hamming: 64, Mode: signature.SketchOnly}, true},
		{signature.Rule{Lanes: 89, Mode: signature.SketchOnly}, false},
		{signature.Rule{Lanes: 1, Hamming: 3, Mode: signature.SimhashOnly}, true},
		{signature.Rule{Hamming: 4, Mode: signature.SimhashOnly}, false},
		{signature.Rule{Lanes: 1, Hamming: 3, Mode: signature.Both}, true},
		{signature.Rule{Lanes: 90, Hamming: 64, Mode: signature.Both}, true},
		{signature.Rule{Lanes: 89, Hamming: 4, Mode: signature.Both}, false},
	} {
		if err := p.Check(tt.rule, 100); (err == nil) != tt.ok {
			t.Errorf("%+v: got error %v, want it to be enough: %v", tt.rule, err, tt.ok)
		}
	}
}

func Example_band() {
	f, err := newBand(nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range f.Filter(words("a rose is a rose is a rose")) {
		fmt.Printf("%d %s\n", t.Position, t.Term)
	}
	// Output:
	// 1 001c65463c
	// 2 0196f5fda6
	// 3 02805358ca
	// 4 033fdbbff1
	// 5 04c37dcaa7
	// 6 05b699c85d
	// 7 067aeed5eb
	// 8 07c0739e1c
	// 9 08672a5a3f
	// 10 0923a0e654
	// 11 0a22b80284
	// 12 c0000064c1
	// 13 c10000d3f5
	// 14 c20000a07f
	// 15 c300003152
}
