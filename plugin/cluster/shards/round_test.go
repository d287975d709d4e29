package shards_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// A page takes one question to each shard, in any order.
func TestOneRound(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var away []bleve.Index
	for _, x := range locals(t, 5) {
		h := shards.Handler(x)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		away = append(away, shards.NewRemote(x.Name(), s.URL, shards.RemoteOptions{Timeout: time.Minute}))
	}
	c := newTest(t, shards.FailClosed, away...)
	var docs []shards.Document
	for family := range 40 {
		for copy := range 6 {
			text := fmt.Sprint("common ", words(family), " copy", copy)
			docs = append(docs, shards.Document{ID: fmt.Sprint(family, "-", copy), Data: map[string]any{"text": text, "project": fmt.Sprint("p", family%20)}})
		}
	}
	if err := c.Write(docs...); err != nil {
		t.Fatal(err)
	}
	for _, o := range []collapse.Options{
		{}, {Visible: 2}, {Within: []string{"project"}}, {By: &collapse.By{Field: "project"}}, {By: &collapse.By{Field: "project", Or: true}},
	} {
		for _, sort := range [][]string{{"_id"}, {"project", "-_id"}} {
			match := bleve.NewMatchQuery("common")
			match.SetField("text")
			r := bleve.NewSearchRequest(match)
			r.SortBy(sort)
			asked.Store(0)
			res, err := c.Search(context.Background(), r, o)
			if err != nil {
				t.Fatal(err)
			}
			if n := asked.Load(); n != 5 || len(res.Hits) != 10 {
				t.Errorf("%+v by %v: %d questions to 5 shards, %d hits, %d hidden", o, sort, n, len(res.Hits), res.Hidden)
			}
		}
	}
}
