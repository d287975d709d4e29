package column

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// plain makes an index of bleve's own, with signatures as any stored field; the
// value of a document is its signature's number of tokens, 0 for none, and -1 for one
// that cannot be read.
func plain(t *testing.T, docs map[string]int) (bleve.Index, index.Index) {
	t.Helper()
	x, inner := plainIndex(t, "", standard.Name)
	write(t, x, docs)
	return x, inner
}

// plainIndex makes an index of bleve's own, in memory if the path is "".
func plainIndex(t *testing.T, path, analyzer string) (bleve.Index, *scorch.Scorch) {
	t.Helper()
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = analyzer
	x, err := bleve.NewUsing(path, m, scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	return x, inner.(*scorch.Scorch)
}

// put writes documents as one batch, and returns a snapshot that has them.
func put(t *testing.T, x bleve.Index, docs map[string]any) index.IndexReader {
	t.Helper()
	batch := x.NewBatch()
	for id, doc := range docs {
		if err := batch.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	reader := newest(t, x)
	t.Cleanup(func() { reader.Close() })
	return reader
}

// newest returns the newest snapshot, to be closed.
func newest(t *testing.T, x bleve.Index) index.IndexReader {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func write(t *testing.T, x bleve.Index, docs map[string]int) {
	t.Helper()
	batch := x.NewBatch()
	for id, tokens := range docs {
		doc := map[string]any{"other": "text"}
		if tokens != 0 {
			sig := signature.Signature{Tokens: uint64(tokens), Exact: 1}
			text, err := sig.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if tokens < 0 {
				text = text[1:]
			}
			doc[signature.Field("f").Sketch()] = string(text)
		}
		if err := batch.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
}

// check reads every document of a snapshot.
func check(t *testing.T, reader index.IndexReader, docs map[string]int) {
	t.Helper()
	r := Of(reader, "f")
	if r == nil {
		t.Fatal("no Store was adopted")
	}
	for id, want := range docs {
		internal, err := reader.InternalID(id)
		if err != nil || internal == nil {
			t.Fatalf("%s: number %v, error %v", id, internal, err)
		}
		sig, err := r.Signature(internal.Value())
		switch {
		case want < 0:
			if !errors.Is(err, signature.ErrMalformed) && !errors.Is(err, signature.ErrVersion) {
				t.Errorf("%s: got error %v", id, err)
			}
		case want == 0 && err != stored.ErrNone, want > 0 && (err != nil || sig.Tokens != uint64(want)):
			t.Errorf("%s: got %+v, error %v; want %d tokens", id, sig, err, want)
		}
	}
}

func TestStore(t *testing.T) {
	docs := map[string]int{}
	for i := range 100 {
		docs[fmt.Sprint(i)] = i - 1
	}
	for _, most := range []int64{0, 30} {
		x, inner := plain(t, docs)
		s := &Store{most: most}
		for range 3 {
			reader, err := inner.Reader()
			if err != nil {
				t.Fatal(err)
			}
			if Of(reader, "f") != nil {
				t.Fatal("found before it was adopted")
			}
			s.Adopt(reader)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { check(t, reader, docs) })
			}
			all.Wait()
			if _, err := Of(reader, "f").Signature(1 << 40); err == nil {
				t.Error("a number beyond the end: no error")
			}
			if kept := s.kept; most == 0 && kept < int64(len(docs)) || most > 0 && kept > most+4 {
				t.Errorf("most %d: %d are kept", most, kept)
			}
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
			docs[fmt.Sprint(len(docs))] = 7
			write(t, x, docs) // all anew: the segment before is dead, or merged away
		}
	}
}

// A snapshot belongs to the Store that adopted it first, and nothing but a snapshot to any.
func TestAdopt(t *testing.T) {
	t.Parallel()
	x, _ := plainIndex(t, "", standard.Name)
	reader := put(t, x, map[string]any{"a": map[string]any{"body": "text"}})
	first, second := new(Store), new(Store)
	for _, s := range []*Store{first, second} {
		s.Adopt(nil)
		s.Adopt(reader)
	}
	if Of(nil, "f") != nil || Of(reader, "f").store != first {
		t.Error("the snapshot is not of the first Store, or nothing is of one")
	}
}

// bleve gives a nil snapshot of a closed index, without an error.
func TestSnapshotOfClosed(t *testing.T) {
	t.Parallel()
	x, err := bleve.NewUsing(filepath.Join(t.TempDir(), "x"), bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := x.Advanced()
	if err = errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err := Snapshot(inner.(*scorch.Scorch)); s != nil || err == nil {
		t.Errorf("got %v, %v", s, err)
	}
}
