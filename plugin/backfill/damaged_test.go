package backfill_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// Bits of the stored fields are others, again and again. A document that cannot be read is an error that names it, also
// where bleve panics, so that it can be written anew.
func TestDamagedSource(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file at which bleve panicked stays mapped, and no mapped file can be written there")
	}
	dir, m := filepath.Join(t.TempDir(), "x"), bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	b := x.NewBatch()
	for i := range 40 {
		if err := b.Index(fmt.Sprint(i), map[string]any{"body": []string{fmt.Sprint("one two three four ", i), "five"}, "n": i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.Batch(b), x.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "store", "*.zap"))
	if err != nil || len(files) != 1 {
		t.Fatalf("wanted one segment, got %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	rnd, named, panicked := rand.New(rand.NewPCG(1, 2)), 0, 0
	for range 40 {
		spoiled := bytes.Clone(data)
		for range 12 {
			spoiled[rnd.IntN(8000)] ^= 1 << rnd.IntN(8) // the stored fields come first
		}
		if err := os.WriteFile(files[0], spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		err := func() error {
			from, err := bleve.OpenUsing(dir, map[string]any{"read_only": true})
			if err != nil {
				return nil
			}
			to, err := plugin.New("", m)
			if err != nil {
				t.Fatal(err)
			}
			_, err = backfill.Run(t.Context(), from, to, backfill.Options{})
			return errors.Join(err, from.Close(), to.Close())
		}()
		if err != nil && !strings.Contains(err.Error(), `document "`) {
			t.Error(err)
		}
		if err != nil {
			named++
		}
		if errors.Is(err, signature.ErrMalformed) && strings.Contains(err.Error(), "runtime error") {
			panicked++
		}
	}
	if named < 10 || panicked == 0 {
		t.Errorf("%d documents could not be read, bleve panicked at %d: this test shows little", named, panicked)
	}
}

// A place in an array that damage has made is not taken for the length of one.
func TestDamagedPlace(t *testing.T) {
	t.Parallel()
	from, err := bleve.New(filepath.Join(t.TempDir(), "x"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	own, err := from.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	d := document.NewDocument("a")
	d.AddField(document.NewTextFieldWithIndexingOptions("body", []uint64{1 << 40}, []byte("text"), index.IndexField|index.StoreField))
	if err := own.Update(d); err != nil {
		t.Fatal(err)
	}
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	to, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	_, err = backfill.Run(t.Context(), from, to, backfill.Options{})
	if err == nil || !strings.Contains(err.Error(), `document "a": field "body": wanted arrays of at most 16777216 elements, got a value at place 1099511627776`) {
		t.Errorf("got %v", err)
	}
}
