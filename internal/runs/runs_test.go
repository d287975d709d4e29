package runs_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/internal/runs"
)

// naive compares all places of two texts in plain loops.
func naive(least int, a, b [][]uint64) (c runs.Common) {
	inA, inB := marks(a), marks(b)
	at := func(v, i, w, j int) bool {
		return i+least <= len(a[v]) && j+least <= len(b[w]) && slices.Equal(a[v][i:i+least], b[w][j:j+least])
	}
	for w := range b {
		next, before := 0, -1
		for j := range b[w] {
			var places []runs.Span
			for v := range a {
				for i := range a[v] {
					if !at(v, i, w, j) {
						continue
					}
					places = append(places, runs.Span{Value: v, From: i})
					for k := range least {
						inA[v][i+k], inB[w][j+k] = true, true
					}
				}
			}
			if len(places) == 0 || j < next {
				continue
			}
			var best runs.Pair
			for _, p := range places[:min(16, len(places))] {
				n := 0
				for p.From+n < len(a[p.Value]) && j+n < len(b[w]) && a[p.Value][p.From+n] == b[w][j+n] {
					n++
				}
				if n > best.B.To-best.B.From {
					best = runs.Pair{A: runs.Span{Value: p.Value, From: p.From, To: p.From + n}, B: runs.Span{Value: w, From: j, To: j + n}}
				}
			}
			for best.A.From > 0 && best.B.From > before+1 && a[best.A.Value][best.A.From-1] == b[w][best.B.From-1] {
				best.A.From--
				best.B.From--
			}
			c.Pairs = append(c.Pairs, best)
			next, before = best.B.To-least+1, best.B.From
		}
	}
	c.A, c.B = spans(inA), spans(inB)
	return c
}

func marks(values [][]uint64) (all [][]bool) {
	for _, v := range values {
		all = append(all, make([]bool, len(v)))
	}
	return all
}

func spans(marked [][]bool) (all []runs.Span) {
	for v, own := range marked {
		for i, in := range own {
			switch {
			case !in:
			case i > 0 && own[i-1]:
				all[len(all)-1].To = i + 1
			default:
				all = append(all, runs.Span{Value: v, From: i, To: i + 1})
			}
		}
	}
	return all
}

// text has values of few different tokens, of many, and with parts of other.
func text(rnd *rand.Rand, other [][]uint64) (values [][]uint64) {
	kinds := uint64(1) << rnd.IntN(12)
	for range rnd.IntN(4) {
		var v []uint64
		for range rnd.IntN(4) {
			for range rnd.IntN(40) {
				v = append(v, rnd.Uint64N(kinds)*0x9e3779b97f4a7c15)
			}
			if len(other) > 0 {
				o := other[rnd.IntN(len(other))]
				from := rnd.IntN(len(o) + 1)
				v = append(v, o[from:from+rnd.IntN(len(o)-from+1)]...)
			}
		}
		values = append(values, v)
	}
	return values
}

func check(t *testing.T, least int, own *runs.Text, a, b [][]uint64) runs.Common {
	t.Helper()
	got, want := own.Common(b), naive(least, a, b)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("least %d: got\n%+v\nwant\n%+v\nof %d and %d values", least, got, want, len(a), len(b))
	}
	if runs.Tokens(got.A) > 0 != (len(got.Pairs) > 0) {
		t.Fatalf("got %+v", got)
	}
	for _, p := range got.Pairs {
		x, y := a[p.A.Value][p.A.From:p.A.To], b[p.B.Value][p.B.From:p.B.To]
		if len(x) < least || !slices.Equal(x, y) {
			t.Fatalf("%+v is no run", p)
		}
	}
	return got
}

func TestNaive(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	common := 0
	for range 400 {
		least := 1 + rnd.IntN(12)
		a := text(rnd, nil)
		own := runs.New(least, a)
		for range 3 { // one after another
			common += len(check(t, least, own, a, text(rnd, a)).Pairs)
		}
		check(t, least, own, a, a)
	}
	if common < 500 {
		t.Errorf("%d runs: this test shows little", common)
	}
}

// Real text, with passages planted in other text.
func TestPlanted(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	docs := neartest.Shipped(t)
	p := signature.DefaultParams()
	for range 25 {
		hashes := func() []uint64 {
			words := strings.Fields(docs[rnd.IntN(len(docs))].Text)
			return signature.Hashes(nil, p, []byte(strings.Join(words[:min(len(words), 500)], " ")))
		}
		a, b := hashes(), hashes()
		n := min(len(a), 30+rnd.IntN(470))
		from, at := rnd.IntN(len(a)-n+1), rnd.IntN(len(b)+1)
		b = slices.Concat(b[:at], a[from:from+n], b[at:])
		own := runs.New(30, [][]uint64{a})
		got := check(t, 30, own, [][]uint64{a}, [][]uint64{b})
		if n >= 30 && runs.Tokens(got.B) < n {
			t.Errorf("got %+v, want the run of %d at %d", got, n, at)
		}
	}
}

// Two texts of one sentence, of 300,000 words each: in a moment, where all pairs of places would take hours.
func TestRepeated(t *testing.T) {
	t.Parallel()
	for _, period := range []int{1, 9, 60} {
		sentence := make([]uint64, period)
		for i := range sentence {
			sentence[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		a := slices.Repeat(sentence, 300_000/period)
		b := slices.Repeat(append([]uint64{7}, slices.Repeat(sentence, 200)...), 300_000/(200*period+1))
		start := time.Now()
		got := runs.New(50, [][]uint64{a}).Common([][]uint64{b})
		if runs.Tokens(got.A) != len(a) || runs.Tokens(got.B) < len(b)*9/10 {
			t.Errorf("period %d: got %d of %d and %d of %d tokens", period, runs.Tokens(got.A), len(a), runs.Tokens(got.B), len(b))
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("period %d: took %v", period, took)
		}
	}
}

func FuzzCommon(f *testing.F) {
	f.Add([]byte("to be or not to be"), []byte("be or not"), byte(2))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaa|aaaa"), []byte("aaaaabaaaaaaaaaaaaaaaaaaaaaaa|aaaa"), byte(3))
	f.Fuzz(func(t *testing.T, one, two []byte, least byte) {
		values := func(data []byte) (all [][]uint64) {
			for part := range strings.SplitSeq(string(data[:min(len(data), 200)]), "|") {
				v := make([]uint64, len(part))
				for i := range part {
					v[i] = uint64(part[i]) << 50
				}
				all = append(all, v)
			}
			return all
		}
		n := 1 + int(least)%9
		a, b := values(one), values(two)
		check(t, n, runs.New(n, a), a, b)
	})
}
