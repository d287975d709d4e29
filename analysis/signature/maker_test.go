package signature_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Documents of several values, as text or as terms, made by one Maker after another, equal the naive result for each
// alone, by the parameters of all kinds; with few they are long.
func TestMaker(t *testing.T) {
	t.Parallel()
	for i, p := range slices.Concat(several(), combinations(), withNumbers()) {
		t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(51, uint64(i)))
			m := newMaker(t, p)
			for round := range 12 {
				var values [][]string
				for range rnd.IntN(5) {
					n := rnd.IntN(60)
					if round%4 == 0 {
						n = rnd.IntN(1500)
					}
					made := words(rnd, n, 1+rnd.IntN(4)*rnd.IntN(100))
					if round%2 == 0 {
						made = numbered(rnd, n)
					}
					text := layout(rnd, made)
					value := read(text)
					if round%2 == 1 && !slices.Equal(value, made) {
						t.Fatalf("%q is read as %q", text, value)
					}
					values = append(values, value)
					if rnd.IntN(2) == 0 {
						m.Text(text)
						continue
					}
					for _, w := range value {
						m.Term([]byte(w))
					}
					m.EndValue()
				}
				checkEqual(t, fmt.Sprint(values), m.Signature(), naive(p, values...))
			}
		})
	}
}

// Of the lengths at the ends of a few chunks, tokens that come as text, in whole blocks, and one by one, in other
// chunks, make the naive signature. A chunk has 512 terms, or the 449 to 512 tokens of whole blocks of text.
func TestChunkBorders(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(53, 54))
	all := words(rnd, 1600, 300)
	for i, p := range several() {
		text, terms := newMaker(t, p), newMaker(t, p)
		for n := 1 + i%5; n <= len(all); n += 5 {
			if n > 20 && n%449 > 16 && n%512 > 16 {
				continue
			}
			for _, w := range all[:n] {
				terms.Term([]byte(w))
			}
			terms.EndValue()
			text.Text(plain(all[:n]))
			want := naive(p, all[:n])
			checkEqual(t, fmt.Sprintf("%+v: %d terms", p, n), terms.Signature(), want)
			checkEqual(t, fmt.Sprintf("%+v: %d tokens", p, n), text.Signature(), want)
		}
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
