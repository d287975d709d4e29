package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/upsidedown"
	"github.com/blevesearch/bleve/v2/index/upsidedown/store/gtreap"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// Where members cannot be looked up, or are too many, the result says so, and is as it would be
// without the option. The whole form is complete.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	docs := fieldDocs(17, 60)
	parts := partsOf(t, 3, docs)
	one := newMappedIndex(t, withFields(newMapping("")), docs)
	family := newIndex(t, copies(rand.New(rand.NewPCG(18, 1)), 60))
	plain, err := bleve.NewMemOnly(withFields(bleve.NewIndexMapping()))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	remote := remotely(parts[2])
	for name, tt := range map[string]struct {
		x    bleve.Index
		size int
		o    collapse.Options
		want bool
	}{
		"remote":        {remote, 4, collapse.Options{}, false},
		"mixed":         {bleve.NewIndexAlias(parts[0], parts[1], remote), 4, collapse.Options{}, false},
		"plain":         {bleve.NewIndexAlias(one, plain), 4, collapse.Options{Missing: collapse.KeepMissing}, false},
		"all of remote": {remote, 1000, collapse.Options{}, true},
		"several heads": {one, 4, collapse.Options{By: &collapse.By{Field: "word", Or: true, Most: 2}}, false},
		"key":           {one, 4, collapse.Options{By: &collapse.By{Field: "word", Or: true}}, true},
		"remote key":    {remote, 4, collapse.Options{By: &collapse.By{Field: "word"}}, false},
		"many of a key": {one, 1, collapse.Options{By: &collapse.By{Field: "word"}, Missing: collapse.DropMissing, Budget: 4}, false},
		"no hits":       {one, 0, collapse.Options{}, true},
		"too many":      {family, 1, collapse.Options{Budget: 2}, false},
		"whole":         {one, 4, collapse.Options{Whole: true}, true},
	} {
		r := byID(bleve.NewMatchAllQuery())
		r.Size = tt.size
		want, err := collapse.Search(context.Background(), tt.x, r, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		tt.o.Complete = true
		got, err := collapse.Search(context.Background(), tt.x, r, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Complete != tt.want || want.Complete {
			t.Errorf("%s: complete %v, and %v without the option; wanted %v", name, got.Complete, want.Complete, tt.want)
		}
		if got.Complete {
			continue
		}
		got.Took, want.Took = 0, 0
		for i, g := range want.Groups {
			if !slices.Equal(memberIDs(got.Groups[i]), memberIDs(g)) {
				t.Errorf("%s: group %d has %q, wanted %q", name, i, memberIDs(got.Groups[i]), memberIDs(g))
			}
		}
	}
	for _, o := range []collapse.Options{{Complete: true, Visible: 2}, {Complete: true, Visible: -1}} {
		if _, err := collapse.Search(context.Background(), one, byID(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) {
			t.Errorf("%+v: got error %v", o, err)
		}
	}
}

// A head that ranks after the page has what the request wants of hits, on an index of any kind.
func TestCompleteHeadIsLoaded(t *testing.T) {
	t.Parallel()
	m := withFields(bleve.NewIndexMapping())
	for name, open := range map[string]func() (bleve.Index, error){
		"scorch":      func() (bleve.Index, error) { return bleve.NewMemOnly(m) },
		"upside down": func() (bleve.Index, error) { return bleve.NewUsing("", m, upsidedown.Name, gtreap.Name, nil) },
	} {
		x, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for i := range 60 {
			if err := x.Index(fmt.Sprintf("%02d", i), map[string]any{"word": fmt.Sprint("w", i%3), "n": i}); err != nil {
				t.Fatal(err)
			}
		}
		r := byID(bleve.NewMatchAllQuery())
		r.Size, r.Fields = 2, []string{"n"}
		got, err := collapse.Search(t.Context(), x, r, collapse.Options{
			By: &collapse.By{Field: "word"}, Complete: true, Head: search.SortOrder{&search.SortField{Field: "n", Desc: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"57", "58"} {
			if hit := got.Hits[i]; hit.ID != want || fmt.Sprint(hit.Fields["n"]) != want || !got.Complete {
				t.Errorf("%s: got %q, fields %v, complete %v, want %q", name, hit.ID, hit.Fields, got.Complete, want)
			}
		}
	}
}
