package repetition

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// counts numbers distinct keys in the order in which they come, and counts each.
type counts struct {
	keys   shingle.Set
	counts []uint32
}

// add counts keys, and appends their numbers to ids.
func (c *counts) add(ids []uint32, keys []uint64) []uint32 {
	first := len(ids)
	ids = c.keys.Places(ids, keys)
	c.counts = append(c.counts, make([]uint32, c.keys.Len()-len(c.counts))...)
	for _, id := range ids[first:] {
		c.counts[id]++
	}
	return ids
}

func (c *counts) reset() {
	c.keys.Reset()
	c.counts = c.counts[:0]
}

// grams counts the runs of 2, 3, 4 ... tokens in turn.
//
// If a gram occurs twice, then so do the two grams in it that are shorter by one token. So
// only grams made of two such parts are looked at: in prose a third of the runs of 2, a
// tenth of the runs of 3, and hardly any of 5 (as for frequent item sets: Agrawal, Srikant,
// "Fast algorithms for mining association rules", VLDB 1994). A gram that occurs twice has
// a number, and the numbers of the two parts are the key of the longer gram. So no text is
// compared, and two grams with different token hashes are never confused.
type grams struct {
	// The positions whose gram occurs twice or more, ascending, and the number of the gram.
	at, number []uint32

	distinct counts
	keys     []uint64
}

// shares returns the shares of a document with tokens.
func (g *grams) shares(c *Counter) (s Shares) {
	s.TopToken = float64(slices.Max(c.tokens.counts)) / float64(c.all)
	g.begin(c.ids, &c.tokens)
	for n := 2; n <= 10 && len(g.at) > 0; n++ {
		g.longer()
		switch n {
		case 2:
			s.Top2 = float64(g.top(n, c)) / float64(c.bytes)
		case 3:
			s.Top3 = float64(g.top(n, c)) / float64(c.bytes)
		case 5:
			s.Duplicate5 = float64(g.duplicate(n, c)) / float64(c.bytes)
		case 10:
			s.Duplicate10 = float64(g.duplicate(n, c)) / float64(c.bytes)
		}
	}
	return s
}

// begin takes the tokens that occur twice or more as the grams of 1.
func (g *grams) begin(ids []uint32, tokens *counts) {
	g.at, g.number = lengthen(g.at, len(ids)), lengthen(g.number, len(ids))
	at, number, n := g.at, g.number, 0
	for i, id := range ids {
		at[n], number[n] = uint32(i), id
		n += twice(tokens.counts[id])
	}
	g.at, g.number = at[:n], number[:n]
}

// twice returns 1 if n is 2 or more, else 0, without a branch.
func twice(n uint32) int { return int((1 - int64(n)) >> 63 & 1) }

// longer replaces the grams by those longer by one token that occur twice.
func (g *grams) longer() {
	at, number := g.at, g.number
	g.keys = slices.Grow(g.keys[:0], len(at))
	keys, n := g.keys[:len(at)], 0
	for j := 1; j < len(at); j++ {
		here := at[j-1]
		keys[n] = uint64(number[j-1])<<32 | uint64(number[j])
		at[n] = here
		n += int((uint64(at[j]-here) - 2) >> 63) // 1 if it follows here
	}
	g.distinct.reset()
	number = g.distinct.add(number[:0], keys[:n])
	kept := 0
	for j, id := range number {
		at[kept], number[kept] = at[j], id
		kept += twice(g.distinct.counts[id])
	}
	g.at, g.number = at[:kept], number[:kept]
}

// top returns the size of the most frequent gram, the first of several, with its tokens
// joined by spaces, times the number of its occurrences.
func (g *grams) top(n int, c *Counter) uint64 {
	if len(g.at) == 0 {
		return 0
	}
	most := slices.Max(g.distinct.counts)
	best := slices.Index(g.distinct.counts, most)
	first := g.at[slices.Index(g.number, uint32(best))]
	return (c.sizeOf(first, n) + uint64(n-1)) * uint64(most)
}

// duplicate returns the size of the grams that are equal to one before them, taken from
// left to right without overlap: after such a gram the next one begins at its end, after
// any other at the next token.
func (g *grams) duplicate(n int, c *Counter) (bytes uint64) {
	seen, free := g.distinct.counts, uint32(0)
	for j, id := range g.number {
		i := g.at[j]
		switch {
		case i < free:
		case seen[id] == 0:
			bytes += c.sizeOf(i, n)
			free = i + uint32(n)
		default:
			seen[id] = 0
		}
	}
	return bytes
}

// sizeOf returns the size of the n tokens from the i-th on.
func (c *Counter) sizeOf(i uint32, n int) (bytes uint64) {
	for _, id := range c.ids[i:][:n] {
		bytes += uint64(c.sizes[id])
	}
	return bytes
}

// lengthen returns s with that many elements.
func lengthen(s []uint32, n int) []uint32 {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}
