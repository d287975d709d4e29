package collapse_test

import (
	"context"
	"fmt"
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

// Pages after a key and pages before it show what the oracle does, in both forms.
func TestKeys(t *testing.T) {
	t.Parallel()
	docs := unsigned(71)
	one := newIndex(t, docs)
	same, alias := shards(t, "", docs)
	match := bleve.NewMatchQuery("common w3")
	match.SetField("body")
	for _, by := range [][]string{{"-_score", "_id"}, {"_id"}, {"-version", "-_id"}, {"project", "-version", "_id"}} {
		for _, o := range []collapse.Options{
			{},
			{Visible: 2},
			{Visible: -1},
			{Missing: collapse.DropMissing},
			{Missing: collapse.DropMissing, Whole: true},
			{Visible: 2, Whole: true},
		} {
			t.Run(fmt.Sprintf("%v,%+v", by, o), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(match, bleve.NewMatchAllQuery()), 27, 0, false)
				r.SortBy(by)
				checkKeys(t, one, r, oracle(t, one, r, o).shown, o)
				if by[0] == "-version" { // not by score, which is that of a shard
					checkKeys(t, alias, r, oracle(t, same, r, o).shown, o)
				}
			})
		}
	}
}

func checkKeys(t *testing.T, x bleve.Index, r *bleve.SearchRequest, want []string, o collapse.Options) {
	t.Helper()
	ask := func(after, before []string) (ids []string, hits search.DocumentMatchCollection) {
		page := *r
		page.SearchAfter, page.SearchBefore = after, before
		res, err := collapse.Search(context.Background(), x, &page, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			ids = append(ids, hit.ID)
		}
		return ids, res.Hits
	}
	var starts [][]string // keys of the first hits of the pages
	var after []string
	for begin := 0; begin < len(want); begin += r.Size {
		ids, hits := ask(after, nil)
		if !slices.Equal(ids, want[begin:min(begin+r.Size, len(want))]) {
			t.Fatalf("after %q: got %q, want %q", after, ids, want[begin:min(begin+r.Size, len(want))])
		}
		starts, after = append(starts, key(hits[0])), key(hits[len(hits)-1])
	}
	if ids, _ := ask(after, nil); len(ids) > 0 {
		t.Errorf("after the last: got %q", ids)
	}
	for i, start := range starts {
		end := i * r.Size
		if ids, _ := ask(nil, start); !slices.Equal(ids, want[max(0, end-r.Size):end]) {
			t.Errorf("before %q: got %q, want %q", start, ids, want[max(0, end-r.Size):end])
		}
	}
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
