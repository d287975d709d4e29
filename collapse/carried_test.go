package collapse_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// The whole form equals the oracle while documents are written, deleted, written anew and merged, and after the index
// was opened again, on an index and on an alias of two; and it is by families that were carried along.
func TestWholeCarriesFamilies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(71, 72))
	match := bleve.NewMatchQuery("common w7")
	match.SetField("body")
	r := bleve.NewSearchRequestOptions(match, 40, 0, false)
	sorted := bleve.NewSearchRequestOptions(match, 40, 0, false)
	sorted.SortBy([]string{"-version", "_id"})
	path := filepath.Join(t.TempDir(), "x")
	m := withFields(newMapping(""))
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { x.Close() }()
	other := newMappedIndex(t, m, drawn(rnd, families(rnd, 60, 60)))
	ids := map[string]page{}
	docs := drawn(rnd, families(rnd, 200, 60))
	for round := range 5 {
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			switch rnd.IntN(60) {
			case 0: // the same document anew
				docs[id] = ids[id]
			case 1: // a near one
				p := ids[id]
				p.Body += " w7"
				docs[fmt.Sprint("near ", id)] = p
			case 2:
				if err := x.Delete(id); err != nil {
					t.Fatal(err)
				}
				delete(ids, id)
			}
		}
		load(t, x, docs)
		maps.Copy(ids, docs)
		if round%3 == 1 {
			own, err := plugin.Of(x)
			if err == nil {
				err = own.ForceMerge(t.Context(), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if round%4 == 2 {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if x, err = bleve.OpenUsing(path, map[string]any{indextype.FamiliesKey: true}); err != nil {
				t.Fatal(err)
			}
		}
		docs = drawn(rnd, families(rnd, 6, 60)) // so few that they are looked up
		for _, index := range []bleve.Index{x, bleve.NewIndexAlias(x, other)} {
			for range 2 { // until families are known, and then
				compare(t, index, r, collapse.Options{Whole: true}, 40)
				compare(t, index, r, collapse.Options{Whole: true, Visible: 2}, 40)
				compare(t, index, r, collapse.Options{Whole: true, Within: []string{"word"}}, 40)
				compare(t, index, sorted, collapse.Options{Whole: true, Head: sorted.Sort.Copy()}, 40)
				waitForFamilies(t, index, r)
			}
			for _, o := range []collapse.Options{{Rule: signature.Rule{Lanes: 80}}, {By: &collapse.By{Field: "word", Or: true}}, {Within: []string{"word"}}} {
				o.Whole = true
				res, err := collapse.Search(t.Context(), index, r, o)
				if err != nil || res.Families != (o.Within != nil) {
					t.Errorf("%+v: families %v, error %v", o, res.Families, err)
				}
			}
		}
	}
}

// waitForFamilies searches until families are known.
func waitForFamilies(t *testing.T, x bleve.Index, r *bleve.SearchRequest) {
	t.Helper()
	for t.Context().Err() == nil {
		res, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Families {
			return
		}
	}
}
