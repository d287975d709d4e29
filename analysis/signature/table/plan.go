package table

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// maxBlocks is the greatest number of blocks of the simhash that have keys.
const maxBlocks = 6

// plan says which keys a signature is filed under.
type plan struct {
	rule   signature.Rule
	lanes  bool // bands of lanes have keys
	blocks int  // of the simhash that have keys
	scan   bool // all simhashes are compared instead
}

func newPlan(rule signature.Rule) plan {
	p := plan{rule: rule, lanes: rule.Mode != signature.SimhashOnly}
	// Where both tests must be passed, the keys of one are enough.
	if rule.Mode != signature.SketchOnly && rule.Mode != signature.Both {
		p.blocks = rule.Hamming + 1
		if p.blocks > maxBlocks {
			p.blocks, p.scan = 0, true
		}
	}
	return p
}

// sized reports whether more than the exact hash of s counts.
func (p *plan) sized(s *signature.Signature) bool {
	return s.Lanes > 0 && s.Shingles >= uint64(p.rule.MinShingles)
}

// keys has room for those of a signature by the default rule.
type keys [16]uint64

// append appends the keys of s, and tells where those of simhash blocks begin.
func (p *plan) append(dst []uint64, s *signature.Signature) (keys []uint64, blocks int) {
	if s.Tokens == 0 {
		return dst, len(dst)
	}
	salt := token.Mix(uint64(s.Params), 0)
	dst = append(dst, token.Fold(s.Exact^salt, keyMul))
	if !p.sized(s) {
		return dst, len(dst)
	}
	if p.lanes {
		dst = appendBands(dst, s, s.Lanes-p.rule.Need(s.Lanes)+1, salt)
	}
	blocks = len(dst)
	if s.Simhash != 0 {
		for i := range p.blocks {
			salt += keyStep
			dst = append(dst, token.Fold(band.Simhash(s.Simhash, p.blocks, i)^salt, keyMul))
		}
	}
	return dst, blocks
}

// The odd constants that keep the bands apart and spread their keys.
const (
	keyStep = 0x9e3779b97f4a7c15
	keyMul  = 0xd6e8feb86659fd93
	wordMul = 0xa0761d6478bd642f
)

// appendBands appends the keys of n bands of lanes. As long as the sketch has n
// words of four lanes, a band is a run of whole words, and its key a multiply-fold
// of them: 2 ns, where the bands of package band, which divide the lanes more
// evenly, take 10. The first 8 of 11 bands then have 8 lanes and the others 12;
// they bring together a few more pairs that are no duplicates.
func appendBands(dst []uint64, s *signature.Signature, n int, salt uint64) []uint64 {
	if n > len(s.Sketch) {
		for i := range n {
			dst = append(dst, token.Fold(band.Sketch(s.Sketch, s.Lanes, n, i)^salt+uint64(i)*keyStep, keyMul))
		}
		return dst
	}
	for i := range n {
		salt += keyStep
		begin, end := band.Bounds(len(s.Sketch), n, i)
		key := salt
		for _, word := range s.Sketch[begin:end] {
			key = token.Fold(key^word, wordMul)
		}
		dst = append(dst, key)
	}
	return dst
}
