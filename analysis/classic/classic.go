// Package classic makes the other sketches of the literature from the fingerprints that signature.Maker.Shingles
// returns. They are for programs that follow a published method, and the yardstick for signatures.
//
//   - [Bottom] has the s least elements of a set (Broder, 1997; Thorup, 2013).
//   - [Modm] has the elements that m divides, and so estimates containment, too (Broder, 1997).
//   - [MinwiseOf] makes the lanes of MinHash with a permutation for each (Broder and others, 1998).
//   - [Supershingles] are hashes of groups of lanes (Broder and others, 1997; Fetterly, Manasse and Najork, 2003).
//
// The comments of these types have the titles of the papers.
package classic

import "iter"

// union yields the values of two ascending lists, in order, and in which of them each is.
func union(a, b []uint64) iter.Seq2[uint64, [2]bool] {
	return func(yield func(uint64, [2]bool) bool) {
		for len(a)+len(b) > 0 {
			in := [2]bool{len(b) == 0 || len(a) > 0 && a[0] <= b[0], len(a) == 0 || len(b) > 0 && b[0] <= a[0]}
			var v uint64
			if in[0] {
				v, a = a[0], a[1:]
			}
			if in[1] {
				v, b = b[0], b[1:]
			}
			if !yield(v, in) {
				return
			}
		}
	}
}
