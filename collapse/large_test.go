package collapse_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/collapse"
)

// campaign has families far larger than what a page keeps at first, which is eight times
// its hits and 64, and which rank before all else; and others between them.
func campaign(seed uint64) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, seed))
	docs := families(rnd, 60, 60)
	for n, size := range []int{size(700, 240), size(260, 160)} {
		var body string
		for _, p := range families(rnd, 1, 60) {
			body = p.Body
		}
		for i := range size {
			docs[fmt.Sprintf("spam %d %03d", n, i)] = page{
				Body: fmt.Sprint(body, strings.Repeat(" common", 3-n+rnd.IntN(2))), Version: float64(rnd.IntN(4)), Project: "spam",
			}
		}
	}
	return docs
}

// Pages are the oracle's where families are larger than what is asked for at once.
func TestLargeFamilies(t *testing.T) {
	t.Parallel()
	docs := campaign(101)
	var asked atomic.Int64
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for name, x := range all {
		for _, by := range [][]string{nil, {"-version", "-_score"}, {"_id"}} {
			telling := name == "one" && by == nil || name == "nodes" && len(by) == 2
			if testing.Short() && !telling {
				continue
			}
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequest(match)
				if by != nil {
					r.SortBy(by)
				}
				all := rank(t, x, r)
				for _, o := range []collapse.Options{{}, {Visible: 3}} {
					compareTo(t, x, r, o, all.collapsed(o), 10)
				}
				if name == "one" {
					checkWhole(t, x, r, collapse.Options{})
				}
			})
		}
	}
}

// Budgets that end within families and between them leave out nothing: the cursor goes
// on.
func TestBudgetsThatEnd(t *testing.T) {
	t.Parallel()
	docs := campaign(103)
	var asked atomic.Int64
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for name, x := range all {
		for _, by := range [][]string{nil, {"-version"}} {
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequest(match)
				if by != nil {
					r.SortBy(by)
				}
				all := rank(t, x, r)
				for _, o := range []collapse.Options{{Budget: 97}, {Budget: 40, Visible: 2}, {Budget: 11, Missing: collapse.GroupMissing}} {
					if testing.Short() && o.Budget < 97 {
						continue
					}
					if diff := difference(gather(t, x, r, o, 10, true), all.collapsed(o)); diff != "" {
						t.Errorf("budget %d: %s", o.Budget, diff)
					}
				}
			})
		}
	}
}

// Cursors of thousands of heads, and pages so far down, are the oracle's.
func TestThousandsOfHeads(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes seconds, and nothing is shared in it")
	}
	rnd := rand.New(rand.NewPCG(105, 106))
	docs := map[string]page{}
	for len(docs) < 1500 {
		text := make([]string, 25)
		for i := range text {
			text[i] = fmt.Sprint("w", rnd.IntN(3000))
		}
		text[0] = "common"
		for i := range 1 + rnd.IntN(3)/2 {
			docs[fmt.Sprintf("d%05d", rnd.IntN(100000))] = page{Body: strings.Join(text, " ") + strings.Repeat("!", i), Version: float64(rnd.IntN(4))}
		}
	}
	index := newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	r := bleve.NewSearchRequest(match)
	compare(t, index, r, collapse.Options{}, 700)
	r.SortBy([]string{"-version"})
	compare(t, bleve.NewIndexAlias(collapse.Part(index), newIndex(t, nil)), r, collapse.Options{Visible: 2}, 700)
}

// Pairs that are near by simhash alone, by sketch alone, or by the exact hash alone are
// found on pages, by every rule, to the last bit and lane.
func TestNearByOneTest(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(107, 108))
	documents := map[string]any{}
	put := func(s signature.Signature) {
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		documents[fmt.Sprintf("d%05d", rnd.IntN(100000))] = string(text)
	}
	params := signature.Of(signature.DefaultParams(), []byte(sentence)).Params
	for range size(150, 50) {
		s := signature.Signature{Params: params, Exact: rnd.Uint64(), Simhash: rnd.Uint64(), Tokens: 90, Shingles: 80, Lanes: 100, Sketch: randomSketch(rnd)}
		put(s)
		near := s
		near.Exact, near.Sketch = rnd.Uint64(), randomSketch(rnd)
		for _, bit := range rnd.Perm(64)[:rnd.IntN(7)] {
			near.Simhash ^= 1 << bit
		}
		put(near)
		near = s
		near.Exact, near.Simhash, near.Sketch = rnd.Uint64(), rnd.Uint64(), slices.Clone(s.Sketch)
		for _, lane := range rnd.Perm(100)[:7+rnd.IntN(7)] {
			near.Sketch[lane/4] ^= 1 << (16*(lane%4) + rnd.IntN(16))
		}
		put(near)
		near = s
		near.Simhash, near.Sketch = rnd.Uint64(), randomSketch(rnd)
		put(near)
	}
	x := stored(t, "unguarded", nil)
	batch := x.NewBatch()
	for _, id := range slices.Sorted(maps.Keys(documents)) {
		if err := batch.Index(id, map[string]any{"body": "common", signature.Field(signature.DefaultField).Sketch(): documents[id]}); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, x, batch)
	for _, rule := range []signature.Rule{
		{},
		{Hamming: 0, Mode: signature.SimhashOnly},
		{Hamming: 1, Mode: signature.SimhashOnly},
		{Hamming: 3, Mode: signature.SimhashOnly},
		{Hamming: 5, Mode: signature.SimhashOnly},
		{Hamming: 6, Mode: signature.SimhashOnly},
		{Hamming: 4, Lanes: 88},
		{Lanes: 91, Mode: signature.SketchOnly},
		{Hamming: 3, Lanes: 90, Mode: signature.Both},
	} {
		t.Run(fmt.Sprintf("%+v", rule), func(t *testing.T) {
			t.Parallel()
			o := collapse.Options{Rule: rule}
			if want := oracle(t, x, byID(bleve.NewMatchAllQuery()), o); want.hidden < size(100, 40) {
				t.Fatalf("%d pairs: this test shows nothing", want.hidden)
			}
			compare(t, x, byID(bleve.NewMatchAllQuery()), o, 150, 999)
			checkWhole(t, x, byID(bleve.NewMatchAllQuery()), o)
		})
	}
}

func randomSketch(rnd *rand.Rand) sketch.Sketch {
	s := make(sketch.Sketch, sketch.Words(100))
	for i := range s {
		s[i] = rnd.Uint64()
	}
	return s
}

// With what they match damaged, foreign or without a signature at random, pages are the
// oracle's, too.
func TestSpoiledAgainstOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(109, 110))
	documents := spoiled(t, rnd, families(rnd, size(150, 60), 60))
	for _, indexType := range []string{"scorch", "unguarded"} {
		x := stored(t, indexType, documents)
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		r.SortBy([]string{"-_id"})
		all := rank(t, x, r)
		for _, missing := range []collapse.Missing{collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing} {
			o := collapse.Options{Missing: missing}
			compareTo(t, x, r, o, all.collapsed(o), 13, 500)
		}
	}
}
