package collapse_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// newest shows the newest hit of each group.
var newest = search.SortOrder{&search.SortField{Field: "version", Desc: true, Type: search.SortFieldAsNumber}}

// checkHead compares a group of these ids, the best-ranked first, with one that shows best.
func checkHead(t *testing.T, got *collapse.Result, i int, ids group, best string, o collapse.Options, x bleve.Index) {
	t.Helper()
	g := got.Groups[i]
	rest := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == best })
	if g.Head.ID != best || got.Hits[i].ID != best || !slices.Equal(memberIDs(g), rest) || (g.Stands != nil) != (best != ids[0]) || g.Stands != nil && g.Stands.ID != ids[0] {
		t.Fatalf("group %d shows %s, stands for %v, has %q; want %s of %q", i, g.Head.ID, g.Stands, memberIDs(g), best, ids)
	}
	sigs := map[string]rankedHit{}
	all := bleve.NewSearchRequestOptions(bleve.NewDocIDQuery(ids), len(ids), 0, false)
	for _, hit := range rank(t, x, all).hits {
		if sigs[hit.ID] = hit; hit.sig == nil {
			sigs[hit.ID] = rankedHit{DocumentMatch: hit.DocumentMatch}
		}
	}
	for _, m := range g.Members {
		near := (o.By == nil || o.By.Or) && near(o, sigs[best], sigs[m.ID])
		if near != (m.By != 0) || m.Hit == nil {
			t.Fatalf("member %+v of %s: near-duplicate %v", m, best, near)
		}
	}
}

func TestHeadWrong(t *testing.T) {
	t.Parallel()
	x := newIndex(t, nil)
	keyed := byID(bleve.NewMatchAllQuery())
	keyed.SearchAfter = []string{"a"}
	for want, tt := range map[string]struct {
		r *bleve.SearchRequest
		o collapse.Options
	}{
		"head cannot be combined with visible":      {byID(bleve.NewMatchAllQuery()), collapse.Options{Head: newest, Visible: 2}},
		"head cannot be combined with search_after": {keyed, collapse.Options{Head: newest, Whole: true}},
	} {
		if _, err := collapse.Search(context.Background(), x, tt.r, tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
