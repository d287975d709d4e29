package near_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groupedValued is a page with values of fields, none or several of some.
type groupedValued struct {
	page
	values map[string]any
}

// key tells the values of a page in fields; ok is false if one is missing.
func (v *groupedValued) key(fields []string) (key string, ok bool) {
	ok = true
	for _, f := range fields {
		var all []string
		switch value := v.values[f].(type) {
		case nil:
			ok = false
		case []string:
			all = slices.Clone(value)
		default:
			all = []string{fmt.Sprint(value)}
		}
		slices.Sort(all)
		key += fmt.Sprintf("%q|", slices.Compact(all))
	}
	return key, ok
}

// Groups with Within are those without it of the documents of each scope alone: by keywords, numbers,
// booleans and dates, of doc values and stored, in one index and an alias.
func TestGroupsWithin(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(51, 52))
	var pages []groupedValued
	for i, p := range families(rnd, 110) {
		v := groupedValued{page: p, values: map[string]any{}}
		for name, value := range map[string]any{
			"tenant": []string{"a", "b"}[rnd.IntN(2)],
			"tags":   [][]string{{"x"}, {"x", "y"}, {"y", "x", "x"}}[rnd.IntN(3)],
			"price":  float64(rnd.IntN(2)),
			"public": rnd.IntN(2) == 0,
			"date":   time.Unix(int64(rnd.IntN(2))*100_000, 0).UTC().Format(time.RFC3339),
			"stored": []string{"s", "t"}[rnd.IntN(2)],
		} {
			if rnd.IntN(6) > 0 {
				v.values[name] = value
			}
		}
		v.id = fmt.Sprintf("%03d", i)
		pages = append(pages, v)
	}
	m := newGroupedMapping()
	for name, f := range map[string]*mapping.FieldMapping{
		"tenant": bleve.NewKeywordFieldMapping(), "tags": bleve.NewKeywordFieldMapping(), "price": bleve.NewNumericFieldMapping(),
		"public": bleve.NewBooleanFieldMapping(), "date": bleve.NewDateTimeFieldMapping(), "stored": bleve.NewKeywordFieldMapping(),
	} {
		f.Store = name == "stored"
		f.DocValues = !f.Store
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	open := func(from, step int) bleve.Index {
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		batch := x.NewBatch()
		for i := from; i < len(pages); i += step {
			doc := map[string]any{"body": pages[i].body}
			for name, value := range pages[i].values {
				doc[name] = value
			}
			if err := batch.Index(pages[i].id, doc); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		return x
	}
	indexes := []bleve.Index{open(0, 1), bleve.NewIndexAlias(open(0, 2), open(1, 2))}
	for _, names := range [][]string{{"tenant"}, {"tags"}, {"public"}, {"date"}, {"stored", "price"}} {
		scopes := map[string][]page{}
		for _, p := range pages {
			key, ok := p.key(names)
			if !ok {
				key = p.id
			}
			scopes[key] = append(scopes[key], p.page)
		}
		want := map[string]string{} // by the head
		for _, own := range scopes {
			for _, g := range newGroupedOracle(own, signature.Rule{}).groups(near.Leaders, false, 2, nil) {
				want[g.Head.ID] = line(g)
			}
		}
		for n, x := range indexes {
			got := map[string]string{}
			for g, err := range unnamed(near.Groups(context.Background(), x, near.GroupsOptions{Within: names})) {
				if err != nil {
					t.Fatal(err)
				}
				got[g.Head.ID] = line(g)
			}
			if len(want) < 5 || !reflect.DeepEqual(got, want) {
				t.Fatalf("index %d, within %q: got %d groups %v\nwant %d %v", n, names, len(got), got, len(want), want)
			}
		}
	}
}

func TestGroupsWithinWrong(t *testing.T) {
	t.Parallel()
	x := newGroupedIndex(t, nil, 1)
	for want, o := range map[string]near.GroupsOptions{
		`got "a" twice`: {Within: []string{"a", "a"}},
		"got an empty":  {Within: []string{""}},
		"verify: resemblance: wanted 0.3 to 1, or 0, got 7": {Verify: signature.Verify{Resemblance: 7}},
	} {
		for _, err := range near.Groups(context.Background(), x, o) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: got error %v, want %q", o, err, want)
			}
		}
	}
}
