package passages_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/passages"
	"github.com/neardup/bleve-neardup/plugin/similar"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

var backends = []passages.Backend{passages.Memory, passages.Terms}

// asTerms makes terms of what is selected, too.
func asTerms(_ *mapping.FieldMapping, config map[string]any) {
	config["terms"] = []any{"bands", "passages"}
}

// same asks by both back ends and returns the result, which must be the same in all but the time.
func same(t *testing.T, x bleve.Index, r passages.Request) *passages.Result {
	t.Helper()
	var all [2]*passages.Result
	for i, b := range backends {
		r.Query.Backend = b
		all[i] = search(t, x, r)
		all[i].Took = 0
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("%+v: in memory %+v, by terms %+v", r, all[0], all[1])
	}
	return all[1]
}

// By terms all is as in memory, in segments of a few documents and once they are merged: guard, templates, texts that are not stored,
// documents that were written anew or deleted.
func TestTermsAsMemory(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{true, false} {
		rnd := rand.New(rand.NewPCG(81, 82))
		path := ""
		if stored {
			path = filepath.Join(t.TempDir(), "x")
		}
		x, err := plugin.New(path, with(t, 20, asTerms, func(body *mapping.FieldMapping, _ map[string]any) { body.Store = stored }))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		quotes := []string{some(rnd, 30), some(rnd, 45), some(rnd, 60)}
		docs := map[string]doc{}
		for i := range 560 {
			d := doc{values: []string{some(rnd, 5) + " " + quotes[0]}}
			if i%50 == 0 {
				d.values = append(d.values, some(rnd, 30)+" "+quotes[1+i/50%2])
			}
			docs[fmt.Sprint(i)] = d
		}
		add(t, x, docs)
		if stored {
			found, err := templates.Learn(t.Context(), x, templates.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := templates.Use(t.Context(), x, found); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			for _, q := range []passages.Query{
				{Text: []string{quotes[1] + " " + some(rnd, 30) + " " + quotes[2]}},
				{Text: []string{quotes[0] + " " + quotes[1]}},
				{Text: []string{quotes[0]}, MaxShare: 1},
				{Text: []string{quotes[0]}, MaxShare: .5},
				{Text: []string{quotes[2]}, Least: 50},
				{Text: []string{some(rnd, 300)}},
				{ID: "50"},
				{ID: "100", MaxShare: 1, Self: true},
			} {
				res := same(t, x, passages.Request{Query: q, Size: 20})
				if len(q.Text) > 0 && q.Text[0] == quotes[0] && q.MaxShare == 1 && res.Total < 500 {
					t.Errorf("%+v: got %d", q, res.Total)
				}
				if q.ID == "50" && res.Total == 0 {
					t.Errorf("%+v: got nothing", q)
				}
			}
			b, again := x.NewBatch(), map[string]doc{}
			for i := range 30 {
				id := fmt.Sprint(rnd.IntN(560))
				switch {
				case id == "50" || id == "100":
				case i%3 == 0:
					again[id] = doc{values: []string{quotes[rnd.IntN(3)]}}
				default:
					b.Delete(id)
				}
			}
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			add(t, x, again)
			if !stored { // in memory nothing is merged
				continue
			}
			if err := plugin.ForceMerge(t.Context(), x); err != nil {
				t.Fatal(err)
			}
		}
		// Near-duplicates are looked up by the same field's other terms.
		res, err := similar.Search(t.Context(), x, similar.Request{Query: similar.Query{ID: "0", Backend: similar.Terms, MaxShare: 1}})
		if err != nil || res.Total > 600 {
			t.Errorf("got %+v, %v", res, err)
		}
	}
}

// The terms stand with the first value of a document, which can be in a nested one.
func TestTermsNested(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(83, 84))
	m := with(t, 20, asTerms)
	part := bleve.NewNestedDocumentMapping()
	part.AddFieldMappingsAt("text", plugin.FieldMapping("passages"))
	part.Properties["text"].Fields[0].Name = "text"
	m.DefaultMapping.AddSubDocumentMapping("parts", part)
	x := newIndex(t, m)
	quote := some(rnd, 25)
	for i := range 6 {
		parts := []any{map[string]any{"text": fmt.Sprint("number", i)}, map[string]any{"text": some(rnd, 10) + " " + quote}}
		if err := x.Index(fmt.Sprint(i), map[string]any{"parts": parts}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Delete("3"); err != nil {
		t.Fatal(err)
	}
	res := same(t, x, passages.Request{Query: passages.Query{Field: "parts.text", Text: []string{quote}}})
	if ids(res) != "0 1 2 4 5" {
		t.Errorf("got %q", ids(res))
	}
}

func TestTermsErrors(t *testing.T) {
	t.Parallel()
	x := newIndex(t, with(t, 20))
	for _, tt := range []struct {
		b    passages.Backend
		want string
	}{
		{passages.Terms, `passages: query: backend "terms": wanted field "neardup" to have the analyzer option "terms": "passages", got none or others`},
		{"disk", `passages: query: backend: wanted "memory" or "terms", got "disk"`},
	} {
		_, err := passages.Search(t.Context(), x, passages.Request{Query: passages.Query{Text: []string{"a"}, Backend: tt.b}})
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
