package collapse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// Ids are any characters: pages by cursors that go through a handler as JSON show what pages in one
// process do, heads, members and inner hits, in orders that end with the id and begin with it.
func TestOddIDs(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rnd := rand.New(rand.NewPCG(9, 10))
	odd := neartest.OddIDs(rnd, size(60, 30))
	rnd.Shuffle(len(odd), func(i, j int) { odd[i], odd[j] = odd[j], odd[i] })
	b := x.NewBatch()
	for i, id := range odd { // families of 3
		f := i / 3
		text := fmt.Sprintf("text %d of many others %d %d %d that have few words in common %d %d", f, f*3, f*5, f*7, f*11, f*13)
		if err := b.Index(id, map[string]any{"text": text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	page := func(r *collapse.Result) (all []string) {
		for _, hit := range r.Hits {
			all = append(all, fmt.Sprintf("hit %q %q %q", hit.ID, hit.Sort, hit.DecodedSort))
		}
		for _, g := range slices.Concat(r.Groups, r.Earlier) {
			all = append(all, fmt.Sprintf("head %q", g.Head.ID))
			for _, member := range g.Members {
				all = append(all, fmt.Sprintf("member %q %v %v", member.ID, member.Match, member.Score))
			}
			if inner := g.InnerHits["copies"]; inner != nil {
				for _, hit := range inner.Hits {
					all = append(all, fmt.Sprintf("inner %q of %d", hit.ID, inner.Total))
				}
			}
		}
		return all
	}
	h := &serve.Handler{Index: x}
	for _, order := range [][]string{{"-_score", "_id"}, {"_id"}, {"-_id"}} {
		o := collapse.Options{InnerHits: []collapse.InnerHits{{Name: "copies", Size: 5}}}
		seen := map[string]int{}
		for pages := 0; ; pages++ {
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), size(4, 9), 0, false)
			r.SortBy(order)
			want, err := collapse.Search(context.Background(), x, r, o)
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(&serve.Request{SearchRequest: r, Collapse: &o})
			if err != nil {
				t.Fatal(err)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest("POST", "/", bytes.NewReader(body)))
			var got collapse.Result
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != 200 {
				t.Fatalf("status %d, %v: %.300s", rec.Code, err, rec.Body)
			}
			if !slices.Equal(page(&got), page(want)) {
				t.Fatalf("%v, page %d: got %.2000s, want %.2000s", order, pages, page(&got), page(want))
			}
			for _, g := range slices.Concat(got.Groups, got.Earlier) {
				for _, member := range g.Members {
					seen[member.ID]++
				}
			}
			for _, g := range got.Groups {
				seen[g.Head.ID]++
			}
			if o.Cursor = got.Next; o.Cursor == nil {
				break
			}
		}
		for _, id := range odd {
			if seen[id] != 1 {
				t.Errorf("%v: %.40q is shown or listed %d times", order, id, seen[id])
			}
		}
		if len(seen) != len(odd) {
			t.Errorf("%v: %d ids, want %d", order, len(seen), len(odd))
		}
	}
}

// Sort keys that JSON cannot hold, and what is no cursor, are errors.
func TestBrokenCursors(t *testing.T) {
	t.Parallel()
	if text, err := json.Marshal(collapse.Cursor{Taken: 1, After: []string{"1", "a\x80"}}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("got %s, %v", text, err)
	}
	for _, text := range []string{`{"taken":1,"after":[{"base64":"YQ=="}]}`, `{"taken":1,"x":1}`} {
		var c collapse.Cursor
		if err := json.Unmarshal([]byte(text), &c); err == nil || !strings.Contains(err.Error(), "cursor: ") {
			t.Errorf("%q: got %+v, %v", text, c, err)
		}
	}
	var r serve.Request
	if err := json.Unmarshal([]byte("{\"query\":{\"ids\":[\"a\x80\"]}}"), &r); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("got %+v, %v", r, err)
	}
}
