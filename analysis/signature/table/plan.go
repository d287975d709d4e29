package table

import (
	"fmt"
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Plan says which keys documents have in a Frozen. The zero Plan misses nothing: it has d+1
// bands if d lanes may differ, and h+1 blocks of the simhash if h bits may.
//
// # Bands of lanes
//
// Locality-sensitive hashing (Indyk, Motwani, STOC 1998) with Bands bands of Rows lanes
// finds the signatures that agree in all lanes of a band. More bands of fewer rows find
// more, and bring more to be compared. With d bands or fewer some pairs are missed: 4 bands of
// 23 find .25 of the pairs of which 90 of 100 lanes agree, and .81 of those with 95.
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
	return p.Bands == 0 || rule.Mode == signature.SimhashOnly || rule.Mode == signature.ExactOnly || p.bands(k) > k-rule.Need(k, 0)
}

// bands returns the number of bands for sketches of k lanes.
func (p Plan) bands(k int) int { return min(p.Bands, k/p.Rows) }

// masks returns the bits of the simhash by which each table has its documents; blocks is how
// many tables the rule needs.
func (p Plan) masks(blocks int) (all []uint64) {
	switch p.Tables {
	case 10:
		return unions(5, 2)
	case 16:
		for i := range 4 {
			first := blockOf(4, i)
			for j := range 4 {
				all = append(all, first|simhash.Mask(^first, 4, j))
			}
		}
		return all
	case 20:
		return unions(6, 3)
	case 4:
		blocks = 4
	}
	return unions(blocks, 1)
}

// unions returns the bits of each choice of some of n blocks.
func unions(n, chosen int) (all []uint64) {
	for set := range uint(1) << n {
		if bits.OnesCount(set) != chosen {
			continue
		}
		mask := uint64(0)
		for i := range n {
			if set>>i&1 != 0 {
				mask |= blockOf(n, i)
			}
		}
		all = append(all, mask)
	}
	return all
}

// blockOf returns the bits of block i of n of a simhash.
func blockOf(n, i int) uint64 {
	begin, end := sketch.Bounds(64, n, i)
	return (1<<(end-begin) - 1) << begin
}
