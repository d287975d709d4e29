package collapse_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse"
)

// shards returns an index of docs, and an alias of four that have the same number
// of them each.
func shards(t *testing.T, scoring string, docs map[string]page) (one, alias bleve.Index) {
	t.Helper()
	return shardsOf(t, 4, scoring, docs)
}

func shardsOf(t *testing.T, n int, scoring string, docs map[string]page) (one, alias bleve.Index) {
	t.Helper()
	parts := make([]map[string]page, n)
	for i := range parts {
		parts[i] = map[string]page{}
	}
	all := len(docs)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		if i >= all/n*n {
			delete(docs, id)
			continue
		}
		parts[i%n][id] = docs[id]
	}
	m := newMapping(scoring)
	several := bleve.NewIndexAlias()
	if err := several.SetIndexMapping(m); err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		shard := newMappedIndex(t, m, part)
		shard.SetName(fmt.Sprint("shard", i))
		several.Add(shard)
	}
	return newMappedIndex(t, m, docs), several
}

// inner is a bleve.Index to embed: under its own name, the field would hide its
// method Index.
type inner = bleve.Index

// With bleve's global scoring, shards share the number of documents and the mean length of the field. Of a word that is
// as frequent in each of them, the score then ranks as on one index, and so the groups are the same, in both forms.
// (bleve does not share how many documents have a word, so this is all that can be had.)
func TestAliasByGlobalScore(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(4, 4)), 130, 60)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		d := docs[id]
		d.Body += strings.Repeat(" usual", 1+i%3)
		if i%4 == 0 { // else the shards would have the same mean length anyway
			d.Body += strings.Repeat(fmt.Sprintf(" filler%d", i), 60)
		}
		docs[id] = d
	}
	one, alias := shards(t, index.BM25Scoring, docs)
	globally := context.WithValue(t.Context(), search.SearchTypeKey, search.GlobalScoring)
	match := bleve.NewMatchQuery("common usual")
	match.SetField("body")
	want := oracle(t, one, bleve.NewSearchRequest(match), collapse.Options{}).groups
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		groups := func(ctx context.Context) (all []group) {
			t.Helper()
			for r := bleve.NewSearchRequestOptions(match, 20, 0, false); ; r.From += r.Size {
				res, err := collapse.Search(ctx, alias, r, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range res.Groups {
					all = append(all, append(group{g.Head.ID}, memberIDs(g)...))
				}
				for _, g := range res.Earlier {
					at := slices.IndexFunc(all, func(of group) bool { return of[0] == g.Head.ID })
					all[at] = append(all[at], memberIDs(g)...)
				}
				if len(res.Hits) < r.Size {
					return all
				}
			}
		}
		if got := groups(globally); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("whole %v: 4 shards differ from one index: got\n%q\nwant\n%q", o.Whole, got, want)
		}
		if slices.EqualFunc(groups(t.Context()), want, slices.Equal) {
			t.Errorf("whole %v: the same without global scoring: this test shows nothing", o.Whole)
		}
	}
}

// restless changes with each search.
type restless struct {
	inner
	change func()
}

func (x restless) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	x.change()
	return x.inner.SearchInContext(ctx, r)
}

// An index that changes between the requests of one Search: what was there all the
// time is shown or listed once, whatever comes and goes before it.
func TestSearchWhileTheIndexChanges(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 400 {
		text := strings.Repeat(fmt.Sprintf("common text number %d of its own kind and nothing else ", i/40), 4)
		docs[fmt.Sprintf("%03d", i)] = page{Body: text + strings.Repeat("common ", i%7), Version: float64(i % 5)}
	}
	for _, by := range [][]string{{"-_score"}, {"-version"}, {"_id"}} {
		index := newIndex(t, docs)
		n := 0
		x := restless{index, func() {
			n++
			load(t, index, map[string]page{fmt.Sprintf("000new%d", n): {Body: fmt.Sprintf("common new %d", n), Version: 9}})
		}}
		match := bleve.NewMatchQuery("common")
		match.SetField("body")
		r := bleve.NewSearchRequestOptions(match, 100, 0, false)
		r.SortBy(by)
		res, err := collapse.Search(context.Background(), x, r, collapse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n < 2 {
			t.Fatalf("%v: %d searches: this test shows nothing", by, n)
		}
		seen := map[string]int{}
		for _, g := range res.Groups {
			seen[g.Head.ID]++
			for _, m := range g.Members {
				seen[m.ID]++
			}
		}
		for id := range docs {
			if seen[id] != 1 {
				t.Errorf("%v: %s was shown or listed %d times", by, id, seen[id])
			}
		}
	}
}

// A request that was searched with before can be collapsed in an alias: the members do
// not share what bleve collects values to sort by in. (The race detector tells.)
func TestUsedSort(t *testing.T) {
	t.Parallel()
	one, alias := shards(t, "", families(rand.New(rand.NewPCG(8, 8)), 200, 30))
	request := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 20, 0, false)
	request.Sort = search.SortOrder{&search.SortField{Field: "version", Type: search.SortFieldAsNumber}}
	want, err := collapse.Search(context.Background(), alias, request, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Search(request); err != nil {
		t.Fatal(err)
	}
	got, err := collapse.Search(context.Background(), alias, request, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got.Groups, want.Groups, func(a, b collapse.Group) bool { return a.Head == b.Head }) {
		t.Errorf("a request that was used gives %v, a new one %v", got.Groups, want.Groups)
	}
}
