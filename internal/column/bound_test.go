package column

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// signed writes documents with signatures in some fields, in a few segments, and returns
// a snapshot after each.
func signed(t *testing.T, fields, segments, docs int) (snapshots []index.IndexReader) {
	t.Helper()
	x, _ := plainIndex(t, "", keyword.Name)
	rnd := rand.New(rand.NewPCG(uint64(fields), uint64(segments)))
	for segment := range segments {
		all := map[string]any{}
		for i, s := range family(rnd, docs) {
			text, err := s.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			doc := map[string]any{"other": "text"}
			for f := range fields {
				doc[signature.Field(fmt.Sprint("f", f)).Sketch()] = string(text)
			}
			all[fmt.Sprintf("%d %d", segment, i)] = doc
		}
		snapshots = append(snapshots, put(t, x, all))
	}
	return snapshots
}

// heap is how much is in use.
func heap() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Whatever searches ask for, of many fields, indexes, segments and snapshots, what stays
// in memory is no more than the places that there are.
func TestBound(t *testing.T) {
	const most, fields, segments, docs = 200, 3, 3, 80
	var indexes [][]index.IndexReader
	for range 2 {
		indexes = append(indexes, signed(t, fields, segments, docs))
	}
	before := heap()
	var stores []*Store
	for _, snapshots := range indexes {
		s := &Store{most: most}
		stores = append(stores, s)
		for round := range 2 {
			for n, reader := range snapshots {
				if round == 1 { // and in the other direction
					reader = snapshots[len(snapshots)-1-n]
				}
				snapshot := reader.(*scorch.IndexSnapshot)
				for f := range fields {
					r := newReader(s, snapshot, fmt.Sprint("f", f))
					for doc := range uint64(r.Len()) {
						if sig, err := r.Signature(doc); err != nil || sig == nil {
							t.Fatalf("document %d: got %v, error %v", doc, sig, err)
						}
					}
					if kept := s.kept; kept > most {
						t.Fatalf("%d places are taken, of %d", kept, most)
					}
				}
				if _, err := (Readers{newReader(s, snapshot, "f0")}).All(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
				for f := range 300 { // which nobody has
					r := newReader(s, snapshot, fmt.Sprint("none ", round, n, f))
					if sig, err := r.Signature(0); err != stored.ErrNone {
						t.Fatalf("got %v, error %v", sig, err)
					}
				}
			}
		}
		if kept := s.kept; kept < most/2 {
			t.Errorf("%d places are taken, of %d", kept, most)
		}
	}
	grown := heap() - before
	if all := int64(2 * most * 140); grown > all+all/2 {
		t.Errorf("%d bytes are kept, want at most %d or so", grown, all)
	}
	t.Logf("%d bytes are kept, with %d places", grown, 2*most)
	runtime.KeepAlive(stores)
}

// Of a field that no document has nothing is kept, and documents without a signature take
// no place of those that have one.
func TestEmptyTakesNothing(t *testing.T) {
	docs := map[string]int{}
	for i := range 400 {
		docs[fmt.Sprint(i)] = 0
	}
	docs["signed"], docs["damaged"] = 7, -1
	x, inner := plain(t, docs)
	write(t, x, map[string]int{"a": 0, "b": 0}) // a segment without any
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	s := &Store{most: 4}
	s.Adopt(reader)
	check(t, reader, docs)
	if kept := s.kept; kept != 0 {
		t.Errorf("%d places are taken, though the segment does not fit", kept)
	}
	r := Of(reader, "f")
	unread := 0
	for _, c := range r.columns {
		for n := range c.Len() {
			if !c.Known(n) {
				unread++
			}
		}
	}
	if unread != 2 {
		t.Errorf("%d documents would be read again, want the one that has no place and the damaged one", unread)
	}
	if r := Of(reader, "another"); len(s.columns) != 1 || r.Len() != 404 {
		t.Errorf("%d columns are kept, and the field has %d documents", len(s.columns), r.Len())
	}
}

// The last place is taken too.
func TestLastPlace(t *testing.T) {
	s, of := &Store{most: 3}, new(taken)
	for places, want := range []bool{true, true, true, false} { // 0, 1, 2, 3
		if got := s.take(of, int64(places)); got != want {
			t.Errorf("%d places of 3, of which %d are taken: got %v, want %v", places, s.kept, got, want)
		}
	}
}

// A document whose fingerprints cannot be read counts once, though all are read twice.
func TestDamagedPassages(t *testing.T) {
	x, _ := plainIndex(t, "", keyword.Name)
	docs := map[string]any{}
	for i := range 7 {
		doc := map[string]any{"other": "text"}
		if i%2 == 0 {
			doc[signature.Field("f").Passages()] = "no fingerprints"
		}
		docs[fmt.Sprint(i)] = doc
	}
	reader := put(t, x, docs)
	p, err := newReader(&Store{most: 10}, reader.(*scorch.IndexSnapshot), "f").Passages(t.Context(), 1)
	if err != nil || p.Damaged != 4 {
		t.Errorf("got %+v, %v, want 4 damaged", p, err)
	}
}

// A column that takes no more gets no places, nor do those that are asked for with it.
func TestDropped(t *testing.T) {
	t.Parallel()
	dropped, other := &column{Column: table.NewColumn(3), taken: taken{dropped: true}}, &column{Column: table.NewColumn(3)}
	for _, all := range [][]*column{{dropped, other}, {other, dropped}} {
		if new(Store).makeDense(false, all...) {
			t.Error("it has places")
		}
	}
}
