package near

import (
	"math/rand/v2"
	"slices"
)

// What two texts have in common word for word are the runs of consecutive tokens that stand in both. A quoted text
// is compared with others one after another, each in time that is proportional to its length, also where both
// repeat one sentence.
//
// Tokens are given by their hashes, and tokens with one hash are equal. Windows of tokens are looked up by fingerprints
// of 64 bits, made with a number that nobody outside the process knows, and then compared.

// mostPlaces is how many places of a quoted text are tried for a run of another.
const mostPlaces = 16

// tokenSpan is tokens of a text: of one of its values, from the one with the number From to before To.
type tokenSpan struct{ Value, From, To int }

// run is a run of tokens that two texts have, and where. Both spans are of one length.
type run struct{ A, B tokenSpan }

// shared is what two texts, A and B, have in common.
type shared struct {
	// A and B have the tokens of each that are in a run of least tokens or more which the other has
	// anywhere: in order, and neither overlapping nor adjoining.
	A, B []tokenSpan

	// Pairs has runs in the order of B, which together are all of B above: at the first token of B that is in none yet,
	// the longest of the runs with the first 16 places of A that have the window there, of several the first. Each is as
	// long as it can be, but for a beginning at or before that of the pair before it.
	Pairs []run
}

// tokensIn returns how many tokens spans have.
func tokensIn(spans []tokenSpan) (n int) {
	for _, s := range spans {
		n += s.To - s.From
	}
	return n
}

// quoted is a text that is compared with others.
type quoted struct {
	least  int
	values [][]uint64
	power  uint64 // base^least

	places []place          // of all windows of least tokens
	first  map[uint64]int32 // the first place of a window, by what find returns
}

// place is where a window begins.
type place struct {
	value, from int32
	next        int32 // the next place with the same window, or -1
}

// newQuoted returns the quoted text with these values, of which runs of least tokens or more are looked for: 1 or more.
// The values must not be changed.
func newQuoted(least int, values [][]uint64) *quoted {
	t := &quoted{least: max(1, least), values: values, power: 1}
	for range t.least {
		t.power *= base
	}
	var prints []uint64
	for i, v := range values {
		t.windows(v, func(from int, print uint64) {
			t.places, prints = append(t.places, place{int32(i), int32(from), -1}), append(prints, print)
		})
	}
	t.first = make(map[uint64]int32, len(prints))
	for at := int32(len(prints)) - 1; at >= 0; at-- {
		next, print := t.find(prints[at], t.window(at))
		t.places[at].next, t.first[print] = next, at
	}
	return t
}

// find returns the first place of a window that has a fingerprint, or -1, and the number that it is or would be found
// by: where windows that differ have one fingerprint, the numbers after it are taken.
func (t *quoted) find(print uint64, window []uint64) (int32, uint64) {
	for ; ; print++ {
		if at, ok := t.first[print]; !ok {
			return -1, print
		} else if slices.Equal(window, t.window(at)) {
			return at, print
		}
	}
}

// base is what fingerprints of windows are made with: polynomials of their tokens modulo 2^64.
var base = rand.Uint64() | 1

// window returns the tokens of the window at a place.
func (t *quoted) window(at int32) []uint64 {
	p := t.places[at]
	return t.values[p.value][p.from:][:t.least]
}

// windows calls f for each window of least tokens of a value.
func (t *quoted) windows(value []uint64, f func(from int, print uint64)) {
	var sum uint64
	for i, h := range value {
		sum = sum*base + h
		if i >= t.least {
			sum -= value[i-t.least] * t.power
		}
		if from := i - t.least + 1; from >= 0 {
			f(from, sum)
		}
	}
}

// common compares t, which is A, with the values of another text, B.
func (t *quoted) common(b [][]uint64) (c shared) {
	met := make(map[int32]bool) // the first places of windows
	for i, v := range b {
		next, before := 0, -1 // where a pair can begin, and where the last one does
		t.windows(v, func(from int, print uint64) {
			first, _ := t.find(print, v[from:from+t.least])
			if first < 0 {
				return
			}
			met[first] = true
			c.B = cover(c.B, tokenSpan{i, from, from + t.least})
			if from >= next {
				p := t.pair(first, v, i, from, before)
				c.Pairs = append(c.Pairs, p)
				next, before = p.B.To-t.least+1, p.B.From
			}
		})
	}
	var all []int32
	for at := range met {
		for ; at >= 0; at = t.places[at].next {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	for _, at := range all {
		p := t.places[at]
		c.A = cover(c.A, tokenSpan{int(p.value), int(p.from), int(p.from) + t.least})
	}
	return c
}

// cover adds a span, which does not begin before the last one.
func cover(spans []tokenSpan, s tokenSpan) []tokenSpan {
	if n := len(spans) - 1; n >= 0 && spans[n].Value == s.Value && spans[n].To >= s.From {
		spans[n].To = max(spans[n].To, s.To)
		return spans
	}
	return append(spans, s)
}

// pair returns the run of value, the i-th of B, whose window from is the one at a place of t; it begins after before.
func (t *quoted) pair(at int32, value []uint64, i, from, before int) (best run) {
	for range mostPlaces {
		p := t.places[at]
		own := t.values[p.value]
		n := t.least
		for int(p.from)+n < len(own) && from+n < len(value) && own[int(p.from)+n] == value[from+n] {
			n++
		}
		if n > best.B.To-best.B.From {
			best = run{tokenSpan{int(p.value), int(p.from), int(p.from) + n}, tokenSpan{i, from, from + n}}
		}
		if at = p.next; at < 0 {
			break
		}
	}
	own := t.values[best.A.Value]
	for best.A.From > 0 && best.B.From-1 > before && own[best.A.From-1] == value[best.B.From-1] {
		best.A.From--
		best.B.From--
	}
	return best
}
