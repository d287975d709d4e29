package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/column"
)

// unguarded is an index of type neardup that takes whatever signatures documents
// bring.
type unguarded struct {
	*scorch.Scorch
	columns column.Store
}

func (x *unguarded) Reader() (index.IndexReader, error) {
	r, err := x.Scorch.Reader()
	if err == nil {
		x.columns.Adopt(r)
	}
	return r, err
}

func init() {
	err := registry.RegisterIndexType("unguarded", func(store string, config map[string]any, queue *index.AnalysisQueue) (index.Index, error) {
		x, err := scorch.NewScorch(store, config, queue)
		if err != nil {
			return nil, err
		}
		return &unguarded{Scorch: x.(*scorch.Scorch)}, nil
	})
	if err != nil {
		panic(err)
	}
}

// stored is an index of bleve's own type in which the signature is any stored
// field: also the place for signatures that are damaged.
func stored(t *testing.T, indexType string, signatures map[string]any) bleve.Index {
	t.Helper()
	index, err := bleve.NewUsing("", bleve.NewIndexMapping(), indexType, bleve.Config.DefaultMemKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	for id, sig := range signatures {
		doc := map[string]any{"body": "common"}
		if sig != nil {
			doc[signature.Field(signature.DefaultField).Sketch()] = sig
		}
		if err := index.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	return index
}

func TestSearchUnreadableSignatures(t *testing.T) {
	t.Parallel()
	text := func(p signature.Params, body string) string {
		sig := signature.Of(p, []byte(body))
		b, err := sig.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	good := text(signature.DefaultParams(), sentence)
	other := signature.DefaultParams()
	other.Seed = 1
	newer := []byte(good)
	newer[0] = 'B' // version 4
	altered := []byte(good)
	altered[100] ^= 1
	documents := map[string]any{
		"1 good": good, "2 copy": good,
		"3 cut": good[:150], "4 altered": string(altered), "5 newer": string(newer),
		"6 none": nil, "7 other seed": text(other, sentence), "71 other": text(other, "alone with these words and parameters"),
		"8 list": []any{good, good}, "9 number": 17,
		"a empty": text(signature.DefaultParams(), "..."), "b empty": text(signature.DefaultParams(), ""),
		"c short": text(signature.DefaultParams(), "two words"), "d short": text(signature.DefaultParams(), "Two  Words!"),
		"e none": nil,
	}
	for _, indexType := range []string{upsidedown.Name, scorch.Name, "unguarded"} {
		if indexType == "unguarded" {
			delete(documents, "8 list") // nothing writes one
		}
		index := stored(t, indexType, documents)
		index.SetName("named")
		for range 3 { // a third search knows which are paired
			for _, whole := range []bool{false, true}[:map[bool]int{true: 1, false: 2}[indexType == upsidedown.Name]] {
				t.Run(fmt.Sprint(indexType, " whole ", whole), func(t *testing.T) { checkUnreadable(t, index, whole) })
			}
		}
	}
}

func checkUnreadable(t *testing.T, index bleve.Index, whole bool) {
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 100
	res, err := collapse.Search(context.Background(), index, r, collapse.Options{Whole: whole})
	if err != nil {
		t.Fatal(err)
	}
	all, err := index.DocCount()
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != int(all)-2 || res.Hidden != 2 {
		t.Errorf("got %d hits, %d hidden; want %d, 2", len(res.Hits), res.Hidden, all-2)
	}
	if res.Unsigned != 2 || res.Foreign != 2 {
		t.Errorf("got %d unsigned, %d foreign; want 2, 2", res.Unsigned, res.Foreign)
	}
	want := []string{"3 cut", "4 altered", "5 newer", "8 list", "9 number"}
	if all == 14 {
		want = slices.Delete(want, 3, 4)
	}
	var damaged []string
	for _, d := range res.Damaged {
		want := signature.ErrMalformed
		if d.ID == "5 newer" {
			want = signature.ErrVersion
		}
		if !errors.Is(d.Err, want) || d.Reason == "" || d.Index != "named" {
			t.Errorf("%s: got %v (%q) of index %q, want %v", d.ID, d.Err, d.Reason, d.Index, want)
		}
		damaged = append(damaged, d.ID)
	}
	if !slices.Equal(damaged, want) {
		t.Errorf("damaged: got %q, want %q", damaged, want)
	}
	for _, g := range res.Groups {
		for _, m := range g.Members {
			if m.By&signature.ByExact == 0 {
				t.Errorf("%s under %s by %s, want the exact hash among the reasons", m.ID, g.Head.ID, m.By)
			}
		}
	}
}

// spoiled returns the signatures of docs, of which some are damaged, of another version
// or of other parameters, or nil.
func spoiled(t *testing.T, rnd *rand.Rand, docs map[string]page) map[string]any {
	t.Helper()
	other := signature.DefaultParams()
	other.Width = 3
	documents := map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		p := signature.DefaultParams()
		if rnd.IntN(10) == 0 {
			p = other
		}
		sig := signature.Of(p, []byte(docs[id].Body))
		text, err := sig.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		switch rnd.IntN(12) {
		case 0:
			documents[id] = nil
		case 1:
			documents[id] = string(text[:rnd.IntN(len(text))])
		case 2:
			documents[id] = "B" + string(text[1:]) // version 4
		default:
			documents[id] = string(text)
		}
	}
	return documents
}
