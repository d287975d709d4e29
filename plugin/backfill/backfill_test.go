package backfill_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

func plain(t testing.TB, path string, m mapping.IndexMapping) bleve.Index {
	t.Helper()
	x, err := bleve.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func signed(t testing.TB, path string, m *mapping.IndexMappingImpl) bleve.Index {
	t.Helper()
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func bodyMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// fill indexes documents in batches.
func fill(t testing.TB, x bleve.Index, docs map[string]any) {
	t.Helper()
	b := x.NewBatch()
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		if err := b.Index(id, docs[id]); err != nil {
			t.Fatal(err)
		}
		if b.Size() == 100 {
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, from, to bleve.Index, o backfill.Options) backfill.Status {
	t.Helper()
	s, err := backfill.Run(context.Background(), from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Complete {
		t.Errorf("got %+v, not complete", s)
	}
	return s
}

// contents is all that an index has: terms by field with the number of their documents,
// and stored values by document.
func contents(t testing.TB, x bleve.Index) []string {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	r, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []string
	fields, err := r.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		dict, err := r.FieldDict(f)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := dict.Next(); e != nil; e, err = dict.Next() {
			if err != nil {
				t.Fatal(err)
			}
			// The dictionary's own count is too small where segments were merged.
			postings, err := r.TermFieldReader(context.Background(), []byte(e.Term), f, false, false, false)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s: term %q of %d", f, e.Term, postings.Count()))
			postings.Close()
			if f == "_id" {
				doc, err := r.Document(e.Term)
				if err != nil || doc == nil {
					t.Fatal(e.Term, err)
				}
				doc.VisitFields(func(v index.Field) {
					all = append(all, fmt.Sprintf("%s: %s %v %c %q", e.Term, v.Name(), v.ArrayPositions(), v.EncodedFieldType(), v.Value()))
				})
			}
		}
		dict.Close()
	}
	slices.Sort(all)
	return all
}

// hold holds the contents of an index against those it should have.
func hold(t testing.TB, got, want bleve.Index) {
	t.Helper()
	a, b := contents(t, got), contents(t, want)
	if slices.Equal(a, b) {
		return
	}
	shown := 0
	for _, d := range []struct {
		what     string
		has, not []string
	}{{"has", a, b}, {"lacks", b, a}} {
		in := map[string]bool{}
		for _, s := range d.not {
			in[s] = true
		}
		for _, s := range d.has {
			if shown++; !in[s] && shown < 4000 {
				t.Errorf("the index %s %.200s", d.what, s)
				shown += 100
			}
		}
	}
	t.Fatalf("%d contents, want %d", len(a), len(b))
}

func manuals(t testing.TB, most int) map[string]any {
	docs := map[string]any{}
	for _, d := range neartest.Shipped(t)[:most] {
		docs[d.ID] = map[string]any{"body": d.Text, "title": d.ID}
	}
	return docs
}

// A plain index of real text becomes what a fresh one would be, and so does one of other
// parameters.
func TestRealText(t *testing.T) {
	t.Parallel()
	const n, batch = 16, 4
	docs := manuals(t, n)
	fresh := signed(t, filepath.Join(t.TempDir(), "fresh"), bodyMapping())
	fill(t, fresh, docs)
	from := plain(t, filepath.Join(t.TempDir(), "from"), bleve.NewIndexMapping())
	fill(t, from, docs)
	to := signed(t, filepath.Join(t.TempDir(), "to"), bodyMapping())
	calls, last := 0, uint64(0)
	s := run(t, from, to, backfill.Options{Batch: batch, Progress: func(s backfill.Status) {
		if calls++; s.Done < last || s.Total != uint64(n) {
			t.Errorf("progress: got %+v after %d", s, last)
		}
		last = s.Done
	}})
	if s.Done != uint64(n) || s.Total != uint64(n) || s.Rejected != 0 || s.LeftOut != 0 || calls != 5 {
		t.Errorf("got %+v in %d calls", s, calls)
	}
	hold(t, to, fresh)

	// Once more does nothing, even if there is something to do.
	if err := from.Index("zzz", map[string]any{"body": "new"}); err != nil {
		t.Fatal(err)
	}
	if s := run(t, from, to, backfill.Options{Progress: func(backfill.Status) { t.Error("Progress called after completion") }}); s.Done != uint64(n) {
		t.Errorf("again: got %+v", s)
	}
	hold(t, to, fresh)

	wide := bleve.NewIndexMapping()
	if err := wide.AddCustomAnalyzer("wide", map[string]any{"type": "neardup", "width": 6}); err != nil {
		t.Fatal(err)
	}
	wide.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("wide"))
	other, want := signed(t, "", wide), signed(t, "", wide)
	run(t, to, other, backfill.Options{})
	fill(t, want, docs)
	hold(t, other, want)
}

// Deleted documents stay deleted. An index of bleve's oldest type is an error that says what to do.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	docs := manuals(t, 20)
	from := plain(t, "", bleve.NewIndexMapping())
	fill(t, from, docs)
	left := maps.Clone(docs)
	for _, id := range slices.Sorted(maps.Keys(docs))[3:6] {
		if err := from.Delete(id); err != nil {
			t.Fatal(err)
		}
		delete(left, id)
	}
	fresh, to := signed(t, "", bodyMapping()), signed(t, "", bodyMapping())
	fill(t, fresh, left)
	if s := run(t, from, to, backfill.Options{}); s.Done != 17 || s.Total != 17 {
		t.Errorf("got %+v", s)
	}
	hold(t, to, fresh)

	memory, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	fill(t, memory, docs)
	for _, source := range []func(context.Context, string) (any, error){nil, func(context.Context, string) (any, error) { return docs["a"], nil }} {
		to := signed(t, "", bodyMapping())
		_, err := backfill.Run(t.Context(), memory, to, backfill.Options{Source: source})
		if err == nil || !strings.Contains(err.Error(), `wanted an index of type "scorch" or "neardup", got a *upsidedown.IndexReader: write its documents into`) {
			t.Errorf("an older type: got %v", err)
		}
		if n, err := to.DocCount(); n != 0 || err != nil {
			t.Errorf("an older type: %d documents were written, %v", n, err)
		}
	}
}
