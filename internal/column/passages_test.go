package column_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// What is stored of a document's passages is what the analyzer selects, and a lookup finds the documents that have a
// value, and no other: in the segments of each batch and once they are merged, among documents without text, updates
// and deletes. A field without the option has nothing.
func TestPassages(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("passages", map[string]any{"type": neardup.Name, "passages": 12}); err != nil {
		t.Fatal(err)
	}
	for property, analyzer := range map[string]string{"a": "passages", "b": neardup.Name} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = analyzer
		m.DefaultMapping.AddFieldMappingsAt(property, f)
	}
	own := m.AnalyzerNamed("passages").(*neardup.Analyzer)
	x, err := plugin.New(t.TempDir()+"/x", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rnd := rand.New(rand.NewPCG(73, 74))
	texts := map[string][]string{}
	for range 6 {
		b := x.NewBatch()
		for range 60 {
			d, id := map[string]any{"n": 1}, fmt.Sprint(rnd.IntN(250))
			delete(texts, id)
			var values []string
			for range rnd.IntN(3) {
				var words []byte
				for range rnd.IntN(80) {
					words = fmt.Appendf(words, "word%d ", rnd.IntN(4))
				}
				values = append(values, string(words))
			}
			if values != nil {
				d["a"], d["b"] = values, values
				texts[id] = values
			}
			if err := b.Index(id, d); err != nil {
				t.Fatal(err)
			}
		}
		id := fmt.Sprint(rnd.IntN(250))
		b.Delete(id)
		delete(texts, id)
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	checkPassages(t, inner, own, texts)
	if err := inner.(*indextype.Index).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	checkPassages(t, inner, own, texts)
}

func checkPassages(t *testing.T, inner index.Index, a *neardup.Analyzer, texts map[string][]string) {
	t.Helper()
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r := column.Of(reader, "a")
	p, err := r.Passages(t.Context(), a.Params().ID())
	if err != nil || p.Damaged != 0 {
		t.Fatalf("got %+v, %v", p, err)
	}
	holders := map[uint64][]uint64{}
	for id, values := range texts {
		number, err := reader.InternalID(id)
		if err != nil {
			t.Fatal(err)
		}
		var raw [][]byte
		for _, v := range values {
			raw = append(raw, []byte(v))
		}
		want, err := a.SignWith(neardup.Figures{}, nil, raw...)
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := r.Prints(number.Value())
		if err != nil || !ok || got.Params != a.Params().ID() || !slices.Equal(got.Values, want.Passages.Values) {
			t.Fatalf("id %s: got %v, %v, %v, want %v", id, got, ok, err, want.Passages)
		}
		for _, v := range want.Passages.Values {
			holders[v] = append(holders[v], number.Value())
		}
	}
	several := 0
	for v, want := range holders {
		var got []uint64
		p.Documents(v, func(doc uint64) bool {
			got = append(got, doc)
			return true
		})
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || p.Count(v) < len(want) {
			t.Fatalf("%#x: got %v, count %d, want %v", v, got, p.Count(v), want)
		}
		if len(want) > 1 {
			several++
		}
	}
	if several < 50 {
		t.Errorf("%d values are in several documents: this test shows little", several)
	}
	other, err := r.Passages(t.Context(), 1)
	if err != nil || other.Size() >= p.Size() {
		t.Errorf("of other parameters: got %d bytes, %v", other.Size(), err)
	}
	b := column.Of(reader, "b")
	if _, ok, err := b.Prints(0); ok || err != nil {
		t.Errorf("without the option: got %v, %v", ok, err)
	}
	fields, err := reader.Fields()
	if err != nil || slices.Contains(fields, signature.Field("b").Passages()) || !slices.Contains(fields, signature.Field("a").Passages()) {
		t.Errorf("got fields %q, %v", fields, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Passages(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context", err)
	}
	if _, _, err := r.Prints(1 << 40); err == nil {
		t.Error("no error for a document that is not there")
	}
	for _, s := range reader.(*scorch.IndexSnapshot).Segments() {
		if !slices.Contains(s.Segment().Fields(), signature.Field("a").Passages()) {
			t.Error("a segment without the field")
		}
	}
}
