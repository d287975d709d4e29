package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
)

// Keys makes the keys of signatures, for those who bring together what shares one by
// other means than a table in memory: a sort on disk, or the join of another engine.
// Signatures of the same parameters that meet the rule share a key, unless the Plan is
// one that misses some. What shares a key need not meet it.
type Keys struct {
	scheme scheme
	bands  []laneBand
	masks  []uint64
}

// Keys returns what makes the keys of sketches of so many lanes for rule; c and rule must
// be valid.
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

// Complete reports whether keys stand for all of the rule. They do not for one of a
// Hamming distance above 5, for which blocks of the simhash would be so short that
// everything shares one.
func (k *Keys) Complete() bool { return !k.scheme.scan }

// Bands is the number of bands.
func (k *Keys) Bands() int { return len(k.bands) }

// Band returns the key of s in band n, and false if it has none: if it is too short for
// the rule.
func (k *Keys) Band(n int, s *signature.Signature) (key uint64, ok bool) {
	if s.Tokens == 0 || !k.scheme.sized(s) {
		return 0, false
	}
	return k.bands[n].key(s.Sketch, saltOf(s.Params, 0)), true
}

// Blocks is the number of blocks of the simhash of which two that are near agree in one:
// one more than bits may differ, and none if the rule does not ask for simhashes, or their
// bands are enough. For a Hamming distance above 10 it is 1, and that block has no bits.
func (k *Keys) Blocks() int { return k.scheme.sorted() }

// Block returns the simhash of s, rotated such that block n comes first, from the most
// significant bit on, and the number of bits of the block. The distance of two stays what
// it was. It is false if s has no block.
func (k *Keys) Block(n int, s *signature.Signature) (rotated uint64, width int, ok bool) {
	blocks := k.Blocks()
	begin, end := band.Bounds(64, blocks, n)
	if width = end - begin; blocks == 1 && k.scheme.rule.Hamming > 0 {
		width = 0
	}
	return bits.RotateLeft64(s.Simhash, -end), width, s.Tokens > 0 && s.Simhash != 0 && k.scheme.sized(s)
}

// Append appends all keys of s, 16 for the default rule: of the exact hash, of each band,
// and of each table of the simhash that the Plan asks for. Keys of different kinds differ.
func (k *Keys) Append(dst []uint64, s *signature.Signature) []uint64 {
	if s.Tokens == 0 {
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
