package near

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// What two texts have in common word for word are the runs of consecutive tokens that stand in both. A quoted text
// is compared with others one after another, each in time that is proportional to its length, also where both
// repeat one sentence.
//
// Tokens are given by their hashes, and tokens with one hash are equal. Windows of tokens are compared by
// fingerprints of 61 bits, made with a number that nobody outside the process knows: of texts of a million tokens
// one pair in a million seems to have a window in common, also of texts that were written for that.

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

	// Pairs has runs in the order of B, which together are all of B above: at the first token of B that is in none yet, the
	// longest of the runs with the first 16 places of A that have the window there, of several the first. Each is as long as
	// it can be, but for a beginning at or before that of the pair before it.
	Pairs []run
}

// tokensIn returns how many tokens spans have.
func tokensIn(spans []tokenSpan) (n int) {
	for _, s := range spans {
		n += s.To - s.From
	}
	return n
}

// quoted is a text that is compared with others. It is not safe for concurrent use.
type quoted struct {
	least  int
	values [][]uint64
	power  uint64 // base^least

	places []place
	grams  []gram
	slots  []int32 // open addressing: the number of a gram plus 1, 0 is free
	epoch  int32
	met    []int32 // of the grams that a comparison meets
}

// place is where a window of least tokens begins.
type place struct {
	value, from int32
	next        int32 // the next place with the same window, or -1
}

// gram is a window of least tokens.
type gram struct {
	print       uint64
	first, last int32 // places
	epoch       int32 // of the last comparison that met it
}

// newQuoted returns the quoted text with these values, of which runs of least tokens or more are looked for: 1 or more.
// The values must not be changed.
func newQuoted(least int, values [][]uint64) *quoted {
	t := &quoted{least: max(1, least), values: values, power: 1}
	for range t.least {
		t.power = times(t.power, base)
	}
	n := 0
	for _, v := range values {
		n += max(0, len(v)-t.least+1)
	}
	t.slots = make([]int32, 1<<bits.Len(uint(2*n)))
	t.places = make([]place, 0, n)
	for i, v := range values {
		t.windows(v, func(from int, print uint64) {
			t.add(print, place{int32(i), int32(from), -1})
		})
	}
	return t
}

func (t *quoted) add(print uint64, p place) {
	at := int32(len(t.places))
	t.places = append(t.places, p)
	slot := t.slot(print)
	if g := t.slots[slot]; g > 0 {
		own := &t.grams[g-1]
		t.places[own.last].next = at
		own.last = at
		return
	}
	t.grams = append(t.grams, gram{print: print, first: at, last: at})
	t.slots[slot] = int32(len(t.grams))
}

// slot returns the place in slots of a window, or the free one where it would be.
func (t *quoted) slot(print uint64) int {
	i := int(print*base>>16) & (len(t.slots) - 1)
	for t.slots[i] > 0 && t.grams[t.slots[i]-1].print != print {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// prime is 2^61-1, and base is what fingerprints of windows are made with: polynomials of their tokens modulo prime.
const prime = 1<<61 - 1

var base = 1<<40 + rand.Uint64N(prime-1<<40)

// times returns a*b modulo prime; both are less than prime.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&prime + (lo>>61 | hi<<3))
}

func reduce(a uint64) uint64 {
	a = a&prime + a>>61
	if a >= prime {
		a -= prime
	}
	return a
}

// windows calls f for each window of least tokens of a value.
func (t *quoted) windows(value []uint64, f func(from int, print uint64)) {
	var sum uint64
	for i, h := range value {
		sum = reduce(times(sum, base) + reduce(h))
		if i >= t.least {
			sum = reduce(sum + prime - times(reduce(value[i-t.least]), t.power))
		}
		if from := i - t.least + 1; from >= 0 {
			f(from, sum)
		}
	}
}

// common compares t, which is A, with the values of another text, B.
func (t *quoted) common(b [][]uint64) (c shared) {
	if t.epoch++; t.epoch < 0 {
		t.epoch = 1
		for i := range t.grams {
			t.grams[i].epoch = 0
		}
	}
	t.met = t.met[:0]
	for i, v := range b {
		next, before := 0, -1 // where a pair can begin, and where the last one does
		t.windows(v, func(from int, print uint64) {
			g := t.slots[t.slot(print)]
			if g == 0 {
				return
			}
			if own := &t.grams[g-1]; own.epoch != t.epoch {
				own.epoch = t.epoch
				t.met = append(t.met, g-1)
			}
			c.B = cover(c.B, tokenSpan{i, from, from + t.least})
			if from >= next {
				p := t.pair(g-1, v, i, from, before)
				c.Pairs = append(c.Pairs, p)
				next, before = p.B.To-t.least+1, p.B.From
			}
		})
	}
	c.A = t.covered()
	return c
}

// covered returns the tokens of t that are in a window of a gram that was met.
func (t *quoted) covered() (spans []tokenSpan) {
	var all []int32
	for _, g := range t.met {
		for at := t.grams[g].first; at >= 0; at = t.places[at].next {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	for _, at := range all {
		p := t.places[at]
		spans = cover(spans, tokenSpan{int(p.value), int(p.from), int(p.from) + t.least})
	}
	return spans
}

// cover adds a span, which does not begin before the last one.
func cover(spans []tokenSpan, s tokenSpan) []tokenSpan {
	if n := len(spans) - 1; n >= 0 && spans[n].Value == s.Value && spans[n].To >= s.From {
		spans[n].To = max(spans[n].To, s.To)
		return spans
	}
	return append(spans, s)
}

// pair returns the run of value, the i-th of B, whose window from is a gram of t; it begins after before.
func (t *quoted) pair(g int32, value []uint64, i, from, before int) (best run) {
	at := t.grams[g].first
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
