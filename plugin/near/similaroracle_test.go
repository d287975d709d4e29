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
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// most bounds the tests against plain comparison, which take minutes at 100,000:
//
//	go test ./plugin/near -run 'RealText|Threshold' -most 100000
var most = flag.Int("most", 500, "documents of a data set, and signatures at the threshold")

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

// Real text, in one index and in an alias of three, with deletes and updates.
func TestRealText(t *testing.T) {
	t.Parallel()
	for _, set := range []string{
		"", "enron-spam/docs.jsonl.gz",
	} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			var docs []neartest.Doc
			switch {
			case set == "":
				docs = neartest.Shipped(t)
			case testing.Short():
				t.Skip("some seconds")
			default:
				docs = neartest.Docs(t, set)
			}
			docs = docs[:min(len(docs), fewer(*most, 300))]
			realText(t, docs)
		})
	}
}

func realText(t *testing.T, docs []neartest.Doc) {
	parts := []bleve.Index{texts(t, nil), texts(t, nil), texts(t, nil)}
	one := texts(t, nil)
	all := map[string]*signature.Signature{}
	write := map[string]any{}
	members := []map[string]any{{}, {}, {}}
	for i, d := range docs {
		s := signature.Of(signature.DefaultParams(), []byte(d.Text))
		all[d.ID], write[d.ID] = &s, map[string]any{"body": d.Text}
		members[i%3][d.ID] = write[d.ID]
	}
	put(t, one, write)
	for n, part := range parts {
		put(t, part, members[n])
	}
	alter := []map[string]any{{}, {}, {}}
	for i, d := range docs[:min(len(docs), 400)] { // every other of these is deleted, or has another's text
		text := docs[len(docs)-1-i].Text
		s := signature.Of(signature.DefaultParams(), []byte(text))
		var doc any = map[string]any{"body": text}
		switch i % 4 {
		case 0:
			delete(all, d.ID)
			doc = nil
		case 2:
			all[d.ID] = &s
		default:
			continue
		}
		alter[i%3][d.ID] = doc
	}
	for n, part := range parts {
		put(t, one, alter[n])
		put(t, part, alter[n])
	}
	pairs := hold(t, all, 200, backends, one, bleve.NewIndexAlias(parts...))
	t.Logf("%d documents, %d near those probed", len(all), pairs)
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

// Signatures at the very threshold, in one index and an alias, with deletes, updates,
// documents without a signature and texts that are too short for more than equality.
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
	one, parts := forged(t, forging, ""), []bleve.Index{forged(t, forging, ""), forged(t, forging, "")}
	all, write, members := map[string]*signature.Signature{}, map[string]any{}, []map[string]any{{}, {}}
	for i, s := range sigs {
		id := fmt.Sprint(i)
		all[id], write[id] = s, forgedDoc(t, s)
		members[i%2][id] = write[id]
	}
	put(t, one, write)
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
		put(t, parts[n], docs)
	}
	probes := fewer(min(500, 20_000_000/n), 150)
	if pairs := hold(t, all, probes, backends, one, bleve.NewIndexAlias(parts...)); pairs < 2*probes {
		t.Errorf("%d near %d: this test shows little", pairs, probes)
	}
}

// A plain scorch index that has signatures stored is served by its terms.
func TestPlainIndex(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(43, 44))
	x := forged(t, scorch.Name, "")
	if got := nearIDs(t, x, &near.SimilarQuery{Signature: random(rnd)}); got != nil {
		t.Errorf("an empty index: got %q", got)
	}
	var sigs []*signature.Signature
	for range 60 {
		s := random(rnd)
		sigs = hostile(rnd, append(sigs, s), s)
	}
	all, write := map[string]*signature.Signature{}, map[string]any{}
	for i, s := range sigs {
		all[fmt.Sprint(i)], write[fmt.Sprint(i)] = s, forgedDoc(t, s)
	}
	put(t, x, write)
	hold(t, all, len(all), []near.Backend{"", near.Terms}, x)
}
