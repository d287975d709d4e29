package near_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// family is an index of a, b and c, near each other, and of others; a and b are of
// tenant 1, c of tenants 1 and 2, d of none.
func family(t testing.TB) bleve.Index {
	t.Helper()
	x := texts(t, nil, bleve.NewTextFieldMapping())
	put(t, x, map[string]any{
		"a":     map[string]any{"body": words(0, 400), "scope": []string{"1"}},
		"b":     map[string]any{"body": words(0, 400) + "one surplus and nine words behind that are not there", "scope": []string{"1"}},
		"c":     map[string]any{"body": strings.ToUpper(words(0, 400)), "scope": []string{"2", "1"}},
		"d":     map[string]any{"body": "several surplus " + words(0, 400)},
		"other": map[string]any{"body": words(5000, 400), "scope": []string{"1"}},
		"two":   map[string]any{"body": words(0, 200), "more": words(7000, 200)},
		"short": map[string]any{"body": "too short"},
		"equal": map[string]any{"body": "Too short!"},
		"none":  map[string]any{"scope": []string{"1"}},
		"byte":  map[string]any{"body": words(9500, 400), "scope": []string{"a\xffb"}},
		"bytes": map[string]any{"body": words(9500, 400), "scope": []string{"a\xffb"}},
		"pair":  map[string]any{"body": words(9500, 400), "scope": []string{"a", "b"}},
	})
	return x
}

func TestQuery(t *testing.T) {
	t.Parallel()
	x := family(t)
	strict := signature.Rule{Lanes: 100, Mode: signature.SketchOnly}
	for _, tt := range []struct {
		name string
		q    near.SimilarQuery
		want string
	}{
		{"text", near.SimilarQuery{Text: []string{words(0, 400)}}, "a b c d"},
		{"values in another order", near.SimilarQuery{Text: []string{words(7000, 200), words(0, 200)}}, "two"},
		{"text of nothing", near.SimilarQuery{Text: []string{"?!"}}, ""},
		{"short text", near.SimilarQuery{Text: []string{"TOO SHORT"}}, "equal short"},
		{"id", near.SimilarQuery{ID: "a"}, "b c d"},
		{"id and itself", near.SimilarQuery{ID: "a", Self: true}, "a b c d"},
		{"id of a short text", near.SimilarQuery{ID: "short"}, "equal"},
		{"no such id", near.SimilarQuery{ID: "nobody"}, ""},
		{"rule", near.SimilarQuery{ID: "a", Rule: strict}, "c"},
		{"scope", near.SimilarQuery{ID: "a", Scope: &near.Scope{Field: "scope", Values: []string{"1", "1"}}}, "b"},
		{"scope of two", near.SimilarQuery{ID: "a", Scope: &near.Scope{Field: "scope", Values: []string{"1", "2"}}}, "c"},
		{"scope that doc values cut", near.SimilarQuery{ID: "byte", Scope: &near.Scope{Field: "scope", Values: []string{"a\xffb"}}}, "bytes"},
		{"scope of what they cut it into", near.SimilarQuery{ID: "byte", Scope: &near.Scope{Field: "scope", Values: []string{"a", "b"}}}, "pair"},
		{"scope of none", near.SimilarQuery{ID: "a", Scope: &near.Scope{Field: "scope"}}, "d"},
	} {
		for _, b := range append(backends, "") {
			tt.q.Backend = b
			if got := strings.Join(nearIDs(t, x, &tt.q), " "); got != tt.want {
				t.Errorf("%s, %q: got %q, want %q", tt.name, b, got, tt.want)
			}
		}
	}
}

// The query is as good as any other of bleve's within larger ones.
func TestComposed(t *testing.T) {
	t.Parallel()
	x := family(t)
	like := &near.SimilarQuery{Text: []string{words(0, 400)}}
	more := bleve.NewMatchQuery("surplus")
	more.SetField("body")
	one := bleve.NewTermQuery("1")
	one.SetField("scope")
	filtered := query.NewBooleanQuery([]query.Query{like}, nil, nil)
	filtered.AddFilter(one)
	for want, q := range map[string]query.Query{
		"b d":                              bleve.NewConjunctionQuery(like, more),
		"a b c":                            filtered,
		"a c":                              query.NewBooleanQuery([]query.Query{like}, nil, []query.Query{more}),
		"a b c d none other":               bleve.NewDisjunctionQuery(one, like),
		"byte bytes equal none pair short": query.NewBooleanQuery(nil, nil, []query.Query{like, &near.SimilarQuery{ID: "two", Self: true}, &near.SimilarQuery{ID: "other", Self: true}}),
	} {
		if got := nearIDs(t, x, q); strings.Join(got, " ") != want {
			t.Errorf("%T: got %q, want %q", q, got, want)
		}
	}
	if got := nearIDs(t, x, collapse.NewQuery(like, collapse.Options{})); len(got) != 1 {
		t.Errorf("collapsed: got %q, want one", got)
	}

	r := bleve.NewSearchRequest(bleve.NewConjunctionQuery(like, more))
	r.AddFacet("scope", bleve.NewFacetRequest("scope", 3))
	r.Highlight = bleve.NewHighlight()
	r.Fields = []string{"body"}
	r.SortBy([]string{"-_id"})
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Total != 2 || res.Hits[0].ID != "d" || res.Facets["scope"].Total != 1 || len(res.Hits[0].Fragments["body"]) == 0 {
		t.Errorf("got %v", res)
	}
}

// The score is the resemblance that agreeing lanes show, times the boost; the explanation has it.
func TestScore(t *testing.T) {
	t.Parallel()
	x := family(t)
	p := signature.DefaultParams()
	of, b := signature.Of(p, []byte(words(0, 400))), signature.Of(p, []byte(words(0, 400)+"one surplus and nine words behind that are not there"))
	match, _ := signature.Rule{}.Match(&of, &b)
	want := map[string]float64{"a": 1, "b": (float64(match.Agree)/100 - 1./256) / (1 - 1./256), "c": 1}
	if want["b"] == 1 {
		t.Fatal("all lanes agree: this test shows little")
	}
	q := &near.SimilarQuery{Signature: &of}
	matchAll := bleve.NewMatchAllQuery()
	for _, tt := range []struct {
		q     query.Query
		scale float64
	}{{q, 1}, {query.NewBooleanQuery([]query.Query{q}, nil, nil), 1}, {bleve.NewConjunctionQuery(q, q), 2 / math.Sqrt2}} {
		r := bleve.NewSearchRequest(tt.q)
		r.Explain = true
		res, err := x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			if w, ok := want[hit.ID]; ok && math.Abs(hit.Score-w*tt.scale) > 1e-9 {
				t.Errorf("%T: %s has score %v, want %v", tt.q, hit.ID, hit.Score, w*tt.scale)
			}
			if math.Abs(hit.Expl.Value-hit.Score) > 1e-9 || !strings.Contains(fmt.Sprint(hit.Expl), "lanes agree, Hamming") {
				t.Errorf("%s: score %v is explained by %v", hit.ID, hit.Score, hit.Expl)
			}
		}
	}
	q.SetBoost(3)
	res, err := x.Search(bleve.NewSearchRequest(bleve.NewConjunctionQuery(q, matchAll)))
	if err != nil || math.Abs(res.Hits[0].Score-4/math.Sqrt(10)) > 1e-9 {
		t.Errorf("boosted by 3: got %v, error %v", res.Hits, err)
	}
	r := bleve.NewSearchRequest(q)
	r.Score = "none"
	if res, err = x.Search(r); err != nil || len(res.Hits) != 4 || res.Hits[0].Score != 0 {
		t.Errorf("without score: got %v, error %v", res, err)
	}
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	x, stored, plain := family(t), forged(t, scorch.Name, ""), texts(t, map[string]any{"terms": "none"})
	put(t, stored, map[string]any{"a": map[string]any{"scope": "1"}})
	put(t, plain, map[string]any{"a": map[string]any{"body": "text"}})
	put(t, x, map[string]any{"unsigned": map[string]any{"scope": "1"}})
	other := signature.Of(signature.Params{Width: 3, Lanes: 100, SimhashWidth: 4}, []byte(words(0, 40)))
	memory, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	for _, tt := range []struct {
		x    bleve.Index
		q    near.SimilarQuery
		want string
	}{
		{x, near.SimilarQuery{}, "wanted one of text, signature and id, got none or several"},
		{x, near.SimilarQuery{ID: "a", Text: []string{"b"}}, "wanted one of text"},
		{x, near.SimilarQuery{ID: "a", MaxShare: 2}, "max_share: wanted 0 to 1, got 2"},
		{x, near.SimilarQuery{ID: "a", MaxShare: math.NaN()}, "max_share: wanted 0 to 1, got NaN"},
		{x, near.SimilarQuery{ID: "a", Scope: &near.Scope{}}, "scope: wanted the name of a field"},
		{x, near.SimilarQuery{ID: "a", Backend: "disk"}, `backend: wanted "memory" or "terms", got "disk"`},
		{x, near.SimilarQuery{ID: "a", Rule: signature.Rule{Hamming: 65}}, "hamming: wanted -1 to 64, got 65"},
		{x, near.SimilarQuery{ID: "a", Plan: table.Plan{Tables: 5}}, "plan: tables: wanted 4, 10, 16, 20"},
		{x, near.SimilarQuery{ID: "a", Plan: table.Plan{Tables: 10}, Rule: signature.Rule{Hamming: 4}}, "cannot be chosen for a rule of hamming above 3, got 4"},
		{x, near.SimilarQuery{ID: "a", Plan: table.Plan{Tables: 10}, Backend: near.Terms}, `plan: wanted backend "memory", got "terms"`},
		{stored, near.SimilarQuery{Text: []string{"a"}, Plan: table.Plan{Tables: 10}}, `plan: wanted backend "memory", got "terms"`},
		{x, near.SimilarQuery{ID: "unsigned"}, `id "unsigned": wanted a document with a signature of field "neardup"`},
		{x, near.SimilarQuery{Text: []string{"a"}, Field: "scope"}, `wanted a fingerprinted field, one of ["neardup"], got "scope"`},
		{x, near.SimilarQuery{Signature: &other}, "signature: wanted one of the parameters of field"},
		{x, near.SimilarQuery{ID: "a", Rule: signature.Rule{Lanes: 80, Hamming: 3}, Backend: near.Terms}, `the rule must not be looser than "agree" 90 and "hamming" 3`},
		{plain, near.SimilarQuery{ID: "a", Backend: near.Terms}, `to have the analyzer option "terms": "bands"`},
		{stored, near.SimilarQuery{Text: []string{"a"}, Backend: near.Memory}, `backend "memory": wanted an index of type "neardup"`},
		{stored, near.SimilarQuery{Text: []string{"a"}}, `wanted an index of type "neardup", got one without signatures: backfill makes one of it`},
		{memory, near.SimilarQuery{Text: []string{"a"}}, "or one of scorch, got a *upsidedown"},
	} {
		if _, err := tt.x.Search(bleve.NewSearchRequest(&tt.q)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got error %v, want one with %q", tt.q, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := texts(t, nil).SearchInContext(ctx, bleve.NewSearchRequest(&near.SimilarQuery{ID: "a"})); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The guard passes over the keys of a template, and a Query has none unless asked.
func TestSimilarGuard(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(51, 52))
	x := forged(t, forging, "")
	base, docs := random(rnd), map[string]any{}
	var all []string
	rest := []int{20, 30, 40, 50, 55, 60, 70, 75, 85, 95} // lanes in all other bands
	for i := range 1500 {
		s := random(rnd)
		switch {
		case i < 600:
			copy(s.Sketch, base.Sketch[:5]) // two bands of both sorts
		case i < 610:
			s = apart(rnd, base, rnd.Perm(100)[:8], []int{0, 20, 40, 60})
		case i < 612: // nothing in common but two bands
			s = apart(rnd, base, rest, []int{0, 20, 40, 60})
		case i < 614: // besides, three blocks of the simhash, which is far
			s = apart(rnd, base, rest, []int{0, 1, 2, 3, 4})
		}
		id := fmt.Sprint(i)
		docs[id] = forgedDoc(t, s)
		if (signature.Rule{}).Duplicates(base, s) {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	put(t, x, docs)
	guarded := func(b near.Backend) []string {
		return nearIDs(t, x, &near.SimilarQuery{Signature: base, Backend: b, MaxShare: .01})
	}
	fresh := guarded(near.Terms) // before anything is in memory
	for _, b := range backends {
		if got := nearIDs(t, x, &near.SimilarQuery{Signature: base, Backend: b}); !slices.Equal(got, all) {
			t.Errorf("%s: got %q, want %q", b, got, all)
		}
		if got := guarded(b); !slices.Equal(got, fresh) || len(got) == 0 || len(got) == len(all) {
			t.Errorf("%s, guarded: got %q, at first %q by terms; want these, and not all of %q", b, got, fresh, all)
		}
		for share, relation := range map[float64]string{0: bleve.TotalRelationGte, .5: bleve.TotalRelationEq, 1: bleve.TotalRelationEq} {
			res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: near.SimilarQuery{Signature: base, Backend: b, MaxShare: share}})
			if err != nil {
				t.Fatal(err)
			}
			if res.TotalRelation != relation || (res.PassedOver > 0) != (relation == bleve.TotalRelationGte) || relation == bleve.TotalRelationEq && int(res.Total) != len(all) {
				t.Errorf("%s, share %v: got %d %s, %d keys passed over; want %s", b, share, res.Total, res.TotalRelation, res.PassedOver, relation)
			}
		}
	}
}

// A document's text may stand in documents nested within it.
func TestSimilarNested(t *testing.T) {
	t.Parallel()
	m := newMapping(t, nil)
	part := bleve.NewNestedDocumentMapping()
	part.AddFieldMappingsAt("body", &mapping.FieldMapping{Name: plugin.Field, Type: "text", Analyzer: bands, Index: true})
	m.DefaultMapping.AddSubDocumentMapping("part", part)
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands))
	x := opened(t, "", m)
	part1, part2 := map[string]any{"body": words(0, 200)}, map[string]any{"body": words(3000, 200)}
	put(t, x, map[string]any{
		"a": map[string]any{"part": []any{part1, part2}},
		"b": map[string]any{"part": []any{part2, part1}},
		"c": map[string]any{"part": []any{part1}},
	})
	for _, b := range backends {
		if got := nearIDs(t, x, &near.SimilarQuery{ID: "a", Field: "part." + plugin.Field, Backend: b}); !slices.Equal(got, []string{"b"}) {
			t.Errorf("%s: got %q, want b", b, got)
		}
	}
}

func TestVerifyWrong(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	for want, q := range map[string]near.SimilarQuery{
		"verify: resemblance: wanted 0.3 to 1, or 0, got 2": {ID: "a", Verify: signature.Verify{Resemblance: 2}},
		"one of text, signature and id":                     {Text: []string{"a"}, Signature: new(signature.Signature)},
	} {
		if _, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want %q", q, err, want)
		}
	}
	var q near.SimilarQuery
	in := `{"custom_filter":{"neardup":{"text":"a b","verify":{"resemblance":0.8,"contained":true}}}}`
	if err := json.Unmarshal([]byte(in), &q); err != nil || (q.Verify != signature.Verify{Resemblance: .8, Contained: true}) {
		t.Errorf("got %+v, error %v", q.Verify, err)
	}
	in = strings.Replace(in, "contained", "contain", 1)
	if err := json.Unmarshal([]byte(in), &q); err == nil || !strings.Contains(err.Error(), "contain") {
		t.Errorf("an unknown member: got error %v", err)
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
}

// A text without words, or too short for its only test, has no near-duplicates but equal ones, in memory and by terms.
func TestNothingToLookUp(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	put(t, x, map[string]any{"a": map[string]any{"body": words(0, 40)}, "b": map[string]any{"body": "..."}, "c": map[string]any{"body": "one two"}})
	for text, want := range map[string]int{"": 0, "?!": 0, "one two": 1} {
		for _, rule := range []signature.Rule{{}, {Mode: signature.SketchOnly}, {Mode: signature.SimhashOnly}, {Mode: signature.ExactOnly}} {
			for _, backend := range backends {
				r, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{text}, Rule: rule, Backend: backend}, Size: 5})
				if err != nil || len(r.Hits) != want || r.PassedOver != 0 {
					t.Errorf("%q by %+v, %s: got %+v, %v, want %d hits", text, rule, backend, r, err, want)
				}
			}
		}
	}
}

// tired is an index that rests after each search.
type tired struct{ inner }

const rest = 20 * time.Millisecond

func (x tired) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer time.Sleep(rest)
	return x.inner.SearchInContext(ctx, r)
}

// Took is the time of the whole call, as in bleve, not of the searches that it makes.
func TestTook(t *testing.T) {
	t.Parallel()
	x := tired{texts(t, map[string]any{"passages": 50}, bleve.NewTextFieldMapping())}
	put(t, x, map[string]any{"a": map[string]any{"body": words(0, 400)}, "b": map[string]any{"body": words(0, 399)}})
	page, err := collapse.Search(t.Context(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{})
	if err != nil || page.Took < rest {
		t.Errorf("a page: wanted %v or more, got %v, %v", rest, page, err)
	}
	like, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}})
	if err != nil || len(like.Hits) != 1 || like.Took < 2*rest {
		t.Errorf("similar: wanted %v or more, got %+v, %v", 2*rest, like, err)
	}
	quotes, err := near.Passages(t.Context(), x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}})
	if err != nil || len(quotes.Hits) != 1 || quotes.Took < 2*rest {
		t.Errorf("passages: wanted %v or more, got %+v, %v", 2*rest, quotes, err)
	}
}
