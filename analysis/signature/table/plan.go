package table

import (
	"fmt"
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Plan says which keys documents have in a Frozen. The zero Plan misses nothing: it has d+1
// bands if d lanes may differ, and h+1 blocks of the simhash if h bits may.
//
// # Bands of lanes
//
// Locality-sensitive hashing (Indyk, Motwani, STOC 1998) with Bands bands of Rows lanes
// finds the signatures that agree in all lanes of a band. More bands of fewer rows find
// more, and bring more to be compared. With d bands or fewer some pairs are missed: see
// Recall.
//
// # Tables of the simhash
//
// The tables are those of Manku, Jain, Das Sarma ("Detecting near-duplicates for web
// crawling", WWW 2007, section 3). A table has the documents by p bits of the simhash, and
// a lookup meets the documents that agree in all p bits. Wherever 3 differing bits are,
// there is a table without any of them, so none of the four plans misses a pair:
//
//	tables  bits of a table                                       p
//	4       one of 4 blocks of 16                                 16
//	10      two of 5 blocks of 12 and 13                          25, 26
//	16      one of 4 blocks of 16, and of the 48 others one of    28
//	        4 blocks of 12
//	20      three of 6 blocks of 10 and 11                        31, 32, 33
//
// Among n documents with random simhashes a lookup meets n/2^p in a table. So the 4 tables
// meet 61 of a million, and the other plans hardly one.
type Plan struct {
	// Bands and Rows are the number of bands and of lanes in each, at most sketch.MaxLanes
	// lanes together. If both are 0, the bands miss nothing. Bands for which a sketch has
	// no lanes are left out.
	Bands int `json:"bands,omitempty"`
	Rows  int `json:"rows,omitempty"`

	// Tables is the number of tables of the simhash: 4, 10, 16 or 20, for rules with a
	// Hamming distance of at most 3. 0 means as many as the rule needs, 4 for a distance of
	// 3.
	Tables int `json:"tables,omitempty"`
}

// Validate returns an error that names the first field that is out of range for rule.
func (p Plan) Validate(rule signature.Rule) error {
	switch {
	case p.Bands < 0 || p.Bands > sketch.MaxLanes:
		return fmt.Errorf("plan: bands: wanted 0 to %d, got %d", sketch.MaxLanes, p.Bands)
	case p.Rows < 0 || (p.Rows == 0) != (p.Bands == 0) || p.Bands*p.Rows > sketch.MaxLanes:
		return fmt.Errorf("plan: bands and rows: must both be 0, or both 1 or more with at most %d lanes together, got %d bands of %d", sketch.MaxLanes, p.Bands, p.Rows)
	case p.Tables != 0 && p.Tables != 4 && p.Tables != 10 && p.Tables != 16 && p.Tables != 20:
		return fmt.Errorf("plan: tables: wanted 4, 10, 16, 20, or 0 for as many as the rule needs, got %d", p.Tables)
	case p.Tables != 0 && rule.Bits() > mostHamming:
		return fmt.Errorf("plan: tables: cannot be chosen for a rule of hamming above %d, got %d", mostHamming, rule.Bits())
	}
	return nil
}

// mostHamming is the greatest Hamming distance for which a Plan can choose tables.
const mostHamming = 3

// Exact reports whether lookups among sketches of k lanes miss nothing that meets rule.
func (p Plan) Exact(rule signature.Rule, k int) bool {
	return p.Bands == 0 || rule.Mode == signature.SimhashOnly || rule.Mode == signature.ExactOnly || p.bands(k) > k-rule.Need(k)
}

// bands returns the number of bands for sketches of k lanes.
func (p Plan) bands(k int) int { return min(p.Bands, k/p.Rows) }

// Recall returns the probability that the bands find a pair whose sketches agree in agree
// of k lanes: that no lane differs in at least one of the bands. It is exact if each set of
// agree lanes is as likely as any other, as with lanes of independent hashes. (The usual
// formula 1-(1-s^r)^b, with s^r for each band, is the probability for a resemblance s, over
// all numbers of lanes that can agree; here the number is known.) For the zero Plan and
// pairs that meet the rule, Recall returns 1.
//
// The d = k-agree lanes that differ are one of C(k,d) sets. The sets that leave no band
// whole are counted by the coefficient of x^d in ((1+x)^r-1)^b (1+x)^(k-br): one lane or
// more of each band, any of the rest. No term is negative, so nothing is lost to
// cancellation, as it would be with inclusion and exclusion.
func (p Plan) Recall(agree, k int) float64 {
	if p.Bands == 0 {
		return 1
	}
	d := k - max(0, agree)
	if d < 0 || k <= 0 {
		return 0
	}
	b := p.bands(k)
	some := binomials(p.Rows)
	some[0] = 0
	sets := binomials(k - b*p.Rows)
	for range b {
		sets = product(sets, some)
	}
	return max(0, 1-sets[d]/binomials(k)[d])
}

// binomials returns the coefficients of (1+x)^n.
func binomials(n int) []float64 {
	row := make([]float64, n+1)
	row[0] = 1
	for i := range n {
		for j := i + 1; j > 0; j-- {
			row[j] += row[j-1]
		}
	}
	return row
}

func product(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			out[i+j] += x * y
		}
	}
	return out
}

// masks returns the bits of the simhash by which each table has its documents.
func (p Plan) masks() (all []uint64) {
	switch p.Tables {
	case 10, 20:
		n, chosen := 5, 2
		if p.Tables == 20 {
			n, chosen = 6, 3
		}
		for set := range uint(1) << n {
			if bits.OnesCount(set) != chosen {
				continue
			}
			mask := uint64(0)
			for i := range n {
				if set>>i&1 != 0 {
					mask |= band.Mask(^uint64(0), n, i)
				}
			}
			all = append(all, mask)
		}
	case 16:
		for i := range 4 {
			first := band.Mask(^uint64(0), 4, i)
			for j := range 4 {
				all = append(all, first|band.Mask(^first, 4, j))
			}
		}
	}
	return all
}

// maxBlocks is the greatest number of blocks of the simhash that have keys.
const maxBlocks = 6

// scheme says which keys a signature has for one rule.
type scheme struct {
	rule   signature.Rule
	most   int // bits of the simhash that may differ
	chosen Plan
	lanes  bool // bands of lanes have keys
	blocks int  // of the simhash that have keys
	scan   bool // all simhashes are compared instead
}

// scheme returns the scheme of p for rule.
func (p Plan) scheme(rule signature.Rule) scheme {
	s := newScheme(rule)
	s.chosen = p
	if p.Tables > 0 && s.blocks > 0 {
		s.blocks = p.Tables
	}
	return s
}

func newScheme(rule signature.Rule) scheme {
	p := scheme{rule: rule, most: rule.Bits(), lanes: rule.Mode != signature.SimhashOnly && rule.Mode != signature.ExactOnly}
	// Where both tests must be passed, the keys for one test are enough.
	if rule.Mode != signature.SketchOnly && rule.Mode != signature.Both && rule.Mode != signature.ExactOnly {
		p.blocks = p.most + 1
		if p.blocks > maxBlocks {
			p.blocks, p.scan = 0, true
		}
	}
	return p
}

// maxConnectBlocks is the greatest number of blocks for which sorting by each block
// compares fewer pairs than comparing all pairs: 11 blocks of 5 bits.
const maxConnectBlocks = 11

// sorted returns the number of blocks of the simhash by which signatures are sorted. More
// than maxConnectBlocks are replaced by one block of no bits, which all signatures share.
func (p *scheme) sorted() int {
	switch {
	case p.scan && p.most >= maxConnectBlocks:
		return 1
	case p.scan:
		return p.most + 1
	}
	return p.blocks
}

// sized reports whether s can match by more than its exact hash.
func (p *scheme) sized(s *signature.Signature) bool {
	return s.Lanes > 0 && p.rule.Long(s)
}

// bands returns the number of bands of k lanes that have keys.
func (p *scheme) bands(k int) int {
	switch {
	case !p.lanes:
		return 0
	case p.chosen.Bands > 0:
		return p.chosen.bands(k)
	}
	return max(0, k-p.rule.Need(k)+1)
}

// band returns band i of n over sketches of k lanes.
func (p *scheme) band(k, n, i int) laneBand {
	if r := p.chosen.Rows; r > 0 {
		return lanesOf(i, r*i, r*(i+1))
	}
	return bandOf(k, n, i)
}

// keys has room for the keys of a signature by the default rule.
type keys [16]uint64

// append appends the keys of s, and returns where the keys of simhash blocks begin.
func (p *scheme) append(dst []uint64, s *signature.Signature) (keys []uint64, blocks int) {
	if !p.rule.Long(s) {
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

// saltOf makes keys of different parameters, and of different scopes, differ.
func saltOf(params uint32, scope uint64) uint64 { return token.Mix(uint64(params), 0) ^ scope }

// exactKey returns the key of an exact hash.
func exactKey(exact, salt uint64) uint64 { return token.Fold(exact^salt, keyMul) }

// Odd constants that make the keys of different bands differ, and spread them.
const (
	keyStep = 0x9e3779b97f4a7c15
	keyMul  = 0xd6e8feb86659fd93
	wordMul = 0xa0761d6478bd642f
)

// laneBand is band i of n. If the sketch has at least n words of four lanes, a band is a
// run of whole words, and its key a multiply-fold of them. This takes 2 ns; the bands of
// package band, which divide the lanes more evenly, take 10. Of 11 bands 8 then have 8
// lanes and the others 12, which brings together a few more pairs that are not duplicates.
type laneBand struct {
	i          int
	begin, end int  // in words or in lanes
	whole      bool // in words
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
