package near_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// most bounds the tests against plain comparison, which take minutes at 100,000:
//
//	go test ./plugin/near -run Threshold -most 100000
var most = flag.Int("most", 500, "signatures at the threshold")

// hold holds what queries find in each of the indexes against plain comparison of all
// signatures, for some of them.
func hold(t *testing.T, all map[string]*signature.Signature, probes int, backends []near.Backend, indexes ...bleve.Index) (pairs int) {
	t.Helper()
	ids := make([]string, 0, len(all))
	for id, s := range all {
		if s != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	rnd := rand.New(rand.NewPCG(1, uint64(len(ids))))
	rnd.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids[:min(probes, len(ids))] {
		want := oracle(signature.Rule{}, all, all[id])
		pairs += len(want)
		for _, b := range backends {
			for n, x := range indexes {
				if got := nearIDs(t, x, &near.SimilarQuery{Signature: all[id], Backend: b}); !slices.Equal(got, want) {
					t.Fatalf("%s, index %d: near %s are %q, want %q", b, n, id, got, want)
				}
			}
		}
	}
	return pairs
}

// fewer is how much of something a test has, at most so much with -short.
func fewer(full, short int) int {
	if testing.Short() {
		return min(full, short)
	}
	return full
}

// apart returns a copy of s that differs in the given lanes, by one bit each, and in
// bits of the simhash.
func apart(rnd *rand.Rand, s *signature.Signature, lanes, bits []int) *signature.Signature {
	c := *s
	c.Exact, c.Sketch = rnd.Uint64(), slices.Clone(s.Sketch)
	for _, lane := range lanes {
		c.Sketch[lane/8] ^= 1 << (rnd.IntN(8) + lane%8*8)
	}
	for _, bit := range bits {
		c.Simhash ^= 1 << bit
	}
	return &c
}

// hostile appends copies of s that meet the rule as barely as they can, and others
// that barely do not: lanes that differ stand in as many bands as there can be, those
// of the table (whole words) and those of the terms (9 or 10 lanes), bits in as many
// blocks. What does not differ enough in one way is far off in the other.
func hostile(rnd *rand.Rand, all []*signature.Signature, s *signature.Signature) []*signature.Signature {
	var spread [2][]int // a lane of each band
	for n := range 11 {
		words := func(n int) int { return 25 * n / 11 }
		spread[0] = append(spread[0], 4*words(n)+rnd.IntN(4*(words(n+1)-words(n))))
		spread[1] = append(spread[1], 100*n/11+rnd.IntN(9))
	}
	var all64 []int
	for bit := range 64 {
		if bit%3 > 0 {
			all64 = append(all64, bit)
		}
	}
	free := rnd.IntN(11)
	for _, lanes := range spread {
		ten := slices.Delete(slices.Clone(lanes), free, free+1)
		all = append(all, apart(rnd, s, ten, all64), apart(rnd, s, lanes, all64))
	}
	bits := []int{rnd.IntN(16), 16 + rnd.IntN(16), 32 + rnd.IntN(16), 48 + rnd.IntN(16)}
	three := slices.Delete(slices.Clone(bits), free%4, free%4+1)
	far := rnd.Perm(100)[:60]
	return append(all, apart(rnd, s, far, three), apart(rnd, s, far, bits), apart(rnd, s, rnd.Perm(100)[:10+rnd.IntN(2)], nil))
}

// Signatures at the very threshold, in one index, in an alias, and in a plain index of scorch that has signatures stored, which is
// served by its terms; with deletes, updates, documents without a signature and texts that are too short for more than equality.
func TestThreshold(t *testing.T) {
	t.Parallel()
	n := fewer(*most, 600)
	rnd := rand.New(rand.NewPCG(41, uint64(n)))
	short := func() *signature.Signature {
		return &signature.Signature{Params: signature.DefaultParams().ID(), Exact: 1 + rnd.Uint64N(20), Tokens: 2}
	}
	sigs := []*signature.Signature{nil, {Params: signature.DefaultParams().ID()}}
	for len(sigs) < n {
		switch rnd.IntN(12) {
		case 0:
			sigs = append(sigs, short(), nil)
		case 1, 2, 3:
			sigs = append(sigs, random(rnd))
		default:
			base := sigs[rnd.IntN(len(sigs))]
			if base == nil || base.Lanes == 0 || rnd.IntN(2) == 0 {
				base = random(rnd)
				sigs = append(sigs, base)
			}
			sigs = hostile(rnd, sigs, base)
		}
	}
	one, plain, parts := forged(t, forging, ""), forged(t, scorch.Name, ""), []bleve.Index{forged(t, forging, ""), forged(t, forging, "")}
	all, write, members := map[string]*signature.Signature{}, map[string]any{}, []map[string]any{{}, {}}
	for i, s := range sigs {
		id := fmt.Sprint(i)
		all[id], write[id] = s, forgedDoc(t, s)
		members[i%2][id] = write[id]
	}
	if got := nearIDs(t, plain, &near.SimilarQuery{Signature: random(rnd)}); got != nil {
		t.Errorf("an empty index: got %q", got)
	}
	put(t, one, write)
	put(t, plain, write)
	put(t, parts[0], members[0])
	put(t, parts[1], members[1])
	alter := []map[string]any{{}, {}}
	for range 300 {
		i := rnd.IntN(len(sigs))
		id := fmt.Sprint(i)
		if delete(all, id); rnd.IntN(2) == 0 {
			alter[i%2][id] = nil
			continue
		}
		all[id] = sigs[rnd.IntN(len(sigs))]
		alter[i%2][id] = forgedDoc(t, all[id])
	}
	for n, docs := range alter {
		put(t, one, docs)
		put(t, plain, docs)
		put(t, parts[n], docs)
	}
	probes := fewer(min(500, 20_000_000/n), 150)
	if pairs := hold(t, all, probes, backends, one, bleve.NewIndexAlias(parts...)); pairs < 2*probes {
		t.Errorf("%d near %d: this test shows little", pairs, probes)
	}
	hold(t, all, probes/2, []near.Backend{"", near.Terms}, plain)
}
