package signature_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// combinations returns parameters that combine every value of one method with every value
// of the others.
func combinations() (all []signature.Params) {
	for _, f := range signature.Fingerprints() {
		for _, w := range []signature.Weight{signature.WeightDistinct, signature.WeightCount, signature.WeightLog} {
			for _, bag := range []bool{false, true} {
				for _, width := range []int{1, 4} {
					all = append(all, signature.Params{
						Width: 4, Lanes: 100, SimhashWidth: width, SimhashWeight: w, Fingerprint: f, Bag: bag, Seed: uint64(width) - 1,
					})
				}
			}
		}
	}
	return all
}

// read returns the folded tokens of a text.
func read(text []byte) (all []string) {
	for _, t := range token.Split(text) {
		all = append(all, string(t.Term))
	}
	return all
}

// The examples of the literature for shingles with multiplicity, as sizes and
// intersections of the sets that a Maker keeps.
func TestBag(t *testing.T) {
	t.Parallel()
	const rose, flower = "a rose is a rose is a rose", "a rose is a flower which is a rose"
	for _, f := range signature.Fingerprints() {
		for _, tt := range []struct {
			a, b         string
			width        int
			both, either int
		}{
			{rose, flower, 1, 7, 10},
			{rose, flower, 2, 5, 10},
			{rose, flower, 3, 3, 10},
			{rose, rose + " " + rose, 1, 8, 16},
		} {
			p := signature.Params{Width: tt.width, Lanes: 100, SimhashWidth: 4, Fingerprint: f, Bag: true}
			m := newMaker(t, p)
			m.Text([]byte(tt.a))
			a := slices.Clone(m.Shingles())
			m.Reset()
			m.Text([]byte(tt.b))
			b := m.Shingles()
			both := 0
			for _, one := range a {
				if slices.Contains(b, one) {
					both++
				}
			}
			if both != tt.both || len(a)+len(b)-both != tt.either {
				t.Errorf("%s, width %d: %q and %q: got %d of %d, want %d of %d", f, tt.width, tt.a, tt.b, both, len(a)+len(b)-both, tt.both, tt.either)
			}
		}
	}
}

// Shingles returns the numbers that other programs would compute: xxHash64 of the words,
// Rabin fingerprints before they are mixed.
func TestShinglesOfKind(t *testing.T) {
	t.Parallel()
	key := token.NewKey(0)
	var hashes []uint64
	for _, w := range []string{"a", "rose", "is", "red"} {
		hashes = append(hashes, key.Hash([]byte(w)))
	}
	polynomial := shingle.NewWindows(3, 0)
	for _, p := range combinations() {
		p.Width, p.Seed = 3, 0
		m := newMaker(t, p)
		m.Text([]byte("A rose is RED."))
		var want []uint64
		switch n := degree(p); {
		case p.Fingerprint == signature.XXHash64:
			want = []uint64{xxhash.Sum64String("a rose is"), xxhash.Sum64String("rose is red")}
		case n > 0:
			w := rabin.NewWindows(rabin.Random(n, 0), 3)
			want = w.Append(nil, hashes)
		default:
			want = polynomial.Append(nil, hashes)
		}
		if got := m.Shingles(); !slices.Equal(got, want) {
			t.Errorf("%+v: got %x, want %x", p, got, want)
		}
		// Copies have other numbers, with as many bits.
		m.Text([]byte(strings.Repeat("a rose is red. ", 300)))
		for _, f := range m.Shingles() {
			if degree(p) == 40 && f >= 1<<40 {
				t.Fatalf("%+v: %x has more than 40 bits", p, f)
			}
		}
	}
}

// The lanes stay unbiased whatever makes the fingerprints: the mean of many
// estimates is the exact resemblance, and they vary no more than independent
// permutations would make them.
func TestUnbiased(t *testing.T) {
	t.Parallel()
	const n = 80
	for _, f := range signature.Fingerprints() {
		for _, bag := range []bool{false, true} {
			rnd := rand.New(rand.NewPCG(59, 60))
			var e estimates
			for seed := range uint64(n) {
				p := signature.DefaultParams()
				p.Fingerprint, p.Bag, p.Seed = f, bag, seed
				all := words(rnd, 300, 150)
				changed := slices.Clone(all)
				for range 1 + rnd.IntN(30) {
					changed[rnd.IntN(len(all))] = "changed"
				}
				of := neartest.Shingles
				if bag {
					all, changed = append(all, all[:100]...), append(changed, changed[:50]...)
					of = neartest.Bag
				}
				want := neartest.Resemblance(of(all, p.Width), of(changed, p.Width))
				a, b := signature.Of(p, plain(all)), signature.Of(p, plain(changed))
				got, ok := a.Resemblance(&b)
				if !ok {
					t.Fatal("no estimate")
				}
				e.add(got.Value-want, want*(1-want)/100)
			}
			what := fmt.Sprintf("%s, bag %v", f, bag)
			e.check(t, what)
			if ratio := e.squares / e.binomial; ratio > 1+4*math.Sqrt(2/e.n) {
				t.Errorf("%s: the variance is %.3f of that of independent lanes", what, ratio)
			}
		}
	}
}

// Text is dropped as soon as its shingles are made: a Maker keeps a bounded amount after a
// document with long tokens.
func TestLongTokens(t *testing.T) {
	p := signature.DefaultParams()
	p.Fingerprint = signature.XXHash64
	m := newMaker(t, p)
	long := strings.Repeat("x", 1<<20)
	want := naive(p, []string{long, "a", "b", long, "c"}, []string{long})
	m.Text([]byte(long + " a b " + long + " c"))
	m.Text([]byte(long))
	checkEqual(t, "long tokens", m.Signature(), want)
	m.Text([]byte("short"))
	m.Signature()

	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the second empties pools
	runtime.ReadMemStats(&before)
	runtime.KeepAlive(m)
	m = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(before.HeapAlloc) - int64(after.HeapAlloc); kept > 1<<20 {
		t.Errorf("the Maker kept %d bytes", kept)
	}
}

// The first byte chooses the parameters; the text is cut into two values.
func FuzzCombinations(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte(""))
	f.Add(uint8(17), uint8(9), []byte("A rose is a rose is a rose; a rose is a rose."))
	f.Add(uint8(40), uint8(200), []byte("日本語 naïve don’t 3.14 ___ a_b \xff\u00adx"))
	f.Fuzz(func(t *testing.T, which, cut uint8, text []byte) {
		all := combinations()
		p := all[int(which)%len(all)]
		at := min(int(cut), len(text))
		a, b := text[:at], text[at:]
		checkEqual(t, fmt.Sprintf("%+v: %q, %q", p, a, b), signature.Of(p, a, b), naive(p, read(a), read(b)))
	})
}

// One method differs from the default at a time.
func BenchmarkVariants(b *testing.B) {
	const size = 3000
	docs := english(b, size)
	for _, bb := range []struct {
		name   string
		change func(*signature.Params)
	}{
		{"default", func(*signature.Params) {}},
		{"xxhash64", func(p *signature.Params) { p.Fingerprint = signature.XXHash64 }},
		{"rabin64", func(p *signature.Params) { p.Fingerprint = signature.Rabin64 }},
		{"rabin40", func(p *signature.Params) { p.Fingerprint = signature.Rabin40 }},
		{"bag", func(p *signature.Params) { p.Bag = true }},
		{"log", func(p *signature.Params) { p.SimhashWeight = signature.WeightLog }},
		{"numbers", func(p *signature.Params) { p.Numbers = signature.NumbersEqual }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			p := signature.DefaultParams()
			bb.change(&p)
			b.SetBytes(size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				signature.Of(p, docs[i%len(docs)])
			}
		})
	}
}
