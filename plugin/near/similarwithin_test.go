package near_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
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

// valued is a text with values of fields, none or several of some.
type valued struct {
	*text
	values map[string]any
}

func (v *valued) doc() map[string]any {
	doc := map[string]any{"body": v.String()}
	maps.Copy(doc, v.values)
	return doc
}

// equal reports whether two texts have values in fields, and equal ones.
func (v *valued) equal(other *valued, names []string) bool {
	for _, name := range names {
		a, b := v.values[name], other.values[name]
		if a == nil || b == nil {
			return false
		}
		if fmt.Sprint(set(a)) != fmt.Sprint(set(b)) {
			return false
		}
	}
	return true
}

func set(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return slices.Compact(slices.Sorted(slices.Values(v)))
	}
	return []string{fmt.Sprint(v)}
}

// Within leaves of the near-duplicates those that are equal in fields to the document: in one index,
// in an alias, over HTTP, by both back ends, and as a Query of its own.
func TestSimilarWithin(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(61, 62))
	all := map[string]*valued{}
	for id, x := range relatives(rnd, 120) {
		v := &valued{x, map[string]any{}}
		for name, value := range map[string]any{
			"tenant": []string{"a", "b"}[rnd.IntN(2)],
			"tags":   [][]string{{"x"}, {"x", "y"}, {"y", "x", "x"}}[rnd.IntN(3)],
			"price":  float64(rnd.IntN(2)),
			"public": rnd.IntN(2) == 0,
			"date":   time.Unix(int64(rnd.IntN(2))*100_000, 0).UTC().Format(time.RFC3339),
			"kept":   []string{"s", "t"}[rnd.IntN(2)],
		} {
			if rnd.IntN(6) > 0 {
				v.values[name] = value
			}
		}
		all[id] = v
	}
	open := func(part, of int) bleve.Index {
		m := newMapping(t, nil)
		m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands), bleve.NewTextFieldMapping())
		for name, f := range map[string]*mapping.FieldMapping{
			"tenant": bleve.NewKeywordFieldMapping(), "tags": bleve.NewKeywordFieldMapping(), "price": bleve.NewNumericFieldMapping(),
			"public": bleve.NewBooleanFieldMapping(), "date": bleve.NewDateTimeFieldMapping(), "kept": bleve.NewKeywordFieldMapping(),
		} {
			f.DocValues = name != "kept"
			m.DefaultMapping.AddFieldMappingsAt(name, f)
		}
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(fmt.Sprint("part ", part))
		docs := map[string]any{}
		for i, id := range slices.Sorted(maps.Keys(all)) {
			if i%of == part {
				docs[id] = all[id].doc()
			}
		}
		put(t, x, docs)
		return x
	}
	one, left, right := open(0, 1), open(0, 2), open(1, 2)
	indexes := map[string]bleve.Index{"one": one, "alias": bleve.NewIndexAlias(left, right), "remote": bleve.NewIndexAlias(left, remote(t, right))}
	ids, rule := slices.Sorted(maps.Keys(all)), signature.Rule{Lanes: 70}
	found, rest := 0, 0
	for range 5 {
		id := ids[rnd.IntN(len(ids))]
		for _, names := range [][]string{{"tenant"}, {"tags"}, {"price"}, {"public"}, {"date"}, {"kept"}, {"kept", "price", "tenant"}} {
			q := near.SimilarQuery{ID: id, Rule: rule, Within: names, Backend: near.Memory}
			if rnd.IntN(2) == 0 {
				q.Signature = &all[id].sig
			}
			var want []string
			for other, x := range all {
				if other != id && rule.Duplicates(&all[id].sig, &x.sig) {
					if rest++; all[id].equal(x, names) {
						want = append(want, other)
					}
				}
			}
			slices.Sort(want)
			found += len(want)
			for place, x := range indexes {
				r, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q, Size: 1000})
				if err != nil {
					t.Fatal(err)
				}
				if place == "remote" && names[0] == "date" && r.Total < uint64(len(want)) {
					continue // a remote index gives the date of a document as text
				}
				var got []string
				for _, hit := range r.Hits {
					got = append(got, hit.ID)
				}
				if slices.Sort(got); !slices.Equal(got, want) || int(r.Total) != len(want) {
					t.Fatalf("%s: near %s within %q, are %q, want %q", place, id, names, got, want)
				}
			}
			if got := nearIDs(t, one, &q); !slices.Equal(got, want) {
				t.Fatalf("a query: near %s within %q, are %q, want %q", id, names, got, want)
			}
			hits, err := near.Nearest(context.Background(), one, []near.SimilarQuery{{Signature: &all[id].sig, ID: id, Rule: rule, Within: names}})
			if err != nil || (hits[0] != nil) != (len(want) > 0) || hits[0] != nil && !slices.Contains(want, hits[0].ID) {
				t.Fatalf("the nearest to %s within %q, is %+v, want one of %q, error %v", id, names, hits[0], want, err)
			}
		}
	}
	if found < 60 || rest < found*3/2 {
		t.Errorf("%d found, of %d without Within: this test shows little", found, rest)
	}
}

func TestSimilarWithinWrong(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	put(t, x, map[string]any{"a": map[string]any{"body": words(1, 20)}})
	sig := signature.Of(signature.DefaultParams(), []byte("a"))
	for want, q := range map[string]near.SimilarQuery{
		"within: wanted the id of a document": {Text: []string{"a"}, Within: []string{"tenant"}},
		`got "a" twice`:                       {ID: "a", Within: []string{"a", "a"}},
		"got an empty one":                    {ID: "a", Within: []string{""}},
		`near: within: wanted a field of the mapping, one of ["neardup" "scope"], got "a"`: {ID: "a", Within: []string{"a"}},
		`near: scope: wanted a field of the mapping, one of ["neardup" "scope"], got "b"`:  {ID: "a", Scope: &near.Scope{Field: "b"}},
		"no such document":     {ID: "none", Within: []string{"scope"}},
		`id "other": no such `: {ID: "other", Signature: &sig, Within: []string{"scope"}},
	} {
		if _, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want %q", q, err, want)
		}
	}
	if _, err := near.Nearest(context.Background(), x, []near.SimilarQuery{{ID: "other", Signature: &sig, Within: []string{"a"}}}); err == nil || !strings.Contains(err.Error(), "no such document") {
		t.Errorf("nearest: got error %v", err)
	}
}
