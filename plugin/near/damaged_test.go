package near_test

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
	"github.com/blevesearch/bleve/v2/mapping"

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
	file, data := segment(t, dir)
	rnd := rand.New(rand.NewPCG(81, 82))
	found, malformed := 0, 0
	for range 60 {
		spoiled := append([]byte{}, data...)
		for range 20 { // the stored fields come first
			spoiled[len(data)/2+rnd.IntN(len(data)/2)] ^= 1 << rnd.IntN(8)
		}
		if err := os.WriteFile(file, spoiled, 0o600); err != nil {
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

// A signature that cannot be read does not keep a document from being found by its passages. Similar says that there is
// one, with Terms if a key leads to it.
func TestDamagedSignature(t *testing.T) {
	t.Parallel()
	rnd, dir := rand.New(rand.NewPCG(83, 84)), filepath.Join(t.TempDir(), "x")
	m := with(t, 30, func(_ *mapping.FieldMapping, config map[string]any) { config["terms"] = "bands" })
	common := some(rnd, 50)
	x, err := plugin.New(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	b := doc{values: []string{common + " " + some(rnd, 50)}}
	add(t, x, map[string]doc{"a": {values: []string{some(rnd, 50) + " " + common}}, "b": b})
	sig, err := plugin.Sign(x, "", b.values...)
	if err = errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	form, err := sig.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	file, data := segment(t, dir)
	at := bytes.Index(data, form)
	if at < 0 || bytes.Contains(data[at+1:], form) {
		t.Fatal("wanted the signature in the file once")
	}
	data[at+len(form)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err = plugin.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, q := range []near.PassagesQuery{{ID: "a"}, {Text: []string{common}}, {Text: b.values}} {
		if res := passagesIn(t, x, near.PassagesRequest{Query: q}); !strings.Contains(ids(res), "b") {
			t.Errorf("%+v: got %q", q, ids(res))
		}
	}
	for _, tt := range []struct {
		q    near.SimilarQuery
		want int
	}{
		{near.SimilarQuery{ID: "a"}, 1},
		{near.SimilarQuery{Text: b.values}, 1},
		{near.SimilarQuery{Text: b.values, MaxShare: 1}, 1},
		{near.SimilarQuery{ID: "a", Backend: near.Terms}, 0},
		{near.SimilarQuery{Text: b.values, Backend: near.Terms}, 1},
	} {
		res, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: tt.q})
		if err != nil || res.Damaged != tt.want || (res.TotalRelation == bleve.TotalRelationGte) != (tt.want > 0) {
			t.Errorf("%+v: got %+v, %v; wanted %d damaged", tt.q, res, err, tt.want)
		}
	}
	// Written anew it is found, and its old version, which is still in the file, is not spoken of.
	add(t, x, map[string]doc{"b": b})
	res, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: near.SimilarQuery{Text: b.values}})
	if err != nil || res.Damaged > 0 || res.TotalRelation != bleve.TotalRelationEq || len(res.Hits) != 1 {
		t.Errorf("got %+v, %v; wanted b, and none damaged", res, err)
	}
}

// segment returns the file of the one segment of an index, and what it has.
func segment(t testing.TB, dir string) (file string, data []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "store", "*.zap"))
	if err != nil || len(files) != 1 {
		t.Fatalf("wanted one segment, got %v, %v", files, err)
	}
	if data, err = os.ReadFile(files[0]); err != nil {
		t.Fatal(err)
	}
	return files[0], data
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
