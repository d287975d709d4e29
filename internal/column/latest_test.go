package column

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// A Store reads and looks up the same in any order of snapshots, fields, rules and scopes, also after what it had
// of a segment was dropped, as it does with nothing in memory, and uses nothing that was dropped.
func TestLatest(t *testing.T) {
	t.Parallel()
	const fields, segments, docs = 2, 5, 3
	snapshots := signed(t, fields, segments, docs)
	s, rnd := new(Store), rand.New(rand.NewPCG(1, 22))
	dropped := 0
	for range 400 {
		snapshot := snapshots[rnd.IntN(len(snapshots))].(*scorch.IndexSnapshot)
		field := fmt.Sprint("f", rnd.IntN(fields+1)) // nobody has the last one
		rule := signature.Rule{Lanes: []int{0, 80}[rnd.IntN(2)]}
		if rnd.IntN(8) == 0 { // as if all segments but the first were gone
			s.mu.Lock()
			s.sweep(map[uint64]bool{snapshots[0].(*scorch.IndexSnapshot).Segments()[0].Id(): true})
			s.mu.Unlock()
			dropped++
		}
		got, want := newReader(s, snapshot, field), newReader(new(Store), snapshot, field)
		for i, c := range got.columns {
			if c.dropped {
				t.Fatalf("the column of segment %d of %d was dropped, and is used", i, len(got.columns))
			}
		}
		found := func(r *Reader, sig *signature.Signature) map[uint64]bool {
			lookup, err := r.Lookup(context.Background(), rule, table.Plan{}, "")
			if err != nil {
				t.Fatal(err)
			}
			var probe table.Probe
			probe.Prepare(rule, table.Plan{}, sig, 0)
			all := map[uint64]bool{}
			lookup.Near(&probe, func(doc uint64) bool { all[doc] = true; return true })
			return all
		}
		for doc := range uint64(want.Len()) {
			a, err1 := got.Signature(doc)
			b, err2 := want.Signature(doc)
			if err1 != nil || err2 != nil || !table.Equal(a, b) {
				t.Fatalf("document %d: got %v, error %v; want %v, error %v", doc, a, err1, b, err2)
			}
			if b == nil {
				continue
			}
			if a, b := found(got, b), found(want, b); fmt.Sprint(a) != fmt.Sprint(b) || len(b) == 0 {
				t.Fatalf("like document %d: got %v, want %v", doc, a, b)
			}
		}
	}
	if dropped == 0 {
		t.Error("nothing was dropped")
	}
}
