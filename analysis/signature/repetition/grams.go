package repetition

import "slices"

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

	distinct interner
	keys     []uint64
	scratch  []uint32
}

const (
	leastTop, mostTop             = 2, 4
	leastDuplicate, mostDuplicate = 5, 10
)

// count fills in those figures of counts that are about grams. sizes are the sizes of
// tokens.
func (g *grams) count(counts *Counts, ids []uint32, tokens *interner, sizes []uint32) {
	if counts.Tokens == 0 {
		return
	}
	for _, n := range tokens.counts {
		counts.TopToken = max(counts.TopToken, uint64(n))
	}
	counts.DistinctShingles = counts.Shingles
	g.begin(ids, tokens)
	for n := 1; n <= max(mostDuplicate, counts.Width) && len(g.at) > 0; n++ {
		if n > 1 {
			g.longer()
		}
		if n == counts.Width {
			counts.DistinctShingles -= g.repeats(tokens, n)
		}
		g.repeated(n, tokens)
		switch {
		case leastTop <= n && n <= mostTop:
			counts.TopGrams[n-leastTop] = g.top(n, ids, sizes)
		case leastDuplicate <= n && n <= mostDuplicate:
			counts.DuplicateGrams[n-leastDuplicate] = g.duplicate(n, ids, sizes)
		}
	}
}

// begin takes the tokens that occur twice or more as the grams of 1.
func (g *grams) begin(ids []uint32, tokens *interner) {
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

// longer replaces the grams by grams longer by one token that might occur twice.
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
	g.at, g.number = at[:n], g.distinct.intern(number[:0], keys[:n])
}

// repeats returns how many of the grams of n tokens are equal to one before them.
func (g *grams) repeats(tokens *interner, n int) (repeats uint64) {
	counts := g.distinct.counts
	if n == 1 {
		counts = tokens.counts
	}
	for _, n := range counts {
		repeats += uint64(n - 1)
	}
	return repeats
}

// repeated keeps the grams that occur twice.
func (g *grams) repeated(n int, tokens *interner) {
	if n == 1 {
		return // begin did it
	}
	at, number, counts, kept := g.at, g.number, g.distinct.counts, 0
	for j, id := range number {
		at[kept], number[kept] = at[j], id
		kept += twice(counts[id])
	}
	g.at, g.number = at[:kept], number[:kept]
}

// top returns the size of the most frequent gram, the first of several, with its tokens
// joined by spaces, times the number of its occurrences.
func (g *grams) top(n int, ids, sizes []uint32) uint64 {
	if len(g.at) == 0 {
		return 0
	}
	best, most := 0, uint32(0)
	for id, times := range g.distinct.counts {
		if times > most {
			best, most = id, times
		}
	}
	first := g.at[slices.Index(g.number, uint32(best))]
	return (size(ids[first:][:n], sizes) + uint64(n-1)) * uint64(most)
}

// duplicate returns the size of the grams that are equal to one before them, taken from
// left to right without overlap: after such a gram the next one begins at its end, after
// any other at the next token.
func (g *grams) duplicate(n int, ids, sizes []uint32) (bytes uint64) {
	seen, free := g.distinct.counts, uint32(0)
	for j, id := range g.number {
		i := g.at[j]
		switch {
		case i < free:
		case seen[id] == 0:
			bytes += size(ids[i:][:n], sizes)
			free = i + uint32(n)
		default:
			seen[id] = 0
		}
	}
	return bytes
}

func size(ids, sizes []uint32) (bytes uint64) {
	for _, id := range ids {
		bytes += uint64(sizes[id])
	}
	return bytes
}

// duplicates returns the number of blocks that are equal to one before them, and their
// size.
func (g *grams) duplicates(b *blocks) (n, bytes uint64) {
	g.distinct.reset()
	g.scratch = g.distinct.intern(g.scratch[:0], b.hashes)
	next := uint32(0)
	for j, id := range g.scratch {
		if id == next {
			next++
			continue
		}
		n++
		bytes += b.sizes[j]
	}
	return n, bytes
}

// lengthen returns s with that many elements.
func lengthen(s []uint32, n int) []uint32 {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}
