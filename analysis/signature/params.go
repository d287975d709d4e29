package signature

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Params says how signatures are made. Signatures are comparable only if all of
// it is equal; each carries Params.ID, so that a change is noticed.
type Params struct {
	// Width is the number of tokens in a shingle: 1 to 16, default 4. A wider
	// shingle makes each edit count for more.
	Width int

	// Lanes is the number of lanes of the sketch: 16 to 1024, default 100.
	Lanes int

	// SimhashWidth is the number of tokens in a feature of the simhash: 1 to 16,
	// default 4. Narrower features tolerate more edits, and bring unrelated texts
	// together: DESIGN.md has the table.
	SimhashWidth int

	// SimhashWeight says how much a feature counts, default WeightDistinct.
	SimhashWeight Weight

	// Fingerprint says how shingles, and the features of the simhash, become
	// numbers, default Polynomial.
	Fingerprint Fingerprint

	// Bag keeps multiplicity, default false: the second copy of a shingle is an
	// element of its own, as is the third (Broder, "On the resemblance and
	// containment of documents", 1997, section 2: labelled shingles). A text then
	// resembles the same text written twice by one half. The simhash goes by
	// SimhashWeight alone.
	Bag bool

	// Seed selects the hash functions, default 0. A seed that is kept secret
	// keeps others from building texts that collide.
	Seed uint64

	// Tokens names what finds the tokens, "" for package token. It is set by the
	// bleve analyzer when it is built on another tokenizer, and only compared.
	Tokens string
}

// Weight says how much a feature of the simhash counts.
type Weight string

const (
	// WeightDistinct counts each distinct feature once.
	WeightDistinct Weight = "distinct"

	// WeightCount counts a feature as often as it occurs. A line repeated a hundred
	// times then decides the simhash alone: of 11,000 mails it brings 496 pairs within
	// 3 bits that are not equal, 30 of them of a resemblance below .5; WeightDistinct
	// 103 and none (go test -v -run WeightsOnMail).
	WeightCount Weight = "count"

	// WeightLog counts a feature that occurs n times 1+log2(n) times, rounded down:
	// the logarithm of the vector space model (Manning, Raghavan, Schütze,
	// "Introduction to Information Retrieval", 6.4.1) in whole numbers. Of the same
	// mails it brings 310 pairs, 10 of them below .5.
	WeightLog Weight = "log"
)

// weights are the valid values of Params.SimhashWeight, the default first.
var weights = []Weight{WeightDistinct, WeightCount, WeightLog}

// Fingerprint says how a shingle becomes a number.
type Fingerprint string

const (
	// Polynomial is the polynomial in the token hashes of package shingle: 64 bits,
	// the fastest.
	Polynomial Fingerprint = "polynomial"

	// XXHash64 is xxHash64, seeded, of the folded text of the tokens joined by one
	// space: the same numbers as in other programs. It decodes every rune, which
	// takes three times as long as Polynomial, and memory for the text of a
	// few hundred tokens.
	XXHash64 Fingerprint = "xxhash64"

	// Rabin64 is the Rabin fingerprint of the token hashes for a polynomial of
	// degree 64 that the seed selects (package rabin).
	Rabin64 Fingerprint = "rabin64"

	// Rabin40 is that of degree 40, as AltaVista's: among n shingles about n^2/2^41
	// pairs share a fingerprint by accident.
	Rabin40 Fingerprint = "rabin40"
)

// Fingerprints returns the valid values of Params.Fingerprint, the default first.
func Fingerprints() []Fingerprint { return []Fingerprint{Polynomial, XXHash64, Rabin64, Rabin40} }

// DefaultParams returns the parameters that the zero configuration stands for.
func DefaultParams() Params {
	return Params{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: WeightDistinct, Fingerprint: Polynomial}
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
	if p.SimhashWeight != "" && !slices.Contains(weights, p.SimhashWeight) {
		return fmt.Errorf("signature: simhash_weight: wanted one of %q, got %q", weights, p.SimhashWeight)
	}
	if p.Fingerprint != "" && !slices.Contains(Fingerprints(), p.Fingerprint) {
		return fmt.Errorf("signature: fingerprint: wanted one of %q, got %q", Fingerprints(), p.Fingerprint)
	}
	return nil
}

// ID is a fingerprint of the parameters and of the algorithm's version: 32 bits
// of the xxHash64 of their names and values.
func (p Params) ID() uint32 {
	text := fmt.Sprintf("neardup %d width %d lanes %d simhash_width %d simhash_weight %s seed %d tokens %q",
		formatVersion, p.Width, p.Lanes, p.SimhashWidth, cmp.Or(p.SimhashWeight, WeightDistinct), p.Seed, p.Tokens)
	// These came later: where they are not set the text stays what it was.
	if f := cmp.Or(p.Fingerprint, Polynomial); f != Polynomial {
		text += fmt.Sprintf(" fingerprint %s", f)
	}
	if p.Bag {
		text += " bag"
	}
	return uint32(xxhash.Sum64String(text))
}
