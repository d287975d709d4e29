package near_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// some returns n random words.
func some(rnd *rand.Rand, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("w%d", rnd.IntN(1<<30))
	}
	return strings.Join(all, " ")
}

func ids(res *near.PassagesResult) string {
	var all []string
	for _, h := range res.Hits {
		all = append(all, h.ID)
	}
	return strings.Join(all, " ")
}

// What more documents have than the guard allows is passed over, and reported. A document that shares something else as
// well is found by that, and shown with all.
func TestPassagesGuard(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	disclaimer, rare := some(rnd, 60), some(rnd, 60)
	docs := map[string]doc{"quotes": {values: []string{disclaimer, some(rnd, 100) + " " + rare}}}
	for i := range 600 {
		docs[fmt.Sprint("mail", i)] = doc{values: []string{some(rnd, 30), disclaimer}}
	}
	x := newQuotingIndex(t, with(t, 50))
	add(t, x, docs)
	text := []string{some(rnd, 80), disclaimer, some(rnd, 80) + " " + rare}
	res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: text}})
	if ids(res) != "quotes" || res.PassedOver == 0 || res.TotalRelation != bleve.TotalRelationGte || res.Hits[0].Words != 120 {
		t.Errorf("got %q, %d passed over, %s", ids(res), res.PassedOver, res.TotalRelation)
	}
	res = passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: text, MaxShare: 1}, Size: 3})
	if res.Total != 601 || res.PassedOver != 0 || res.TotalRelation != bleve.TotalRelationEq || res.Hits[0].ID != "quotes" || len(res.Hits) != 3 {
		t.Errorf("without a guard: got %d, %d passed over", res.Total, res.PassedOver)
	}
	page := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: text, MaxShare: 1}, Size: 2, From: 1})
	if ids(page) != res.Hits[1].ID+" "+res.Hits[2].ID {
		t.Errorf("got %q on the second page", ids(page))
	}
	if res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: text, MaxShare: 1}, From: 700}); len(res.Hits) != 0 || res.Total != 601 {
		t.Errorf("after the last page: got %q of %d", ids(res), res.Total)
	}
}

// Where texts are not stored, what is selected decides, and the shares are estimates with a standard error.
func TestNotStored(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	common := some(rnd, 1000)
	docs := map[string]doc{
		"half": {values: []string{common + " " + some(rnd, 1000)}}, "other": {values: []string{some(rnd, 2000)}},
		"whole": {values: []string{common}},
	}
	x := newQuotingIndex(t, with(t, 30, func(body *mapping.FieldMapping, _ map[string]any) { body.Store = false }))
	add(t, x, docs)
	for _, q := range []near.PassagesQuery{{Text: docs["half"].values}, {ID: "half"}} {
		res := passagesIn(t, x, near.PassagesRequest{Query: q})
		if q.ID == "" {
			if ids(res) != "half whole" || res.Hits[0].InHit.Value != 1 || res.Words != 2000 {
				t.Fatalf("got %+v", res)
			}
			res.Hits = res.Hits[1:]
		}
		h := res.Hits[0]
		if h.ID != "whole" || h.Verified || h.Words != 0 || h.Passages != nil || h.Given != nil || h.InHit.StdErr == 0 || h.OfHit.StdErr == 0 {
			t.Fatalf("got %+v", res)
		}
		if d := h.InHit.Value - .5; d > 4*h.InHit.StdErr || d < -4*h.InHit.StdErr || h.OfHit.Value < .9 {
			t.Errorf("got %v and %v, want one half and 1", h.InHit, h.OfHit)
		}
	}
	// A query of bleve's by the id finds the same, and says what is wrong with the document.
	blank := map[string]doc{"blank": {tag: "without a text"}}
	add(t, x, blank)
	for id, want := range map[string]string{"half": "whole", "blank": "ERROR"} {
		found, err := x.Search(bleve.NewSearchRequest(&near.PassagesQuery{ID: id}))
		got := "ERROR"
		if err == nil && len(found.Hits) == 1 {
			got = found.Hits[0].ID
		}
		if got != want || err != nil && !strings.Contains(err.Error(), `near: id "blank": `) {
			t.Errorf("%s: got %s, %v", id, got, err)
		}
	}
	// In an alias the text of one index is compared with the texts of another.
	stored := newQuotingIndex(t, with(t, 30))
	add(t, stored, map[string]doc{"copy": docs["whole"]})
	res := passagesIn(t, bleve.NewIndexAlias(x, stored), near.PassagesRequest{Query: near.PassagesQuery{ID: "copy"}})
	if ids(res) != "half whole" && ids(res) != "whole half" || res.Words != 1000 {
		t.Errorf("got %+v", res)
	}
	res = passagesIn(t, bleve.NewIndexAlias(x, stored), near.PassagesRequest{Query: near.PassagesQuery{ID: "whole"}})
	if len(res.Hits) != 2 || res.Hits[0].Verified || res.Hits[1].Verified || res.Words != 0 {
		t.Errorf("got %+v", res)
	}
}

func TestPassagesErrors(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	x := newQuotingIndex(t, with(t, 50))
	add(t, x, map[string]doc{"a": {values: []string{some(rnd, 100)}}})
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	without := newQuotingIndex(t, m)
	plain, err := bleve.NewMemOnly(with(t, 50))
	if err != nil {
		t.Fatal(err)
	}
	twice := newQuotingIndex(t, with(t, 50))
	add(t, twice, map[string]doc{"a": {values: []string{some(rnd, 100)}}})
	closed, err := plugin.New("", with(t, 50))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	static := with(t, 50)
	static.DefaultMapping.Dynamic = false
	known := newQuotingIndex(t, static)
	add(t, known, map[string]doc{"a": {values: []string{some(rnd, 100)}}})
	unstored := newQuotingIndex(t, with(t, 50, func(body *mapping.FieldMapping, _ map[string]any) { body.Store = false }))
	add(t, unstored, map[string]doc{"u": {values: []string{some(rnd, 100)}}})
	text := near.PassagesQuery{Text: []string{"some text"}}
	for _, tt := range []struct {
		x    bleve.Index
		r    near.PassagesRequest
		want string
	}{
		{x, near.PassagesRequest{}, "near: query: wanted a text or an id, got none"},
		{x, near.PassagesRequest{Query: near.PassagesQuery{ID: "b"}}, `near: id "b": no such document`},
		{x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Least: -1}}, "near: query: least: wanted 0 or more words, got -1"},
		{x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Least: 49}}, `near: query: least: wanted the 50 words of the passages of field "neardup" or more, got 49`},
		{x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a", MaxShare: 2}}, "near: query: max_share: wanted 0 to 1, got 2"},
		{x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Field: "b"}}, `near: neardup: wanted a fingerprinted field, one of ["neardup"], got "b"`},
		{x, near.PassagesRequest{Query: text, Size: -1}, "near: wanted size and from of 0 or more, got -1 and 0"},
		{x, near.PassagesRequest{Query: text, Filter: (*query.MatchQuery)(nil)}, "near: filter: wanted a query, got a nil *query.MatchQuery"},
		{x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{"a"}, Within: []string{"tag"}}}, "near: query: within: wanted the id of a document, which has the values, got none; a filter says which documents are looked at for a text"},
		{without, near.PassagesRequest{Query: text}, `near: field "neardup": wanted an analyzer with the option "passages", got one without: backfill makes an index of another mapping`},
		{plain, near.PassagesRequest{Query: text}, `near: wanted an index of type "neardup", got one without signatures: backfill makes one of it`},
		{bleve.NewIndexAlias(x, twice), near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}}, `near: id "a": wanted it in one member of the alias, got it in "" and ""; give the signature or the text instead`},
		{closed, near.PassagesRequest{Query: text}, bleve.ErrorIndexClosed.Error()},
		{
			bleve.NewIndexAlias(unstored, quotingRemote{x}),
			near.PassagesRequest{Query: near.PassagesQuery{ID: "u"}},
			`near: id "u": wanted one whose text is stored, to send it to indexes in other processes, got one without`,
		},
		{nil, near.PassagesRequest{Query: text}, "near: wanted an index, got nil"},
		{
			known,
			near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Within: []string{"tags"}}},
			`near: within: wanted a field of the mapping, one of ["body" "neardup" "tag"], got "tags"`,
		},
	} {
		_, err := near.Passages(t.Context(), tt.x, tt.r)
		if got := fmt.Sprint(err); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
	if _, err := near.Passages(t.Context(), x, near.PassagesRequest{Query: near.PassagesQuery{ID: "b"}}); !errors.Is(err, near.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := near.Passages(ctx, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{some(rnd, 60)}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context", err)
	}
	// A text without as many words has no passage.
	if res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{some(rnd, 30), some(rnd, 30)}}}); res.Total != 0 || res.Words != 60 || res.Least != 50 {
		t.Errorf("got %+v", res)
	}
}

// quotingRemote is an index in another process.
type quotingRemote struct{ local }

type local = bleve.Index

func (quotingRemote) Advanced() (index.Index, error)         { return nil, errors.New("remote") }
func (quotingRemote) Mapping() mapping.IndexMapping          { return nil }
func (quotingRemote) GetInternal(key []byte) ([]byte, error) { return nil, bleve.ErrorAliasEmpty }

func TestPassagesWithin(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(17, 18))
	text := some(rnd, 60)
	x := newQuotingIndex(t, with(t, 50))
	for id, tag := range map[string]string{"a": "one", "b": "one", "c": "two", "d": "", "e": ""} {
		d := map[string]any{"body": id + " " + text}
		if tag != "" {
			d["tag"] = tag
		}
		if err := x.Index(id, d); err != nil {
			t.Fatal(err)
		}
	}
	filter := query.NewTermQuery("two")
	filter.SetField("tag")
	for _, tt := range []struct {
		r    near.PassagesRequest
		want string
	}{
		{near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}}, "b c d e"},
		{near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Self: true}}, "a b c d e"},
		{near.PassagesRequest{Query: near.PassagesQuery{ID: "a", Within: []string{"tag"}}}, "b"},
		{near.PassagesRequest{Query: near.PassagesQuery{ID: "d", Within: []string{"tag"}}}, ""},
		{near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}, Filter: filter}, "c"},
		{near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}}, Filter: filter}, "c"},
	} {
		if got := ids(passagesIn(t, x, tt.r)); got != tt.want && len(strings.Fields(got)) != len(strings.Fields(tt.want)) {
			t.Errorf("%+v: got %q, want %q", tt.r, got, tt.want)
		}
	}
	res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}, Filter: filter, Fields: []string{"tag"}})
	if want := map[string]any{"tag": "two"}; !reflect.DeepEqual(res.Hits[0].Fields, want) {
		t.Errorf("got fields %v, want %v", res.Hits[0].Fields, want)
	}
	res = passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}, Filter: filter, Fields: []string{"*"}})
	if want := map[string]any{"tag": "two", "body": "c " + text}; !reflect.DeepEqual(res.Hits[0].Fields, want) {
		t.Errorf("got fields %v, want %v: stored signatures have to be named", res.Hits[0].Fields, want)
	}
	// As a query within another one.
	own := near.PassagesQuery{ID: "a"}
	hits, err := x.Search(bleve.NewSearchRequest(query.NewConjunctionQuery([]query.Query{&own, filter})))
	if err != nil || hits.Total != 1 || hits.Hits[0].ID != "c" {
		t.Errorf("got %v, %v", hits, err)
	}
	own.SetBoost(3)
	request := bleve.NewSearchRequest(&own)
	request.Explain = true
	hits, err = x.Search(request)
	if err != nil || hits.Total != 4 || !strings.Contains(hits.Hits[0].Expl.String(), "neardup: share of the given text, exact: 60 words stand in the document") {
		t.Errorf("got %v, %v", hits, err)
	}
}

// What is left out of signatures as a template is passed over, and told; without a guard it is a passage as any other.
// Texts with it are verified, and what is found by another passage is shown with all.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) { // what is selected of the template may be selected across its border, too
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testTemplates(t, rand.New(rand.NewPCG(seed, 20))) })
	}
}

func testTemplates(t *testing.T, rnd *rand.Rand) {
	footer, rare := some(rnd, 40), some(rnd, 40)
	x := newQuotingIndex(t, with(t, 30))
	for i := range 60 {
		add(t, x, map[string]doc{fmt.Sprint(i): {values: []string{some(rnd, 50) + " " + footer}}})
	}
	found, err := templates.Learn(t.Context(), x, templates.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := templates.Use(t.Context(), x, found); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if err := x.Delete(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	docs := map[string]doc{"a": {values: []string{some(rnd, 50) + " " + footer}}, "b": {values: []string{rare + " " + footer + " " + some(rnd, 50)}}}
	add(t, x, docs)
	half, after := strings.Join(strings.Fields(rare)[20:], " "), strings.Join(strings.Fields(docs["b"].values[0])[80:90], " ")
	o := newQuotingOracle(30, docs)
	for _, text := range []string{footer, rare, some(rnd, 10) + " " + footer, rare[len(rare)/3:] + " " + footer} {
		o.check(t, text, passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}, MaxShare: 1}}), []string{text}, "", docs)
	}
	o.check(t, "a", passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{ID: "a", MaxShare: 1}}), docs["a"].values, "a", docs)
	for _, tt := range []struct {
		q    near.PassagesQuery
		want string
	}{
		{near.PassagesQuery{Text: []string{some(rnd, 10) + " " + footer}}, ""},
		{near.PassagesQuery{Text: []string{rare + " " + some(rnd, 10) + " " + footer}}, "b"},
		{near.PassagesQuery{ID: "a"}, ""},
		{near.PassagesQuery{Text: []string{half + " " + footer}}, "b"}, // across the border, and no 30 words outside
		{near.PassagesQuery{Text: []string{footer + " " + after}}, "b"},
	} {
		res := passagesIn(t, x, near.PassagesRequest{Query: tt.q})
		if ids(res) != tt.want || res.Templates == 0 || res.PassedOver != 0 || res.TotalRelation != bleve.TotalRelationGte {
			t.Errorf("%+v: got %q, %d of templates, %d passed over, %s, want %q", tt.q, ids(res), res.Templates, res.PassedOver, res.TotalRelation, tt.want)
		}
		if tt.want != "" && res.Hits[0].Words < 41 {
			t.Errorf("%+v: got %d words, want all", tt.q, res.Hits[0].Words)
		}
	}
	if res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{rare}}}); ids(res) != "b" || res.Templates != 0 || res.TotalRelation != bleve.TotalRelationEq {
		t.Errorf("a text without the template: got %q, %d of templates", ids(res), res.Templates)
	}
}

// Texts of one repeated sentence, and long ones: in a moment.
func TestAdversaries(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	sentence := "the quick brown fox jumps over the lazy dog and back "
	long := strings.Repeat(sentence, 10_000) // 500 KB
	docs := map[string]doc{"repeats": {values: []string{long}}, "once": {values: []string{strings.Repeat(sentence, 6)}}, "long": {values: []string{some(rnd, 20_000)}}}
	x := newQuotingIndex(t, with(t, 50, func(body *mapping.FieldMapping, _ map[string]any) { body.Index, body.IncludeInAll = false, false }))
	add(t, x, docs)
	for _, text := range []string{long, strings.Repeat(sentence, 6), docs["long"].values[0][:150_000]} {
		res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}}})
		if len(res.Hits) == 0 || res.Hits[0].InHit.Value < .999 || !res.Hits[0].Verified {
			t.Errorf("got %d hits", len(res.Hits))
		}
	}
}

// A Hit is JSON, and comes back the same.
func TestPassagesJSON(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(23, 24))
	text := some(rnd, 60)
	x := newQuotingIndex(t, with(t, 50))
	add(t, x, map[string]doc{"\u00ff<": {values: []string{text}}})
	want := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}}})
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := new(near.PassagesResult)
	if err := json.Unmarshal(data, got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// Values of nested documents are values of the document around them.
func TestPassagesNested(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(83, 84))
	m := with(t, 20)
	part := bleve.NewNestedDocumentMapping()
	part.AddFieldMappingsAt("text", plugin.FieldMapping("passages"))
	part.Properties["text"].Fields[0].Name = "text"
	m.DefaultMapping.AddSubDocumentMapping("parts", part)
	x := newQuotingIndex(t, m)
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
	res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Field: "parts.text", Text: []string{quote}}})
	if ids(res) != "0 1 2 4 5" {
		t.Errorf("got %q", ids(res))
	}
}
