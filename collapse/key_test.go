package collapse_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// key is that of hit for SearchAfter and SearchBefore.
func key(hit *search.DocumentMatch) []string {
	key := slices.Clone(hit.DecodedSort)
	for i, part := range key {
		if part == "_score" {
			key[i] = strconv.FormatFloat(hit.Score, 'g', -1, 64)
		}
	}
	return key
}

// Hits that tie with a key are neither after it nor before it, as in bleve; and the
// cursor of such a page goes on after it.
func TestKeysOfTies(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(72))
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.SortByCustom(search.SortOrder{&search.SortField{Field: "version", Type: search.SortFieldAsNumber, Desc: true}})
	r.Fields = []string{"version"}
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		all, err := collapse.Search(context.Background(), index, r, o)
		if err != nil {
			t.Fatal(err)
		}
		var behind, before []string
		for _, hit := range all.Hits {
			switch version := hit.Fields["version"].(float64); {
			case version < 2:
				behind = append(behind, hit.ID)
			case version > 2:
				before = append(before, hit.ID)
			}
		}
		page := *r
		page.SearchAfter = []string{"2"}
		checkPage(t, index, &page, o, behind)
		page.SearchAfter, page.SearchBefore = nil, []string{"2"}
		first := checkPage(t, index, &page, o, before)
		if page.Size = 5; o.Whole {
			continue
		}
		checkPage(t, index, &page, o, before[len(before)-5:])
		page.SearchBefore, page.Size = nil, 1000
		o.Cursor = overTheWire(t, first.Next)
		var rest []string
		for _, hit := range all.Hits[len(before):] {
			rest = append(rest, hit.ID)
		}
		checkPage(t, index, &page, o, rest)
	}
}

func checkPage(t *testing.T, x bleve.Index, r *bleve.SearchRequest, o collapse.Options, want []string) *collapse.Result {
	t.Helper()
	res, err := collapse.Search(context.Background(), x, r, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, hit := range res.Hits {
		got = append(got, hit.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("after %q, before %q: got %d hits\n%q\nwant %d\n%q", r.SearchAfter, r.SearchBefore, len(got), got, len(want), want)
	}
	return res
}
