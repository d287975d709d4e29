package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
)

// Keys makes the keys of signatures, for code that finds signatures with a common key by
// other means than a table in memory: a sort on disk, or the join of another engine.
// Signatures of the same parameters that meet the rule share a key, unless the Plan is one
// that misses some pairs. Signatures that share a key need not meet the rule.
type Keys struct {
	scheme scheme
	bands  []laneBand
	masks  []uint64
}

// Keys returns the Keys for rule and sketches of that many lanes; c and rule must be valid.
func (c Plan) Keys(rule signature.Rule, lanes int) *Keys {
	k := &Keys{scheme: c.scheme(rule)}
	n := k.scheme.bands(lanes)
	for i := range n {
		k.bands = append(k.bands, k.scheme.band(lanes, n, i))
	}
	switch {
	case k.scheme.blocks == 0:
	case c.Tables > 4:
		k.masks = c.masks()
	default:
		for i := range k.scheme.blocks {
			k.masks = append(k.masks, band.Mask(^uint64(0), k.scheme.blocks, i))
		}
	}
	return k
}

// Complete reports whether the keys cover the whole rule. They do not for a Hamming
// distance above 5: blocks of the simhash would be so short that everything would share
// one.
func (k *Keys) Complete() bool { return !k.scheme.scan }

// Bands returns the number of bands.
func (k *Keys) Bands() int { return len(k.bands) }

// Band returns the key of s in band n, and false if s is too short for the rule to have
// one.
func (k *Keys) Band(n int, s *signature.Signature) (key uint64, ok bool) {
	if !k.scheme.sized(s) {
		return 0, false
	}
	return k.bands[n].key(s.Sketch, saltOf(s.Params, 0)), true
}

// Blocks returns the number of blocks of the simhash, such that two near simhashes agree in
// at least one: one more than the number of bits that may differ. It is 0 if the rule does
// not use simhashes, or if bands are enough. For a Hamming distance above 10 it is 1, and
// that block has no bits.
func (k *Keys) Blocks() int { return k.scheme.sorted() }

// Block returns the simhash of s, rotated so that block n comes first, from the most
// significant bit on, and the number of bits of the block. Rotated simhashes have the same
// distances. ok is false if s has no block.
func (k *Keys) Block(n int, s *signature.Signature) (rotated uint64, width int, ok bool) {
	blocks := k.Blocks()
	begin, end := band.Bounds(64, blocks, n)
	if width = end - begin; blocks == 1 && k.scheme.most > 0 {
		width = 0
	}
	return bits.RotateLeft64(s.Simhash, -end), width, s.Simhash != 0 && k.scheme.sized(s)
}

// Append appends all keys of s, 16 for the default rule: for the exact hash, for each band,
// and for each table of the simhash that the Plan asks for. Keys of different kinds differ.
func (k *Keys) Append(dst []uint64, s *signature.Signature) []uint64 {
	if !k.scheme.rule.Long(s) {
		return dst
	}
	salt := saltOf(s.Params, 0)
	dst = append(dst, exactKey(s.Exact, salt))
	for n := range k.bands {
		if key, ok := k.Band(n, s); ok {
			dst = append(dst, key)
		}
	}
	if s.Simhash != 0 && k.scheme.sized(s) {
		for n, mask := range k.masks {
			t := maskedTable{mask: mask, step: uint64(len(k.bands)+n+1) * keyStep}
			dst = append(dst, t.key(s.Simhash, salt))
		}
	}
	return dst
}
