package table

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// maxBlocks is the greatest number of blocks of the simhash that have keys.
const maxBlocks = 6

// plan says which keys a signature is filed under by one rule.
type plan struct {
	rule   signature.Rule
	chosen Plan
	lanes  bool // bands of lanes have keys
	blocks int  // of the simhash that have keys
	scan   bool // all simhashes are compared instead
}

// of returns the plan by c for rule.
func (c Plan) of(rule signature.Rule) plan {
	p := newPlan(rule)
	p.chosen = c
	if c.Tables > 0 && p.blocks > 0 {
		p.blocks = c.Tables
	}
	return p
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

// bands is the number of bands of k lanes that have keys.
func (p *plan) bands(k int) int {
	switch {
	case !p.lanes:
		return 0
	case p.chosen.Bands > 0:
		return p.chosen.bands(k)
	}
	return max(0, k-p.rule.Need(k)+1)
}

// band returns band i of n over sketches of k lanes.
func (p *plan) band(k, n, i int) laneBand {
	if r := p.chosen.Rows; r > 0 {
		return lanesOf(i, r*i, r*(i+1))
	}
	return bandOf(k, n, i)
}

// keys has room for those of a signature by the default rule.
type keys [16]uint64

// append appends the keys of s, and tells where those of simhash blocks begin.
func (p *plan) append(dst []uint64, s *signature.Signature) (keys []uint64, blocks int) {
	if s.Tokens == 0 {
		return dst, len(dst)
	}
	salt := saltOf(s.Params, 0)
	dst = append(dst, exactKey(s.Exact, salt))
	if !p.sized(s) {
		return dst, len(dst)
	}
	n := p.bands(s.Lanes)
	for i := range n {
		b := bandOf(s.Lanes, n, i)
		dst = append(dst, b.key(s.Sketch, salt))
	}
	blocks = len(dst)
	if s.Simhash != 0 {
		salt += uint64(n) * keyStep
		for i := range p.blocks {
			salt += keyStep
			dst = append(dst, token.Fold(band.Simhash(s.Simhash, p.blocks, i)^salt, keyMul))
		}
	}
	return dst, blocks
}

// saltOf keeps the keys of different parameters, and of different scopes, apart.
func saltOf(params uint32, scope uint64) uint64 { return token.Mix(uint64(params), 0) ^ scope }

// exactKey is the key of an exact hash.
func exactKey(exact, salt uint64) uint64 { return token.Fold(exact^salt, keyMul) }

// The odd constants that keep the bands apart and spread their keys.
const (
	keyStep = 0x9e3779b97f4a7c15
	keyMul  = 0xd6e8feb86659fd93
	wordMul = 0xa0761d6478bd642f
)

// laneBand is band i of n. As long as the sketch has n words of four lanes, a band
// is a run of whole words, and its key a multiply-fold of them: 2 ns, where the bands
// of package band, which divide the lanes more evenly, take 10. Of 11 bands
// then 8 have 8 lanes and the others 12; they bring together a few more pairs
// that are no duplicates.
type laneBand struct {
	i          int
	begin, end int  // in words, or in lanes
	whole      bool // words
}

// bandOf returns band i of n over sketches of k lanes.
func bandOf(k, n, i int) laneBand {
	if words := sketch.Words(k); n <= words {
		begin, end := band.Bounds(words, n, i)
		return laneBand{i, begin, end, true}
	}
	begin, end := band.Bounds(k, n, i)
	return lanesOf(i, begin, end)
}

// lanesOf returns band i of the lanes from begin to end.
func lanesOf(i, begin, end int) laneBand {
	if begin%4 == 0 && end%4 == 0 {
		return laneBand{i, begin / 4, end / 4, true}
	}
	return laneBand{i, begin, end, false}
}

// key returns the key of s.
func (b *laneBand) key(s sketch.Sketch, salt uint64) uint64 {
	key := salt + uint64(b.i+1)*keyStep
	if b.whole {
		for _, word := range s[b.begin:b.end] {
			key = token.Fold(key^word, wordMul)
		}
		return key
	}
	word := uint64(0)
	for i := b.begin; i < b.end; i++ {
		if word = word<<16 | uint64(s.Lane(i)); (i-b.begin)%4 == 3 || i+1 == b.end {
			key, word = token.Fold(key^word, wordMul), 0
		}
	}
	return key
}

// agree reports whether two sketches agree in all lanes of the band.
func (b *laneBand) agree(s, t sketch.Sketch) bool {
	if !b.whole {
		for i := b.begin; i < b.end; i++ {
			if s.Lane(i) != t.Lane(i) {
				return false
			}
		}
		return true
	}
	s, t = s[b.begin:b.end], t[b.begin:b.end]
	for i, word := range s {
		if word != t[i] {
			return false
		}
	}
	return true
}
