package table_test

import (
	"math/rand/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// mixed makes a rule, for signatures of one of the numbers of lanes, with one of the
// distances, and n signatures or a few more: families that just meet the rule, families
// that just do not, and documents with no signature (nil), no token, no shingle, other
// parameters or other lanes.
func mixed(rnd *rand.Rand, lanes, distances []int, n int) (rule signature.Rule, all []*signature.Signature) {
	k := lanes[rnd.IntN(len(lanes))]
	rule = signature.Rule{
		Lanes:    []int{0, 1, k / 2, k - 1, k, k + 1}[rnd.IntN(6)],
		Hamming:  distances[rnd.IntN(len(distances))],
		Mode:     []signature.Mode{"", signature.Either, signature.Both, signature.SketchOnly, signature.SimhashOnly, signature.ExactOnly}[rnd.IntN(6)],
		MinWords: []int{0, -1, 10, 20}[rnd.IntN(4)],
	}
	rule.LongLanes = []int{0, 0, k - k/8, k}[rnd.IntN(4)]
	short := &signature.Signature{Params: uint32(k), Exact: 5, Tokens: 3}
	all = []*signature.Signature{short, nil, {Params: uint32(k)}, random(rnd, k), random(rnd, 100), short}
	for len(all) < n {
		base := all[rnd.IntN(len(all))]
		if base == nil || base.Lanes != k || rnd.IntN(4) == 0 {
			base = random(rnd, k)
			base.Tokens = []uint64{20, 30, 70, 100, 200}[rnd.IntN(5)]
		}
		differ := k - rule.Need(k, base.Tokens)
		c := nearby(rnd, base, min(k, max(0, differ+rnd.IntN(3)-1)), min(64, max(0, rule.Bits()+rnd.IntN(3)-1)))
		switch rnd.IntN(12) {
		case 0:
			c.Exact = base.Exact
		case 1:
			c.Params++
		case 2:
			c.Simhash = 0
		case 3:
			c.Tokens, c.Shingles = 9, 1 // few words, and the least number of shingles
		case 4:
			c = nil
		case 5:
			c = base
		case 6:
			c.Tokens += rnd.Uint64N(60)
		}
		all = append(all, c)
	}
	return rule, all
}

// someScopes returns scopes for n documents, or nil.
func someScopes(rnd *rand.Rand, n int) (scopes []uint64) {
	if rnd.IntN(2) == 0 {
		for range n {
			scopes = append(scopes, rnd.Uint64N(3))
		}
	}
	return scopes
}
