package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Keys makes the keys of signatures. Tables in memory have them, and so has code that finds
// signatures with a common key by other means: a sort on disk, or the join of another
// engine. Signatures of the same parameters that meet the rule share a key, unless the Plan
// is one that misses some pairs. Signatures that share a key need not meet the rule.
type Keys struct {
	rule  signature.Rule
	plan  Plan
	lanes int // of the sketches
	bands []laneBand
	need  int      // bands that agree if enough lanes do
	most  int      // bits of the simhash that may differ
	masks []uint64 // the bits of the simhash that each of its tables has
	scan  bool     // all simhashes are compared instead

	// blocks is the number of blocks of the simhash by which signatures are sorted: one more than the
	// number of bits that may differ, so that two near simhashes agree in at least one.
	blocks int
}

const (
	// maxBlocks is the greatest number of blocks of the simhash that have keys.
	maxBlocks = 6

	// maxSortBlocks is the greatest number of blocks for which sorting by each block compares
	// fewer pairs than comparing all pairs: 11 blocks of 5 bits. More are replaced by one block
	// of no bits, which all signatures share.
	maxSortBlocks = 11
)

// Keys returns the Keys for rule and sketches of that many lanes; p and rule must be valid.
func (p Plan) Keys(rule signature.Rule, lanes int) *Keys { return p.keys(rule, lanes, 0) }

// keys returns Keys. Bands of fewer than so many lanes are one more than misses nothing, so that two of them agree.
func (p Plan) keys(rule signature.Rule, lanes, fewest int) *Keys {
	k := &Keys{rule: rule, plan: p, lanes: lanes, most: rule.Bits(), need: 1}
	if rule.Mode != signature.SimhashOnly && rule.Mode != signature.ExactOnly {
		n := max(0, min(lanes, lanes-rule.Need(lanes, 0)+1))
		if p.Bands > 0 {
			n = p.bands(lanes)
		} else if n < lanes && lanes < fewest*n {
			n, k.need = n+1, 2
		}
		for i := range n {
			if p.Rows > 0 {
				k.bands = append(k.bands, lanesOf(i, p.Rows*i, p.Rows*(i+1)))
			} else {
				k.bands = append(k.bands, bandOf(lanes, n, i))
			}
		}
	}
	// Where both tests must be passed, the keys for one test are enough.
	if rule.Mode != signature.SketchOnly && rule.Mode != signature.Both && rule.Mode != signature.ExactOnly {
		k.blocks = k.most + 1
		if k.scan = k.blocks > maxBlocks; !k.scan {
			k.masks = p.masks(k.blocks)
		}
		if k.blocks > maxSortBlocks {
			k.blocks = 1
		}
	}
	return k
}

// Complete reports whether the keys of Append cover the whole rule. They do not for a
// Hamming distance above 5: blocks of the simhash would be so short that everything would
// share one.
func (k *Keys) Complete() bool { return !k.scan }

// Append appends all keys of s, 16 for the default rule: for the exact hash, for each band,
// and for each table of the simhash that the Plan asks for. Keys of different kinds differ.
func (k *Keys) Append(dst []uint64, s *signature.Signature) []uint64 {
	return k.append(dst, s, saltOf(s.Params, 0))
}

func (k *Keys) append(dst []uint64, s *signature.Signature, salt uint64) []uint64 {
	n := k.count(s)
	if n == 0 {
		return dst
	}
	dst = append(dst, exactKey(s.Exact, salt))
	for i := range k.bands[:min(n-1, len(k.bands))] {
		dst = append(dst, k.bands[i].key(s.Sketch, salt))
	}
	for i := len(k.bands) + 1; i < n; i++ {
		dst = append(dst, k.simhashKey(i, s.Simhash, salt))
	}
	return dst
}

// count returns how many of the keys s has.
func (k *Keys) count(s *signature.Signature) int {
	switch {
	case !k.rule.Long(s):
		return 0
	case s.Lanes == 0:
		return 1
	case s.Simhash == 0:
		return 1 + len(k.bands)
	}
	return 1 + len(k.bands) + len(k.masks)
}

// key returns the n-th key of s, which has it.
func (k *Keys) key(n int, s *signature.Signature, salt uint64) uint64 {
	switch {
	case n == 0:
		return exactKey(s.Exact, salt)
	case n <= len(k.bands):
		return k.bands[n-1].key(s.Sketch, salt)
	default:
		return k.simhashKey(n, s.Simhash, salt)
	}
}

func exactKey(exact, salt uint64) uint64 { return token.Fold(exact^salt, keyMul) }

func (k *Keys) simhashKey(n int, h, salt uint64) uint64 {
	return token.Fold(h&k.masks[n-1-len(k.bands)]^salt^uint64(n)*keyStep, keyMul)
}

// agree reports whether two signatures, which have it, agree in what the n-th key is made of.
func (k *Keys) agree(n int, s, t *signature.Signature) bool {
	switch m := n - 1 - len(k.bands); {
	case n == 0:
		return s.Exact == t.Exact
	case m < 0:
		return k.bands[n-1].agree(s.Sketch, t.Sketch)
	default:
		return (s.Simhash^t.Simhash)&k.masks[m] == 0
	}
}

// Kinds returns the number of kinds of keys for a sort: one for the exact hash, one for each
// band, and one for each block of the simhash.
func (k *Keys) Kinds() int { return 1 + len(k.bands) + k.blocks }

// Bands returns the number of bands, whose kinds follow that of the exact hash.
func (k *Keys) Bands() int { return len(k.bands) }

// Kind returns the key of s of a kind, and false if it has none. The key of a block is the
// simhash, some bits flipped, and rotated so that the block comes first, from the most
// significant bit on. So distances stay the same, and bits after the block show most
// simhashes to be far apart.
func (k *Keys) Kind(n int, s *signature.Signature) (key uint64, ok bool) {
	return k.kind(n, s, saltOf(s.Params, 0))
}

func (k *Keys) kind(n int, s *signature.Signature, salt uint64) (key uint64, ok bool) {
	switch b := n - 1 - len(k.bands); {
	case !k.rule.Long(s) || n > 0 && s.Lanes == 0 || n >= k.Kinds():
		return 0, false
	case n == 0:
		return s.Exact ^ salt, true
	case b < 0:
		return k.bands[n-1].key(s.Sketch, salt), true
	default:
		_, end := sketch.Bounds(64, k.blocks, b)
		return bits.RotateLeft64(s.Simhash^salt, -end), s.Simhash != 0
	}
}

// Width returns how many of the first bits of their keys of a kind signatures must share to
// be compared: all 64, or those of a block.
func (k *Keys) Width(n int) int {
	switch b := n - 1 - len(k.bands); {
	case b < 0:
		return 64
	case k.blocks <= k.most: // one block stands for more
		return 0
	default:
		begin, end := sketch.Bounds(64, k.blocks, b)
		return end - begin
	}
}

// saltOf makes keys of different parameters, and of different scopes, differ.
func saltOf(params uint32, scope uint64) uint64 { return token.Mix(uint64(params), 0) ^ scope }

// Odd constants that make the keys of different kinds differ, and spread them.
const (
	keyStep = 0x9e3779b97f4a7c15
	keyMul  = 0xd6e8feb86659fd93
	wordMul = 0xa0761d6478bd642f
)

// laneBand is band i of n. If the sketch has at least n words of eight lanes, a band is a run of whole words, and its
// key a multiply-fold of them. This takes 2 ns; bands of sketch.Sketch.Band, which divide the lanes more evenly, take
// 10. Of 11 bands of 100 lanes 9 then have 8 lanes and the others 12 and 16, which brings together a few more pairs
// that are not duplicates.
type laneBand struct {
	i          int
	begin, end int  // in words or in lanes
	whole      bool // in words
}

// bandOf returns band i of n over sketches of k lanes.
func bandOf(k, n, i int) laneBand {
	if words := sketch.Words(k); n <= words {
		begin, end := sketch.Bounds(words, n, i)
		return laneBand{i, begin, end, true}
	}
	begin, end := sketch.Bounds(k, n, i)
	return lanesOf(i, begin, end)
}

// lanesOf returns band i of the lanes from begin to end.
func lanesOf(i, begin, end int) laneBand {
	if begin%8 == 0 && end%8 == 0 {
		return laneBand{i, begin / 8, end / 8, true}
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
		if word = word<<8 | uint64(s.Lane(i)); (i-b.begin)%8 == 7 || i+1 == b.end {
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
	for i := b.begin; i < b.end; i++ { // most differ in the first word, which a call would take longer to say
		if s[i] != t[i] {
			return false
		}
	}
	return true
}
