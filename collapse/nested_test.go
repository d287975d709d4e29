package collapse_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// nestedIndex has families of near-copies with comments, which are nested documents, and
// with replies to these.
func nestedIndex(t *testing.T) bleve.Index {
	t.Helper()
	return nestedPart(t, func(string) bool { return true })
}

// nestedPart has the documents of nestedIndex of some ids.
func nestedPart(t *testing.T, has func(id string) bool) bleve.Index {
	t.Helper()
	m := newMapping("")
	comments := mapping.NewNestedDocumentMapping()
	comments.AddFieldMappingsAt("text", bleve.NewTextFieldMapping())
	comments.AddFieldMappingsAt("stars", bleve.NewNumericFieldMapping())
	comments.AddFieldMappingsAt("by", bleve.NewKeywordFieldMapping())
	replies := mapping.NewNestedDocumentMapping()
	replies.AddFieldMappingsAt("text", bleve.NewTextFieldMapping())
	comments.AddSubDocumentMapping("replies", replies)
	m.DefaultMapping.AddSubDocumentMapping("comments", comments)
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	batch := x.NewBatch()
	n := 0
	for id, p := range families(rand.New(rand.NewPCG(81, 82)), 90, 60) {
		if !has(id) {
			continue
		}
		rnd := rand.New(rand.NewPCG(uint64(hash(id)), 1))
		doc := p.data()
		var all []any
		for range rnd.IntN(4) {
			c := map[string]any{
				"text": strings.Repeat("fox ", 1+rnd.IntN(3)) + "comment", "stars": rnd.IntN(6), "by": fmt.Sprint("user", rnd.IntN(3)),
			}
			if rnd.IntN(2) == 0 {
				c["replies"] = []any{map[string]any{"text": "a reply about a fox and a dog"}}
			}
			all = append(all, c)
		}
		if all != nil {
			doc["comments"] = all
		}
		if err := batch.Index(id, doc); err != nil {
			t.Fatal(err)
		}
		if n++; n%25 == 0 {
			flush(t, x, batch)
		}
	}
	flush(t, x, batch)
	return x
}

// nestedQueries match documents, nested documents, and both.
var nestedQueries = []string{
	"comments.text:fox",
	"comments.replies.text:dog",
	"body:common",
	"body:common comments.text:fox",
	"+body:common +comments.text:fox",
	"+body:common -comments.text:fox",
	"+comments.text:fox +comments.by:user1",
	"comments.text:fox comments.replies.text:fox",
	"*",
}

// What is collapsed are whole documents, whatever part of them matches, with all that bleve tells of them.
func TestNestedAgainstOracle(t *testing.T) {
	t.Parallel()
	x := nestedIndex(t)
	for i, text := range nestedQueries {
		for j, by := range []string{`["-_score"]`, `["_id"]`, `[{"by":"field","field":"comments.stars","type":"number","desc":true,"mode":"max"}]`} {
			if testing.Short() && i%3 != j {
				continue
			}
			t.Run(text+by, func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequestOptions(bleve.NewQueryStringQuery(text), 9, 0, false)
				r.Sort = order(t, by)
				switch i % 3 {
				case 0:
					r.Highlight = bleve.NewHighlight()
				case 1:
					r.Fields = []string{"comments.text", "comments.by", "version"}
				}
				compare(t, x, r, collapse.Options{Visible: 1 + j%2}, 9)
			})
		}
	}
}

// The whole form says of a query that nested documents can match that it does not join them, on one index and on an alias.
func TestWholeRefusesNested(t *testing.T) {
	t.Parallel()
	x := nestedIndex(t)
	for name, x := range map[string]bleve.Index{"one": x, "alias": bleve.NewIndexAlias(x, newIndex(t, nil))} {
		for _, text := range nestedQueries {
			r := bleve.NewSearchRequest(bleve.NewQueryStringQuery(text))
			_, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
			if text == "body:common" || text == "*" { // which match documents alone
				if err != nil {
					t.Errorf("%s, %s: %v", name, text, err)
				}
				if r.Sort = order(t, `["_id"]`); name == "one" {
					compare(t, x, r, collapse.Options{Whole: true}, 1000)
				}
				continue
			}
			if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "wanted a query of no nested documents") {
				t.Errorf("%s, %s: got error %v", name, text, err)
			}
			r.Query = collapse.NewQuery(r.Query, collapse.Options{})
			if _, err := x.Search(r); name == "one" && !errors.Is(err, collapse.ErrRequest) {
				t.Errorf("%s as a Query: got error %v", text, err)
			}
		}
	}
}

func order(t *testing.T, text string) search.SortOrder {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	o, err := search.ParseSortOrderJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A Query is of whole documents to other parts of the same query, too.
func TestNestedQueryInQueries(t *testing.T) {
	t.Parallel()
	x := nestedIndex(t)
	fox := bleve.NewMatchQuery("fox")
	fox.SetField("comments.text")
	common := bleve.NewMatchQuery("common")
	common.SetField("body")
	heads := bleve.NewSearchRequestOptions(collapse.NewQuery(common, collapse.Options{}), 1000, 0, false)
	found := func(r *bleve.SearchRequest) map[string]bool {
		t.Helper()
		res, err := x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, hit := range res.Hits {
			ids[hit.ID] = true
		}
		if int(res.Total) != len(ids) {
			t.Fatalf("%d ids, total %d", len(ids), res.Total)
		}
		return ids
	}
	first := found(heads)
	commented := found(bleve.NewSearchRequestOptions(fox, 1000, 0, false))
	both, either := map[string]bool{}, map[string]bool{}
	for id := range commented {
		either[id] = true
		if first[id] {
			both[id] = true
		}
	}
	for id := range first {
		either[id] = true
	}
	if len(both) == 0 || len(both) == len(first) {
		t.Fatal("this test shows nothing")
	}
	for i := range 2 {
		q := []query.Query{collapse.NewQuery(common, collapse.Options{}), fox}
		if i == 1 {
			slices.Reverse(q)
		}
		if got := found(bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(q...), 1000, 0, false)); !reflect.DeepEqual(got, both) {
			t.Errorf("and: got %d, want %d", len(got), len(both))
		}
		if got := found(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(q...), 1000, 0, false)); !reflect.DeepEqual(got, either) {
			t.Errorf("or: got %d, want %d", len(got), len(either))
		}
	}
}

// Words within a Query have their synonyms.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	m := newMapping("")
	if err := m.AddSynonymSource("words", map[string]any{"collection": "all", "analyzer": "standard"}); err != nil {
		t.Fatal(err)
	}
	title := bleve.NewTextFieldMapping()
	title.Analyzer, title.SynonymSource = "standard", "words"
	m.DefaultMapping.AddFieldMappingsAt("title", title)
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	synonyms, ok := x.(bleve.SynonymIndex)
	if !ok {
		t.Fatal("no synonyms")
	}
	if err := synonyms.IndexSynonym("1", "all", &bleve.SynonymDefinition{Synonyms: []string{"quick", "fast", "rapid"}}); err != nil {
		t.Fatal(err)
	}
	for id, p := range families(rand.New(rand.NewPCG(85, 86)), 60, 60) {
		doc := p.data()
		doc["title"] = []string{"a quick one", "a fast one", "a rapid one", "a slow one"}[hash(id)%4]
		if err := x.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	q := bleve.NewMatchQuery("fast")
	q.SetField("title")
	for _, q := range []query.Query{q, bleve.NewConjunctionQuery(q, bleve.NewMatchAllQuery())} {
		r := bleve.NewSearchRequestOptions(q, 1000, 0, false)
		r.SortBy([]string{"_id"})
		if want := oracle(t, x, r, collapse.Options{}); want.total < 30 || want.hidden == 0 {
			t.Fatalf("%d match, %d are hidden: this test shows nothing", want.total, want.hidden)
		}
		compare(t, x, r, collapse.Options{Whole: true}, 1000)
	}
	slow := bleve.NewMatchQuery("rapid") // beside the Query
	slow.SetField("title")
	both := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(slow, collapse.NewQuery(q, collapse.Options{})), 1000, 0, false)
	alone := bleve.NewSearchRequestOptions(collapse.NewQuery(q, collapse.Options{}), 1000, 0, false)
	a, err := x.Search(both)
	if err != nil {
		t.Fatal(err)
	}
	b, err := x.Search(alone)
	if err != nil || a.Total != b.Total || b.Total == 0 {
		t.Errorf("with another word beside it %d match, want %d; error %v", a.Total, b.Total, err)
	}
}
