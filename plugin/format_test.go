package plugin_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// olderFile is an index of the format version before, which must be an error that says what to do.
const olderFile = "testdata/v2.tar.gz"

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
	x, err = plugin.New("", bodies())
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
