package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Params says how signatures are made. Two signatures can be compared only if all their
// Params are equal; each signature carries Params.ID, so that a difference is noticed.
type Params struct {
	// Width is the number of tokens in a shingle: 1 to 16, default 4. A wider
	// shingle makes each edit count for more.
	Width int `json:"width"`

	// Lanes is the number of lanes of the sketch: 16 to 1024, default 100.
	Lanes int `json:"lanes"`

	// SimhashWidth is the number of tokens in a feature of the simhash: 1 to 16, default 4.
	// Narrower features tolerate more edits, but also make unrelated texts match: examples/docs/measured.md
	// has the table.
	SimhashWidth int `json:"simhash_width"`

	// SimhashWeight says how much a feature counts, default WeightDistinct. It can be the name
	// of a function: see RegisterWeight.
	SimhashWeight Weight `json:"simhash_weight"`

	// Fingerprint says how shingles, and the features of the simhash, become
	// numbers, default Polynomial.
	Fingerprint Fingerprint `json:"fingerprint"`

	// Bag keeps multiplicity, default false: the second copy of a shingle is an element of
	// its own, and so is the third (Broder, "On the resemblance and containment of
	// documents", 1997, section 2: labelled shingles). The resemblance of a text and the
	// same text written twice is then one half. The simhash depends on SimhashWeight alone.
	Bag bool `json:"bag"`

	// Numbers says whether texts can match whose numbers differ, default NumbersAny.
	Numbers Numbers `json:"numbers"`

	// Passages, if not 0, also selects fingerprints by which documents are found that have a passage of so many
	// words in common (package winnow): Width to winnow.MostWords. The signature itself does not
	// change, but for its ID. Default 0: none are selected.
	Passages int `json:"passages,omitempty"`

	// Seed selects the hash functions, default 0. If the seed is secret, nobody else can
	// build texts that collide.
	Seed uint64 `json:"seed"`

	// Tokens names the tokenizer; "" means package token. The bleve analyzer sets it when
	// it is built on another tokenizer. It is only compared.
	Tokens string `json:"tokens"`
}

// Fingerprint says how a shingle becomes a number.
type Fingerprint string

const (
	// Polynomial is a polynomial in the token hashes (package shingle): 64 bits, and the
	// fastest of all.
	Polynomial Fingerprint = "polynomial"

	// XXHash64 is xxHash64, seeded, of the folded text of the tokens joined by one space,
	// so that other programs can compute the same numbers. It decodes every rune, which
	// takes three times as long as Polynomial, and needs memory for the text of a few
	// hundred tokens.
	XXHash64 Fingerprint = "xxhash64"

	// Rabin64 is the Rabin fingerprint of the token hashes, for a polynomial of degree 64
	// that the seed selects.
	Rabin64 Fingerprint = "rabin64"

	// Rabin40 is the Rabin fingerprint for a polynomial of degree 40, as AltaVista used:
	// among n shingles about n^2/2^41 pairs share a fingerprint by accident.
	Rabin40 Fingerprint = "rabin40"
)

// Fingerprints returns the valid values of Params.Fingerprint, the default first.
func Fingerprints() []Fingerprint { return []Fingerprint{Polynomial, XXHash64, Rabin64, Rabin40} }

// DefaultParams returns the parameters of an empty configuration.
func DefaultParams() Params {
	return Params{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: WeightDistinct, Fingerprint: Polynomial, Numbers: NumbersAny}
}

// Validate returns an error that names the first parameter out of range.
func (p Params) Validate() error {
	for _, v := range []struct {
		name             string
		got, least, most int
	}{
		{"width", p.Width, 1, shingle.MaxWidth},
		{"lanes", p.Lanes, sketch.MinLanes, sketch.MaxLanes},
		{"simhash_width", p.SimhashWidth, 1, shingle.MaxWidth},
	} {
		if v.got < v.least || v.got > v.most {
			return fmt.Errorf("signature: %s: wanted %d to %d, got %d", v.name, v.least, v.most, v.got)
		}
	}
	if p.Passages != 0 && (p.Passages < p.Width || p.Passages > winnow.MostWords) {
		return fmt.Errorf("signature: passages: wanted 0, or words of a shingle or more, %d to %d, got %d", p.Width, winnow.MostWords, p.Passages)
	}
	if !printable(p.Tokens) {
		return fmt.Errorf("signature: tokens: wanted names of printable ASCII, got %q", p.Tokens)
	}
	if err := p.SimhashWeight.Validate(); err != nil {
		return fmt.Errorf("signature: simhash_weight: %w", err)
	}
	if p.Fingerprint != "" && !slices.Contains(Fingerprints(), p.Fingerprint) {
		return fmt.Errorf("signature: fingerprint: wanted one of %q, got %q", Fingerprints(), p.Fingerprint)
	}
	if p.Numbers != "" && p.Numbers != NumbersAny && p.Numbers != NumbersEqual {
		return fmt.Errorf("signature: numbers: wanted one of %q, got %q", []Numbers{NumbersAny, NumbersEqual}, p.Numbers)
	}
	return nil
}

// printable reports whether a name is written the same in every implementation: see FORMAT.md, section 2.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' })
}

// ID is a fingerprint of the parameters and of the algorithm's version: 32 bits of the
// xxHash64 of their names and values.
func (p Params) ID() uint32 {
	numbers := NumbersAny
	if p.Numbers == NumbersEqual {
		numbers = "thousands" // it was "equal" when 1,000 was two numbers
	}
	return uint32(xxhash.Sum64String(fmt.Sprintf(
		"neardup %d width %d lanes %d simhash_width %d simhash_weight %q fingerprint %s bag %t numbers %s passages %d seed %d tokens %q",
		formatVersion, p.Width, p.Lanes, p.SimhashWidth, cmp.Or(p.SimhashWeight, WeightDistinct), cmp.Or(p.Fingerprint, Polynomial),
		p.Bag, numbers, p.Passages, p.Seed, p.Tokens)))
}

// Numbers says whether texts can be near-duplicates whose numbers differ.
type Numbers string

const (
	// NumbersAny lets numbers differ as words do. It is the default.
	NumbersAny Numbers = "any"

	// NumbersEqual makes signatures match only if their texts have the same numbers in the
	// same order. It is for bills, catalogues, statutes and the like, which differ in nothing
	// but numbers.
	//
	// A number is a maximal run of decimal digits in a token: "10.50" has two, "007" is not
	// "7", and "三" is none. Groups of three digits after a number of up to three that does not
	// begin with 0 go on it, if one of , . and ' separates them all: "1,000.00", "1.000,00" and
	// "1000.00" have the numbers 1000 and 00. A single point with nothing after its group is a
	// decimal point: "1.250" has two numbers. Digits of all scripts, and the two separators of
	// Arabic, count by their value. Each value of a document has its own numbers, and the order
	// of values does not matter. Words, Roman numerals, signs and units are not read.
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
		n := newNumberHash(0)
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
