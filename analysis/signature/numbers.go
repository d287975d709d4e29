package signature

import (
	"github.com/neardup/bleve-neardup/analysis/signature/internal/variant"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Numbers says whether texts can be near-duplicates whose numbers differ.
type Numbers string

const (
	// NumbersAny lets numbers differ as words do. It is the default.
	NumbersAny Numbers = "any"

	// NumbersEqual makes signatures match only if their texts have the same numbers in the
	// same order. It is for bills, catalogues, statutes and the like, which differ in nothing
	// but numbers.
	//
	// A number is a maximal run of decimal digits in a token: "1,000" has two, "007" is not
	// "7", and "三" is none. Digits of all scripts count by their value. Each value of a
	// document has its own numbers, and the order of values does not matter.
	//
	// The veto needs no test of its own in a Rule: a hash of the numbers is mixed into the
	// lanes and the simhash. Texts with equal numbers agree just as much as they do without
	// it, and texts with different numbers look unrelated, in every rule, lookup and estimate.
	// A rule so loose that unrelated texts match, by 3 lanes or fewer, or by a Hamming
	// distance of 12 or more, lets texts match whose numbers differ. A text without a number
	// has the lanes and the simhash that it has with NumbersAny.
	NumbersEqual Numbers = "equal"
)

// Agree reports whether n lets two documents match by their numbers, each given as the tokens of its values.
func (n Numbers) Agree(a, b [][]token.Token) bool {
	hash := func(values [][]token.Token) uint64 {
		n := variant.NewNumbers(0)
		for _, tokens := range values {
			for _, t := range tokens {
				n.Term(t.Term)
			}
			n.EndValue()
		}
		hash, _ := n.Hash()
		return hash
	}
	return n != NumbersEqual || hash(a) == hash(b)
}
