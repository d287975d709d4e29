package signature_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Documents of several values, made by one Maker after another, equal the naive result for
// each alone.
func TestMaker(t *testing.T) {
	t.Parallel()
	for _, p := range several() {
		t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(51, 52))
			m := newMaker(t, p)
			for range 80 {
				var values [][]string
				for range rnd.IntN(5) {
					n := rnd.IntN(60)
					if rnd.IntN(4) == 0 {
						n = rnd.IntN(1500)
					}
					values = append(values, words(rnd, n, 1+rnd.IntN(500)))
				}
				for _, v := range values {
					m.Text(layout(rnd, v))
				}
				checkEqual(t, fmt.Sprint(values), m.Signature(), naive(p, values...))
			}
		})
	}
}

// For every length at the ends of a few chunks, and some between, tokens that come as text, in whole
// blocks, and one by one, in other chunks, make the same signature.
func TestChunkBorders(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(53, 54))
	all := words(rnd, 1600, 300)
	for _, p := range several() {
		text, terms := newMaker(t, p), newMaker(t, p)
		for n := 1; n <= len(all); n++ {
			if usual := p.ID() == signature.DefaultParams().ID(); !atBorder(n) && (!usual || n%37 != 0) {
				continue
			}
			for _, w := range all[:n] {
				terms.Term([]byte(w))
			}
			terms.EndValue()
			text.Text(plain(all[:n]))
			got := text.Signature()
			checkEqual(t, fmt.Sprintf("%+v: %d terms", p, n), terms.Signature(), got)
			if atBorder(n) {
				checkEqual(t, fmt.Sprintf("%+v: %d tokens", p, n), got, naive(p, all[:n]))
			}
		}
	}
}

// atBorder picks the lengths at which something could go wrong, because the naive way is
// slow. A chunk has 512 terms, or the 449 to 512 tokens of whole blocks of text.
func atBorder(n int) bool { return n <= 40 || n%449 <= 16 || n%512 <= 16 }

func TestTextAndTerm(t *testing.T) {
	t.Parallel()
	values := [][]string{{"one", "two", "three", "four", "five"}, {"don't"}, {"3.14", "naïve", "日", "本"}}
	for _, p := range several() {
		m := newMaker(t, p)
		for _, v := range values {
			for _, w := range v {
				m.Term([]byte(w))
			}
			m.EndValue()
		}
		got := m.Signature()
		checkEqual(t, "terms", got, naive(p, values...))
		checkEqual(t, "text", signature.Of(p, []byte("One two, three\nfour FIVE"), []byte("Don’t"), []byte("3.14 NAÏVE 日本")), got)
	}
}

// Signature ends the open value, and so does Text.
func TestOpenValue(t *testing.T) {
	t.Parallel()
	m := newMaker(t, signature.DefaultParams())
	for _, w := range []string{"one", "two", "three", "four", "five"} {
		m.Term([]byte(w))
	}
	checkEqual(t, "open value", m.Signature(), signature.Of(signature.DefaultParams(), []byte("one two three four five")))

	m.Term([]byte("one"))
	m.Term([]byte("two"))
	m.Text([]byte("three four"))
	checkEqual(t, "value before Text", m.Signature(), signature.Of(signature.DefaultParams(), []byte("one two"), []byte("three four")))
}

// The order of values does not matter, and values without tokens do not count; but the
// place where one value ends does.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, p := range several() {
		a, b, c := []byte("one two three four five six"), []byte("seven eight nine ten"), []byte("eleven twelve")
		want := signature.Of(p, a, b, c)
		checkEqual(t, "other order", signature.Of(p, c, a, b), want)
		checkEqual(t, "empty values", signature.Of(p, nil, a, []byte(" - "), b, c, []byte{}), want)

		joined := signature.Of(p, slices.Concat(a, []byte(" "), b), c)
		if joined.Exact == want.Exact {
			t.Errorf("%+v: values that are joined have the same exact hash", p)
		}
		if across := max(0, 6+4-p.Width+1) - max(0, 6-p.Width+1) - max(0, 4-p.Width+1); joined.Shingles-want.Shingles != uint64(across) {
			t.Errorf("%+v: got %d shingles and %d of joined values, want %d more", p, want.Shingles, joined.Shingles, across)
		}
		if twice := signature.Of(p, a, a); twice.Exact == signature.Of(p, a).Exact {
			t.Errorf("%+v: a value that comes twice has the same exact hash as one", p)
		}
	}
}

func TestShingles(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	m := newMaker(t, p)
	rose := []string{"a", "rose", "is", "a", "rose", "is", "a", "rose"}
	var hashes []uint64
	for _, w := range rose {
		hashes = append(hashes, token.NewKey(0).Hash([]byte(w)))
	}
	windows := shingle.NewWindows(p.Width, p.Seed)
	m.Text(plain(rose))
	if got, want := m.Shingles(), windows.Append(nil, hashes)[:3]; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// A huge document leaves nothing that changes later ones, nor does one that is abandoned.
func TestReuse(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(55, 56))
	const size = 20_000
	huge := plain(words(rnd, size, 1<<20))
	for _, p := range several() {
		m := newMaker(t, p)
		small := []byte("one two three four five six seven eight nine ten")
		want := signature.Of(p, small)
		m.Text(huge)
		if s := m.Signature(); int(s.Tokens) != size {
			t.Fatalf("got %d tokens", s.Tokens)
		}
		m.Text(small)
		checkEqual(t, "after a huge document", m.Signature(), want)

		m.Text(plain(words(rnd, 700, 1<<20)))
		m.Term([]byte("open"))
		m.Reset()
		m.Text(small)
		checkEqual(t, "after Reset", m.Signature(), want)
		checkEqual(t, "nothing", m.Signature(), signature.Signature{Params: p.ID()})
	}
}
