// Package compare says exactly which shingles two texts have in common, where a signature says how
// many: [Texts] needs the tokens of both. It looks each shingle of one text up in the other, and makes
// one [Span] of consecutive shingles that were all found or all not found.
package compare

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/numbers"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Comparison says exactly which shingles two documents have in common.
type Comparison struct {
	// Shared is the number of distinct shingles that both documents have; with Params.Bag
	// each copy counts.
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

// Texts compares the shingles of two documents, each given as the tokens of its values.
// In each list of spans it returns the first spans, until they have limit shingles
// together, and cuts off the last one if need be. The numbers count all shingles. Texts
// panics if p is not valid.
func Texts(p signature.Params, a, b [][]token.Token, limit int) Comparison {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	inA, inB := elements(p, a), elements(p, b)
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

// elements returns the shingles of each value, in the order in which they begin. The polynomial
// serves whatever p.Fingerprint is.
func elements(p signature.Params, values [][]token.Token) [][]element {
	copies := make(map[uint64]uint64)
	all := make([][]element, len(values))
	for i, tokens := range values {
		all[i] = windowsOf(p, tokens)
		if !p.Bag {
			continue
		}
		for j := range all[i] {
			f := &all[i][j].print
			if copies[*f]++; copies[*f] > 1 {
				*f = token.Mix(*f, copies[*f])
			}
		}
	}
	return all
}

func windowsOf(p signature.Params, tokens []token.Token) []element {
	key, windows := token.NewKey(p.Seed), shingle.NewWindows(p.Width, p.Seed)
	hashes := make([]uint64, len(tokens))
	for j, t := range tokens {
		hashes[j] = key.Hash(t.Term)
	}
	prints := windows.Append(nil, hashes)
	all := make([]element, len(prints))
	for j, f := range prints {
		all[j] = element{f, j, j + p.Width - 1}
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

// SameNumbers reports whether two documents, each given as the tokens of its values, have the same
// numbers as signature.NumbersEqual counts them: with it, documents of other numbers match by no rule.
func SameNumbers(a, b [][]token.Token) bool {
	hash := func(values [][]token.Token) uint64 {
		n := numbers.New(0)
		for _, tokens := range values {
			for _, t := range tokens {
				n.Term(t.Term)
			}
			n.EndValue()
		}
		hash, _ := n.Hash()
		return hash
	}
	return hash(a) == hash(b)
}
