package collapse_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// A field that no document has nor can get is an error in each option that names one, and in each form; where it
// can still come, or another member of an alias has it, it is none.
func TestMisspelled(t *testing.T) {
	t.Parallel()
	static, loose := newMapping(""), newMapping("")
	static.DefaultMapping.Dynamic = false
	docs := map[string]page{"a": {Body: sentence, Project: "one"}, "b": {Body: sentence, Project: "two"}}
	x, y := newMappedIndex(t, static, docs), newMappedIndex(t, loose, map[string]page{"c": docs["a"]})
	x.SetName("x")
	empty := newMappedIndex(t, static, nil)
	indexes := map[string]struct {
		x     bleve.Index
		wrong bool
	}{
		"static": {x, true}, "dynamic": {y, false}, "alias": {bleve.NewIndexAlias(x, empty), true}, "empty": {empty, false},
		"of both": {bleve.NewIndexAlias(x, y), false},
	}
	sort := func(name string) search.SortOrder { return search.ParseSortOrderStrings([]string{"-" + name, "_id"}) }
	for option, of := range map[string]func(name string) collapse.Options{
		"within": func(name string) collapse.Options { return collapse.Options{Within: []string{"body", name}} },
		"by":     func(name string) collapse.Options { return collapse.Options{By: &collapse.By{Field: name}} },
		"head":   func(name string) collapse.Options { return collapse.Options{Head: sort(name)} },
		`inner_hits "i": sort`: func(name string) collapse.Options {
			return collapse.Options{InnerHits: []collapse.InnerHits{{Name: "h"}, {Name: "i", Size: 1, Sort: sort(name)}}}
		},
	} {
		for kind, in := range indexes {
			for _, name := range []string{"project", "Project"} {
				for _, whole := range []bool{false, true} {
					o := of(name)
					o.Whole = whole
					_, err := collapse.Search(t.Context(), in.x, byID(bleve.NewMatchAllQuery()), o)
					what := fmt.Sprint(kind, ", ", option, " ", name, ", whole ", whole)
					checkMisspelled(t, what, err, option, name == "Project" && in.wrong)
				}
				if o := of(name); o.InnerHits == nil {
					q := collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{Within: o.Within, By: o.By, Head: o.Head})
					res, err := in.x.Search(bleve.NewSearchRequest(q))
					if err == nil && res.Status.Failed > 0 { // each member of an alias answers for itself
						err = slices.Collect(maps.Values(res.Status.Errors))[0]
					}
					wrong := in.wrong || kind == "of both"
					checkMisspelled(t, fmt.Sprint(kind, ", query, ", option, " ", name), err, option, name == "Project" && wrong)
				}
			}
		}
	}
}

func checkMisspelled(t *testing.T, what string, err error, option string, wrong bool) {
	t.Helper()
	text, fields := "collapse: "+option+`: `, `wanted a field of the mapping, one of ["body" `
	switch {
	case !wrong && err != nil:
		t.Errorf("%s: got error %v", what, err)
	case wrong && (!errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), text) ||
		!strings.Contains(err.Error(), fields) || !strings.HasSuffix(err.Error(), `got "Project"`)):
		t.Errorf("%s: got error %v, want %s and what is wrong", what, err, text)
	}
}

// Where a field can still come, hits without a value are counted, and are of no group.
func TestValueless(t *testing.T) {
	t.Parallel()
	x := newIndex(t, map[string]page{
		"a": {Body: sentence, Project: "one"}, "b": {Body: sentence, Project: "one"}, "c": {Body: sentence}, "d": {Body: sentence},
	})
	for _, tt := range []struct {
		o      collapse.Options
		groups int
		want   map[string]int
	}{
		{collapse.Options{Within: []string{"project"}}, 3, map[string]int{"project": 2}},
		{collapse.Options{Within: []string{"Project"}}, 4, map[string]int{"Project": 4}},
		{collapse.Options{By: &collapse.By{Field: "Project"}}, 4, map[string]int{"Project": 4}},
		{collapse.Options{By: &collapse.By{Field: "project", Or: true}, Within: []string{"any"}}, 4, map[string]int{"any": 4, "project": 2}},
		{collapse.Options{}, 1, nil},
	} {
		for _, whole := range []bool{false, true} {
			tt.o.Whole = whole
			res, err := collapse.Search(t.Context(), x, byID(bleve.NewMatchAllQuery()), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if res.TotalGroups != tt.groups || !maps.Equal(res.Valueless, tt.want) {
				t.Errorf("%s: %d groups, without a value %v; want %d, %v", asText(tt.o), res.TotalGroups, res.Valueless, tt.groups, tt.want)
			}
		}
	}
	var many []string
	for i := range 65 {
		many = append(many, fmt.Sprint("f", i))
	}
	_, err := collapse.Search(t.Context(), x, byID(bleve.NewMatchAllQuery()), collapse.Options{Within: many})
	if err == nil || !strings.Contains(err.Error(), "wanted at most 64 fields, got 65") {
		t.Errorf("got error %v", err)
	}
}

// A search that meets hits of an index of which nothing is signed says so, as for an unknown field.
func TestNothingSigned(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "boddy")
	none := newMappedIndex(t, m, map[string]page{"a": {Body: sentence}, "b": {Body: sentence}})
	some := newIndex(t, map[string]page{"c": {Body: sentence}, "d": {Project: "fox"}})
	fox, zebra := bleve.NewMatchQuery("fox"), bleve.NewMatchQuery("zebra")
	noBody := bleve.NewDocIDQuery([]string{"d"})
	for _, tt := range []struct {
		name    string
		x       bleve.Index
		request *bleve.SearchRequest
		o       collapse.Options
		wrong   bool
	}{
		{"none", none, bleve.NewSearchRequest(fox), collapse.Options{}, true},
		{"none, whole", none, bleve.NewSearchRequest(fox), collapse.Options{Whole: true}, true},
		{"none, alias", bleve.NewIndexAlias(none, none), bleve.NewSearchRequest(fox), collapse.Options{}, true},
		{"no hits", none, bleve.NewSearchRequest(zebra), collapse.Options{}, false},
		{"allowed", none, bleve.NewSearchRequest(fox), collapse.Options{Missing: collapse.KeepMissing}, false},
		{"by a key", none, bleve.NewSearchRequest(fox), collapse.Options{By: &collapse.By{Field: "body"}}, false},
		{"a hit without a text", some, bleve.NewSearchRequest(noBody), collapse.Options{}, false},
		{"an alias with another", bleve.NewIndexAlias(none, some), bleve.NewSearchRequest(fox), collapse.Options{}, false},
		{"remote", bleve.NewIndexAlias(afar{none}), bleve.NewSearchRequest(fox), collapse.Options{}, false},
	} {
		_, err := collapse.Search(t.Context(), tt.x, tt.request, tt.o)
		const text = `field "neardup": wanted documents with a text that it signs, got `
		if wrong := errors.Is(err, collapse.ErrRequest) && strings.Contains(err.Error(), text); wrong != tt.wrong || !wrong && err != nil {
			t.Errorf("%s: got error %v", tt.name, err)
		}
	}
	for _, missing := range []collapse.Missing{"", collapse.KeepMissing} {
		_, err := none.Search(bleve.NewSearchRequest(collapse.NewQuery(fox, collapse.Options{Missing: missing})))
		if errors.Is(err, collapse.ErrRequest) != (missing == "") {
			t.Errorf("query, missing %q: got error %v", missing, err)
		}
	}
}
