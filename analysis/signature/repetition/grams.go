package repetition

import "slices"

// grams counts the runs of 2, 3, 4 ... tokens in turn.
//
// A gram that occurs twice is made of two shorter ones by one token that occur twice,
// so only these are looked at: in prose a third of the runs of 2, a tenth of those of
// 3, and hardly any of 5 (as for frequent item sets: Agrawal, Srikant, "Fast
// algorithms for mining association rules", VLDB 1994). What occurs twice has a
// number, and the numbers of the two parts are the key of a gram: no text is
// compared, and no two grams are confused that have different token hashes.
type grams struct {
	// The positions whose gram occurs twice or more, ascending, and its number.
	at, number []uint32

	distinct interner
	keys     []uint64
	scratch  []uint32
}

const (
	leastTop, mostTop             = 2, 4
	leastDuplicate, mostDuplicate = 5, 10
)

// count fills in what counts says of grams. The sizes are those of tokens.
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

// begin takes the tokens that occur twice or more, as grams of 1.
func (g *grams) begin(ids []uint32, tokens *interner) {
	g.at, g.number = lengthen(g.at, len(ids)), lengthen(g.number, len(ids))
	at, number, n := g.at, g.number, 0
	for i, id := range ids {
		at[n], number[n] = uint32(i), id
		n += twice(tokens.counts[id])
	}
	g.at, g.number = at[:n], number[:n]
}

// twice is 1 if n is 2 or more, else 0, without a branch.
func twice(n uint32) int { return int((1 - int64(n)) >> 63 & 1) }

// longer replaces the grams by those of one token more that may occur twice.
func (g *grams) longer() {
	at, number := g.at, g.number
	g.keys = slices.Grow(g.keys[:0], len(at))
	keys, n := g.keys[:len(at)], 0
	for j := 1; j < len(at); j++ {
		here := at[j-1]
		keys[n] = uint64(number[j-1])<<32 | uint64(number[j])
		at[n] = here
		n += int((uint64(at[j]-here) - 2) >> 63) // 1 if it is the next
	}
	g.distinct.reset()
	g.at, g.number = at[:n], g.distinct.intern(number[:0], keys[:n])
}

// repeats is how many of the grams of n came before.
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

// repeated leaves those that occur twice.
func (g *grams) repeated(n int, tokens *interner) {
	if n == 1 {
		return // begin did
	}
	at, number, counts, kept := g.at, g.number, g.distinct.counts, 0
	for j, id := range number {
		at[kept], number[kept] = at[j], id
		kept += twice(counts[id])
	}
	g.at, g.number = at[:kept], number[:kept]
}

// top is the size of the gram that occurs most often, joined by spaces, times how
// often that is: of several the first.
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

// duplicate is the size of the grams that came before, taken from left to right
// without overlap: behind one that did, the next begins; behind another, the next
// token.
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

// duplicates returns how many blocks came before, and their size.
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

// lengthen returns s with so many elements.
func lengthen(s []uint32, n int) []uint32 {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}
