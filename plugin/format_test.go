package plugin_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// An index of today's format version and one of the version before are kept. The first must be read as it was
// written; the other must be an error that says what to do.
const (
	formatFile = "testdata/v3.tar.gz"
	olderFile  = "testdata/v2.tar.gz"
)

var writeFormat = flag.Bool("write-format", false, "write "+formatFile)

// formatDocs are the documents in it.
var formatDocs = map[string]string{
	"page":   "The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
	"mirror": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!",
	"other":  "A fox is a small animal of the dog family that lives in woods, fields and towns.",
	"short":  "東京 Ünïcode",
	"empty":  "...",
}

// makeFormat writes an index at path.
func makeFormat(t *testing.T, path string) {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	b := x.NewBatch()
	for id, body := range formatDocs {
		if err := b.Index(id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	if err := must(plugin.Of(x)).MarkDocument(context.Background(), "m", admission.Spam, "other"); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// pack writes the files below dir into a compressed archive.
func pack(t *testing.T, dir, file string) {
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []io.Closer{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// unpack writes the files of an archive below dir.
func unpack(t *testing.T, file, dir string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, data, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// An index of another format is an error. Opened with read_only it is what an index of today's
// format is made of.
func TestOlderFormat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpack(t, olderFile, dir)
	path := filepath.Join(dir, "x")
	x, err := plugin.Open(path)
	if !errors.Is(err, signature.ErrVersion) || !strings.Contains(err.Error(), "wanted 3, got 2") || !strings.Contains(err.Error(), "backfill") {
		t.Fatalf("%v, error %v; want one that wraps ErrVersion and names package backfill", x, err)
	}
	old, err := bleve.OpenUsing(path, map[string]any{"read_only": true})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err = plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := backfill.Run(t.Context(), old, x, backfill.Options{Fresh: true}); err != nil {
		t.Fatal(err)
	}
	res, err := collapse.Search(t.Context(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{})
	if err != nil || res.TotalGroups != 4 {
		t.Errorf("%+v, error %v; want 4 groups", res, err)
	}
}

// The index of this version has the signatures that texts have today, collapses, keeps
// its marks, and takes documents.
func TestFormat(t *testing.T) {
	t.Parallel()
	if *writeFormat {
		dir := t.TempDir()
		makeFormat(t, filepath.Join(dir, "x"))
		pack(t, dir, formatFile)
	}
	dir := t.TempDir()
	unpack(t, formatFile, dir)
	x, err := plugin.Open(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for id, body := range formatDocs {
		want, err := plugin.Sign(x, plugin.Field, body)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := want.MarshalText()
		doc, err := x.Document(id)
		if err != nil || doc == nil {
			t.Fatalf("%s: %v, error %v", id, doc, err)
		}
		var got string
		doc.VisitFields(func(f index.Field) {
			if f.Name() == signature.Field(plugin.Field).Sketch() {
				got = string(f.Value())
			}
		})
		if got != string(text) {
			t.Errorf("%s: stored %s, now %s: a new format needs a new formatVersion", id, got, text)
		}
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Reject, Known: admission.Reject}); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{"other": "known", "page": "near"} {
		v, err := plugin.Submit(context.Background(), x, "again", map[string]any{"body": formatDocs[of]})
		if err != nil || v.Action != admission.Reject || v.Policy != want {
			t.Errorf("%v, error %v; want it rejected by %s", v, err, want)
		}
	}
	for _, whole := range []bool{false, true} {
		res, err := collapse.Search(context.Background(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{Whole: whole})
		if err != nil || res.TotalGroups != 4 || len(res.Damaged) != 0 {
			t.Errorf("whole %v: %+v, error %v; want 4 groups", whole, res, err)
		}
	}
}
