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
		"parts":   {bleve.NewIndexAlias(collapse.Part(x), collapse.Part(empty)), true},
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
					q := collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.QueryOptions{Within: o.Within, By: o.By, Head: o.Head})
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
