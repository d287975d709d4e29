package serve_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/neardup/bleve-neardup/collapse/serve"
)

// A cursor that is sent again brings the same page, no matter which were sent between; one of
// another query, or of documents that are gone or say something else, brings a page on
// which no document is shown twice.
func TestReplayedCursors(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 60 {
		docs[fmt.Sprintf("%02d", i)] = page{Body: fmt.Sprintf("%s number%d", sentence, i/2), Version: float64(i % 7), Project: fmt.Sprint(i % 2)}
	}
	rule := `"rule":{"lanes":100,"mode":"sketch_only"}`
	index := newIndex(t, docs)
	h := unhurried(index, serve.Limits{})
	page := func(query, cursor string) (hits []string, next string) {
		body := fmt.Sprintf(`{"query":%s,"size":5,"sort":["version","_id"],"collapse":{%s%s}}`, query, rule, cursor)
		code, answer := ask(h, "POST", body)
		var res struct {
			Hits []struct{ ID string }
			Next json.RawMessage
		}
		if err := json.Unmarshal([]byte(answer), &res); code != 200 || err != nil {
			t.Fatalf("%d, %v: %s", code, err, answer)
		}
		seen := map[string]bool{}
		for _, hit := range res.Hits {
			if seen[hit.ID] {
				t.Errorf("%s is shown twice: %s", hit.ID, answer)
			}
			seen[hit.ID] = true
			hits = append(hits, hit.ID)
		}
		if len(res.Next) > 0 {
			next = `,"cursor":` + string(res.Next)
		}
		return hits, next
	}
	const all, some = `{"match_all":{}}`, `{"term":"1","field":"project"}`
	var pages [][]string
	var cursors []string
	for cursor := ""; len(pages) == 0 || cursor != ""; {
		cursors = append(cursors, cursor)
		var hits []string
		hits, cursor = page(all, cursor)
		pages = append(pages, hits)
	}
	if len(pages) < 5 {
		t.Fatalf("%d pages: this test shows little", len(pages))
	}
	for range 3 {
		for i := len(cursors) - 1; i >= 0; i-- {
			if hits, _ := page(all, cursors[i]); fmt.Sprint(hits) != fmt.Sprint(pages[i]) {
				t.Errorf("page %d is %v, was %v", i, hits, pages[i])
			}
			page(some, cursors[i])
		}
	}
	for _, id := range pages[0] {
		if err := index.Delete(id); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range pages[1] {
		if err := index.Index(id, docs["59"].data()); err != nil {
			t.Fatal(err)
		}
	}
	for _, cursor := range cursors {
		page(all, cursor)
		page(some, cursor)
	}
}
