package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// TestWholeAliasLikeOne, TestWholeAliasAgainstOracle and TestSeveralFieldsWholeAlias have remote members too: see aliases.

// Of a remote index that gives nothing but hits, the whole form shows what the oracle makes of its ranking.
func TestWholeRemoteOfAnyIndex(t *testing.T) {
	t.Parallel()
	docs := fieldDocs(51, 40)
	members, one := split(t, 3, docs)
	for name, x := range map[string]bleve.Index{"one": afar{one}, "three": bleve.NewIndexAlias(afar{members[0]}, members[1], afar{members[2]})} {
		for _, o := range []collapse.Options{
			{},
			{Visible: 2},
			{Missing: collapse.GroupMissing, Within: []string{"word"}},
			{By: &collapse.By{Field: "number"}, Visible: 3},
			{By: &collapse.By{Field: "flag", Or: true, Most: 2}, Missing: collapse.DropMissing},
		} {
			for _, by := range [][]string{nil, {"-version", "_id"}, {"-_score", "-_id"}} {
				match := bleve.NewMatchQuery("common w7 w8")
				match.SetField("body")
				r := bleve.NewSearchRequestOptions(match, 7, 0, false)
				r.SortBy(by)
				t.Run(fmt.Sprint(name, by, asText(o)), func(t *testing.T) {
					t.Parallel()
					checkWhole(t, x, r, o)
				})
			}
		}
	}
}

// remoteOf returns an alias of n remote indexes, which count how often they are asked for hits, and of their names.
func remoteOf(t *testing.T, docs map[string]page, n int) (bleve.Index, *atomic.Int64) {
	t.Helper()
	asked := new(atomic.Int64)
	alias := bleve.NewIndexAlias()
	for _, x := range partsOf(t, n, docs) {
		alias.Add(remotePart{away{x, asked}})
	}
	return alias, asked
}

// Each part is asked for its hits once. Beyond the budget none is asked, and the error says how many matches there are.
func TestWholeRemoteBudget(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(52, 1)), 60, 30)
	x, asked := remoteOf(t, docs, 3)
	r := byID(bleve.NewMatchAllQuery())
	r.Fields = []string{"version"}
	r.AddFacet("projects", bleve.NewFacetRequest("project", 3))
	for _, budget := range []int{0, len(docs)} {
		asked.Store(0)
		res, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true, Budget: budget, Complete: true})
		if err != nil || res.TotalGroupsRelation != bleve.TotalRelationEq || int(res.Total) != res.TotalGroups || res.Hidden != len(docs)-res.TotalGroups || !res.Complete || res.Next != nil {
			t.Fatalf("got %+v, error %v", res, err)
		}
		if n := asked.Load(); n != 3 {
			t.Errorf("%d questions to 3 parts", n)
		}
	}
	asked.Store(0)
	_, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true, Budget: len(docs) - 1})
	want := fmt.Sprintf("budget: wanted at most %d matches of an index that is remote in part, got %d", len(docs)-1, len(docs))
	if !errors.Is(err, collapse.ErrTooMany) || !strings.Contains(err.Error(), want) || asked.Load() != 0 {
		t.Errorf("got error %v, want %q; %d questions", err, want, asked.Load())
	}
	for _, size := range []int{0, math.MaxInt} {
		r.Size = size
		res, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
		if err != nil || len(res.Hits) != min(size, res.TotalGroups) || res.TotalGroups == 0 || res.Facets["projects"].Total > res.TotalGroups {
			t.Errorf("size %d: got %d hits of %d, error %v", size, len(res.Hits), res.TotalGroups, err)
		}
	}
	none, err := collapse.Search(t.Context(), x, byID(bleve.NewMatchNoneQuery()), collapse.Options{Whole: true})
	if err != nil || none.TotalGroups != 0 || none.TotalGroupsRelation != bleve.TotalRelationEq {
		t.Errorf("no match: got %+v, error %v", none, err)
	}
	_, err = collapse.Search(t.Context(), x, r, collapse.Options{Whole: true, Verify: signature.Verify{Resemblance: .8}})
	if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "verify and whole need local indexes") {
		t.Errorf("verify: got error %v", err)
	}
}

// Documents of the same id in two members are two. Their facets are counted where the members can be told apart,
// and are an error where they cannot.
func TestWholeRemoteSameIDs(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var members []bleve.Index
	for i := range 3 {
		docs := map[string]page{}
		for n := range 12 {
			docs[fmt.Sprint("same", n)] = page{Body: fmt.Sprintf("a body of its own %d", n*(1+i)), Project: fmt.Sprint("p", i)}
		}
		x := newIndex(t, docs)
		x.SetName(fmt.Sprint("part", i))
		members = append(members, x)
	}
	local := bleve.NewIndexAlias(members...)
	remote := bleve.NewIndexAlias(remotePart{away{members[0], &asked}}, remotePart{away{members[1], &asked}}, members[2])
	node := bleve.NewIndexAlias(remotePart{away{bleve.NewIndexAlias(members[0], members[1]), &asked}}, members[2])
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 5
	alike(t, node, local, r, collapse.Options{}, "from")
	r.AddFacet("projects", bleve.NewFacetRequest("project", 2))
	alike(t, remote, local, r, collapse.Options{}, "from")
	_, err := collapse.Search(t.Context(), node, r, collapse.Options{Whole: true})
	if err == nil || !strings.Contains(err.Error(), "facets: wanted members whose documents have ids of their own") {
		t.Errorf("got error %v", err)
	}
}

// writing is an index that loses a document before each search for facets.
type writing struct {
	remotePart
	ids *[]string
}

func (x writing) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if len(r.Facets) > 0 {
		if err := x.inner.Delete((*x.ids)[0]); err != nil {
			return nil, err
		}
		*x.ids = (*x.ids)[1:]
	}
	return x.remotePart.SearchInContext(ctx, r)
}

// The result says where a member failed, or was written while the search asked it twice.
func TestWholeRemoteFailure(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	docs := families(rand.New(rand.NewPCG(53, 1)), 40, 30)
	parts := partsOf(t, 2, docs)
	r := byID(bleve.NewMatchAllQuery())
	r.AddFacet("projects", bleve.NewFacetRequest("project", 3))
	all, err := collapse.Search(t.Context(), bleve.NewIndexAlias(parts...), r, collapse.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{all.Hits[0].ID, all.Hits[2].ID}
	var holder bleve.Index
	for _, x := range parts {
		if d, err := x.Document(ids[0]); err == nil && d != nil {
			holder = x
		}
	}
	alias := bleve.NewIndexAlias(writing{remotePart{away{holder, &asked}}, &ids})
	for _, x := range parts {
		if x != holder {
			alias.Add(x)
		}
	}
	res, err := collapse.Search(t.Context(), alias, r, collapse.Options{Whole: true})
	if err != nil || res.TotalGroups != all.TotalGroups || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Facets["projects"].Total >= all.Facets["projects"].Total {
		t.Errorf("a document was deleted: got %+v, error %v", res, err)
	}

	alone, err := collapse.Search(t.Context(), parts[0], r, collapse.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	broken := bleve.NewIndexAlias(remotePart{away{parts[0], &asked}}, remotePart{away{closed(t), &asked}})
	res, err = collapse.Search(t.Context(), broken, r, collapse.Options{Whole: true, Complete: true})
	if err != nil || res.Status.Failed != 1 || res.TotalGroups != alone.TotalGroups || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Complete {
		t.Errorf("a member is closed: got %+v, error %v", res, err)
	}
	// An index that stands before others is asked itself.
	var seen atomic.Int64
	before := bleve.NewIndexAlias(parts[0], restless{bleve.NewIndexAlias(parts[1], newIndex(t, nil)), func() { seen.Add(1) }})
	res, err = collapse.Search(t.Context(), before, r, collapse.Options{Whole: true})
	if err != nil || res.TotalGroups == 0 || res.TotalGroupsRelation != bleve.TotalRelationEq || seen.Load() == 0 {
		t.Errorf("an index before others: got %+v, error %v", res, err)
	}
}

// What bleve explains of a hit is as in a page.
func TestWholeRemoteExplains(t *testing.T) {
	t.Parallel()
	x, _ := remoteOf(t, families(rand.New(rand.NewPCG(54, 1)), 40, 30), 2)
	match := bleve.NewMatchQuery("common w7 w8")
	match.SetField("body")
	r := bleve.NewSearchRequestOptions(match, 9, 3, true)
	r.IncludeLocations, r.Highlight = true, bleve.NewHighlight()
	page, err := collapse.Search(t.Context(), x, r, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
	if err != nil || len(whole.Hits) != 9 || len(page.Hits) != 9 {
		t.Fatal(whole, err)
	}
	hits := func(r *collapse.Result) (all search.DocumentMatchCollection) { return r.Hits }
	for i, hit := range hits(whole) {
		want := page.Hits[i]
		if hit.Expl == nil || hit.Expl.String() != want.Expl.String() || len(hit.Fragments) == 0 || len(hit.Locations) == 0 || len(hit.Locations["body"]["common"]) == 0 {
			t.Errorf("hit %d: got %+v, want %+v", i, hit, want)
		}
	}
}
