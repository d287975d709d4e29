package column

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// family returns signatures of 100 lanes, each near one before it or near none.
func family(rnd *rand.Rand, n int) []*signature.Signature {
	var all []*signature.Signature
	for range n {
		s := &signature.Signature{
			Params: 1, Exact: rnd.Uint64(), Simhash: rnd.Uint64(), Tokens: 20, Shingles: 17, Lanes: 100, Sketch: make(sketch.Sketch, sketch.Words(100)),
		}
		for i := range 100 {
			s.Sketch.Set(i, uint8(rnd.Uint32()))
		}
		if len(all) > 0 && rnd.IntN(2) == 0 {
			copy(s.Sketch, all[rnd.IntN(len(all))].Sketch)
			for range 6 + rnd.IntN(6) {
				s.Sketch[rnd.IntN(12)] ^= 1 << rnd.IntN(64)
			}
		}
		all = append(all, s)
	}
	return all
}

// A Lookup finds what comparing all pairs finds, in several segments, with documents
// deleted and written anew, by scope or without.
func TestLookup(t *testing.T) {
	t.Parallel()
	x, inner := plainIndex(t, "", keyword.Name)
	rnd := rand.New(rand.NewPCG(1, 2))
	type doc struct {
		sig   *signature.Signature
		scope []string
	}
	docs := map[string]doc{}
	store := new(Store)
	sigs := family(rnd, 400)
	for round := range 5 {
		batch := x.NewBatch()
		for range 80 {
			d := doc{sig: sigs[0]}
			sigs = sigs[1:]
			for range rnd.IntN(3) {
				d.scope = append(d.scope, fmt.Sprint("tenant ", rnd.IntN(2)))
			}
			id := fmt.Sprint(rnd.IntN(200))
			text, _ := d.sig.MarshalText()
			if err := batch.Index(id, map[string]any{signature.Field("f").Sketch(): string(text), "scope": d.scope}); err != nil {
				t.Fatal(err)
			}
			docs[id] = d
		}
		for range 10 {
			id := fmt.Sprint(rnd.IntN(200))
			batch.Delete(id)
			delete(docs, id)
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		reader, err := inner.Reader()
		if err != nil {
			t.Fatal(err)
		}
		store.Adopt(reader)
		for _, scope := range []string{"", "scope", "no such field"} {
			pairs := 0
			for id, d := range docs {
				// Of so many Lookups the first compare all documents, and the last ask keys that were made beside them.
				l, err := Of(reader, "f").Lookup(context.Background(), signature.Rule{}, table.Plan{}, scope)
				if err != nil {
					t.Fatal(err)
				}
				var want, got []string
				for other, o := range docs {
					if neartest.Duplicates((signature.Rule{}), d.sig, o.sig) && (scope != "scope" || set(d.scope) == set(o.scope)) {
						want = append(want, other)
					}
				}
				var own []string
				if scope == "scope" {
					own = d.scope
				}
				var p table.Probe
				p.Prepare(signature.Rule{}, table.Plan{}, d.sig, ScopeOf(own...))
				l.Near(&p, func(doc uint64) bool {
					name, err := reader.ExternalID(Number(doc))
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, name)
					return true
				})
				slices.Sort(want)
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("round %d, scope %q: near %s are %v, want %v", round, scope, id, got, want)
				}
				pairs += len(want)
			}
			if pairs <= len(docs) {
				t.Errorf("no pairs: this test shows little")
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var fresh Store
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := inner.Reader()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newReader(&fresh, again.(*scorch.IndexSnapshot), "f").Lookup(ctx, (signature.Rule{}), table.Plan{}, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that is done: got %v", err)
		}
		again.Close()
	}
	store.Close()
	keyed := 0
	for _, c := range store.columns {
		for _, f := range c.frozen {
			if f.keyed {
				keyed++
			}
		}
	}
	if keyed == 0 {
		t.Error("no keys were made: this test shows little")
	}
}

// set names the scope that has the same values in any order.
func set(values []string) string {
	return fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(values))))
}
