package near

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// naive compares all places of two texts in plain loops.
func naive(least int, a, b [][]uint64) (c shared) {
	inA, inB := marks(a), marks(b)
	at := func(v, i, w, j int) bool {
		return i+least <= len(a[v]) && j+least <= len(b[w]) && slices.Equal(a[v][i:i+least], b[w][j:j+least])
	}
	for w := range b {
		next, before := 0, -1
		for j := range b[w] {
			var places []tokenSpan
			for v := range a {
				for i := range a[v] {
					if !at(v, i, w, j) {
						continue
					}
					places = append(places, tokenSpan{Value: v, From: i})
					for k := range least {
						inA[v][i+k], inB[w][j+k] = true, true
					}
				}
			}
			if len(places) == 0 || j < next {
				continue
			}
			var best run
			for _, p := range places[:min(16, len(places))] {
				n := 0
				for p.From+n < len(a[p.Value]) && j+n < len(b[w]) && a[p.Value][p.From+n] == b[w][j+n] {
					n++
				}
				if n > best.B.To-best.B.From {
					best = run{A: tokenSpan{Value: p.Value, From: p.From, To: p.From + n}, B: tokenSpan{Value: w, From: j, To: j + n}}
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

func spans(marked [][]bool) (all []tokenSpan) {
	for v, own := range marked {
		for i, in := range own {
			switch {
			case !in:
			case i > 0 && own[i-1]:
				all[len(all)-1].To = i + 1
			default:
				all = append(all, tokenSpan{Value: v, From: i, To: i + 1})
			}
		}
	}
	return all
}

// randomTokens has values of few different tokens, of many, and with parts of other. Every other time the fingerprints
// of windows have four bits, so that windows that differ have one.
func randomTokens(rnd *rand.Rand, other [][]uint64) (values [][]uint64) {
	kinds, times := uint64(1)<<rnd.IntN(12), []uint64{0x9e3779b97f4a7c15, 1 << 60}[rnd.IntN(2)]
	for range rnd.IntN(4) {
		var v []uint64
		for range rnd.IntN(4) {
			for range rnd.IntN(40) {
				v = append(v, rnd.Uint64N(kinds)*times)
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

func check(t *testing.T, least int, own *quoted, a, b [][]uint64) shared {
	t.Helper()
	got, want := own.common(b), naive(least, a, b)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("least %d: got\n%+v\nwant\n%+v\nof %d and %d values", least, got, want, len(a), len(b))
	}
	if tokensIn(got.A) > 0 != (len(got.Pairs) > 0) {
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

func TestRuns(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	common := 0
	for range 400 {
		least := 1 + rnd.IntN(12)
		a := randomTokens(rnd, nil)
		own := newQuoted(least, a)
		for range 3 { // one after another
			common += len(check(t, least, own, a, randomTokens(rnd, a)).Pairs)
		}
		check(t, least, own, a, a)
	}
	if common < 500 {
		t.Errorf("%d runs: this test shows little", common)
	}
}

func FuzzRuns(f *testing.F) {
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
		check(t, n, newQuoted(n, a), a, b)
	})
}
