package shingle

import "github.com/neardup/bleve-neardup/analysis/signature/token"

// Comparison says exactly which shingles two documents have in common, where a signature says how many.
type Comparison struct {
	// Shared is the number of distinct shingles that both documents have; of a bag each copy counts.
	Shared int
	A, B   Side
}

// Side is the part of a Comparison that concerns one of its documents.
type Side struct {
	// Own is the number of distinct shingles that the other document lacks.
	Own int
	// SharedSpans are the places of the shingles that the other document has too, OwnSpans
	// the places of those that it lacks. Every occurrence counts.
	SharedSpans, OwnSpans []Span
}

// Span is a piece of a document's text made of consecutive shingles: the bytes from Start
// until before End of one of its values, counted from 0. A changed word makes a span of all
// the shingles that contain it, so the span includes the other words of these shingles, on
// both sides.
type Span struct {
	Value, Start, End, Shingles int
}

// Compare compares the shingles of width tokens of two documents, each given as the tokens of its
// values, as sets or as bags. In each list of spans it returns the first spans, until they have limit
// shingles together, and cuts off the last one if need be. The numbers count all shingles. Compare panics
// if width is not 1 to MaxWidth.
func Compare(width int, bag bool, a, b [][]token.Token, limit int) Comparison {
	inA, inB := elements(width, bag, a), elements(width, bag, b)
	setA, setB := setOf(inA), setOf(inB)
	c := Comparison{A: side(a, inA, setB, limit), B: side(b, inB, setA, limit)}
	for e := range setA {
		if setB[e] {
			c.Shared++
		}
	}
	c.A.Own, c.B.Own = len(setA)-c.Shared, len(setB)-c.Shared
	return c
}

// element is a shingle of a value: a number that is only compared, and its first and last token.
type element struct {
	print       uint64
	first, last int
}

// elements returns the shingles of each value, in the order in which they begin.
func elements(width int, bag bool, values [][]token.Token) [][]element {
	key, windows := token.NewKey(slotSalt), NewWindows(width, slotSalt)
	copies := make(map[uint64]uint64)
	all := make([][]element, len(values))
	for i, tokens := range values {
		var hashes []uint64
		for _, t := range tokens {
			hashes = append(hashes, key.Hash(t.Term))
		}
		for j, f := range windows.Append(nil, hashes) {
			if bag {
				if copies[f]++; copies[f] > 1 {
					f = token.Mix(f, copies[f])
				}
			}
			all[i] = append(all[i], element{f, j, j + width - 1})
		}
	}
	return all
}

func setOf(values [][]element) map[uint64]bool {
	set := make(map[uint64]bool)
	for _, elements := range values {
		for _, e := range elements {
			set[e.print] = true
		}
	}
	return set
}

// side returns the spans of a document.
func side(values [][]token.Token, elements [][]element, other map[uint64]bool, limit int) (s Side) {
	left := map[bool]int{true: limit, false: limit}
	for v, all := range elements {
		for i := 0; i < len(all); {
			shared, begin := other[all[i].print], i
			for i < len(all) && other[all[i].print] == shared {
				i++
			}
			n := min(i-begin, left[shared])
			if n <= 0 {
				continue
			}
			left[shared] -= n
			first, last := all[begin].first, all[begin+n-1].last
			span := Span{Value: v, Start: values[v][first].Start, Shingles: n}
			for _, t := range values[v][first : last+1] {
				span.Start, span.End = min(span.Start, t.Start), max(span.End, t.End)
			}
			if shared {
				s.SharedSpans = append(s.SharedSpans, span)
			} else {
				s.OwnSpans = append(s.OwnSpans, span)
			}
		}
	}
	return s
}
