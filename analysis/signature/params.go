package signature

import (
	"cmp"
	"fmt"

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
	// times then decides the simhash alone: among 34,000 mails it makes 128,000
	// pairs of resemblance below .5 duplicates, where WeightDistinct makes none.
	WeightCount Weight = "count"
)

// DefaultParams returns the parameters that the zero configuration stands for.
func DefaultParams() Params {
	return Params{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: WeightDistinct}
}

// Limits returns the least and the greatest valid numbers.
func Limits() (least, most Params) {
	return Params{Width: 1, Lanes: sketch.MinLanes, SimhashWidth: 1},
		Params{Width: shingle.MaxWidth, Lanes: sketch.MaxLanes, SimhashWidth: shingle.MaxWidth}
}

// Validate returns an error that names the first parameter out of range.
func (p Params) Validate() error {
	least, most := Limits()
	for _, v := range []struct {
		name             string
		got, least, most int
	}{
		{"width", p.Width, least.Width, most.Width},
		{"lanes", p.Lanes, least.Lanes, most.Lanes},
		{"simhash_width", p.SimhashWidth, least.SimhashWidth, most.SimhashWidth},
	} {
		if v.got < v.least || v.got > v.most {
			return fmt.Errorf("signature: %s: wanted %d to %d, got %d", v.name, v.least, v.most, v.got)
		}
	}
	switch p.SimhashWeight {
	case "", WeightDistinct, WeightCount:
		return nil
	}
	return fmt.Errorf("signature: simhash_weight: wanted %q or %q, got %q", WeightDistinct, WeightCount, p.SimhashWeight)
}

// ID is a fingerprint of the parameters and of the algorithm's version: 32 bits
// of the xxHash64 of their names and values.
func (p Params) ID() uint32 {
	return uint32(xxhash.Sum64String(fmt.Sprintf("neardup %d width %d lanes %d simhash_width %d simhash_weight %s seed %d tokens %q",
		formatVersion, p.Width, p.Lanes, p.SimhashWidth, cmp.Or(p.SimhashWeight, WeightDistinct), p.Seed, p.Tokens)))
}
