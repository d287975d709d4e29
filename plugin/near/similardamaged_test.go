package near_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Bytes of a segment's terms are others, again and again: a lookup finds what it can read,
// or gives an error that says so.
func TestDamagedTerms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file at which bleve panicked stays mapped, and no mapped file can be written there")
	}
	dir := filepath.Join(t.TempDir(), "x")
	m := newMapping(t, nil)
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands))
	x, err := plugin.New(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]any{}
	for i := range 200 {
		docs[fmt.Sprint(i)] = map[string]any{"body": words(1000*(i/2), 300)}
	}
	put(t, x, docs)
	if err := x.Close(); err != nil {
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
	rnd := rand.New(rand.NewPCG(81, 82))
	found, malformed := 0, 0
	for range 60 {
		spoiled := append([]byte{}, data...)
		for range 20 { // the stored fields come first
			spoiled[len(data)/2+rnd.IntN(len(data)/2)] ^= 1 << rnd.IntN(8)
		}
		if err := os.WriteFile(files[0], spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		damaged, err := open(dir)
		if err != nil {
			continue
		}
		for i := range 100 {
			// No hit is wanted, since to read its id is bleve's matter.
			r := bleve.NewSearchRequestOptions(&near.SimilarQuery{Text: []string{words(1000*i, 300)}, Backend: near.Terms}, 0, 0, false)
			res, err := damaged.Search(r)
			switch {
			case err == nil:
				found += int(res.Total)
			case errors.Is(err, signature.ErrMalformed):
				malformed++
			}
		}
		damaged.Close()
	}
	if found < 2000 || malformed == 0 {
		t.Errorf("%d found, %d errors: this test shows little", found, malformed)
	}
}

// open opens a damaged index; where bleve panics, that is an error.
func open(dir string) (x bleve.Index, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return bleve.OpenUsing(dir, map[string]any{"read_only": true})
}
