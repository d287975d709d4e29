package serve_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/serve"
)

func TestRequestJSON(t *testing.T) {
	t.Parallel()
	const text = `{"query":{"match":"fox","field":"body"},"size":5,"from":0,"explain":false,"sort":["-_score"],"includeLocations":false,` +
		`"collapse":{"rule":{"lanes":80,"hamming":3,"mode":"either","min_words":9},"visible":2,"inner_hits":[{"name":"a","size":3}]}}`
	var r serve.Request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Size != 5 || r.Collapse.Visible != 2 || r.Collapse.Rule.Lanes != 80 || r.Collapse.InnerHits[0].Size != 3 {
		t.Errorf("got %+v, %+v", r.SearchRequest, r.Collapse)
	}
	data, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	var again serve.Request
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if twice, _ := json.Marshal(&again); string(twice) != string(data) {
		t.Errorf("%s became %s", data, twice)
	}
	for text, want := range map[string]string{
		`[]`: "wanted an object, got a list",
		`{"query":{"match_all":{}},"collapse":true}`:                     `collapse: options: wanted an object, got true or false`,
		`{"query":{"match_all":{}},"collapse":{"visible":"2"}}`:          `collapse: options: visible: wanted a whole number, got a string`,
		`{"query":{"match_all":{}},"collapse":{"rule":{"hamming":1.5}}}`: `got number 1.5`,
		`{"query":{"match_all":{}},"collapse":{"inner_hits":[[]]}}`:      `inner_hits: wanted an object, got a list`,
		`{}`: "wanted a member query, got none",
		`{"query":{"match_all":{}},"colapse":{}}`:                                      `got "colapse"`,
		`{"query":{"match_all":{}},"collapse":{"visable":2}}`:                          `got "visable"`,
		`{"query":{"match_all":{}},"collapse":{"budget":-2}}`:                          "budget: wanted 0 or more, got -2",
		`{"query":{"match_all":{}},"collapse":{"mode":"fold"}}`:                        `got "mode"`,
		`{"query":{"match_all":{}},"collapse":{"rule":{"lane":9}}}`:                    `got "lane"`,
		`{"query":{"match_all":{}},"collapse":{"cursor":{"taken":0,"next":1}}}`:        `got "next"`,
		`{"query":{"match_all":{}},"collapse":{"inner_hits":[{"name":"a","sise":1}]}}`: `got "sise"`,
		`{"query":{"match_all":{}},"sort":[{"by":"nothing"}]}`:                         "request: ",
	} {
		var r serve.Request
		if err := json.Unmarshal([]byte(text), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"query":{"match_all":{}},"collapse":{"visible":2,"inner_hits":[{"name":"a","sort":["-x"]}],"cursor":{"after":["1","a"],"left":1}}}`))
	f.Add([]byte(`{"query":{"match":"x"},"collapse":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r serve.Request
		if json.Unmarshal(data, &r) != nil {
			return
		}
		out, err := json.Marshal(&r)
		if err != nil {
			return // bleve has queries that it reads and cannot write
		}
		var again serve.Request
		if err := json.Unmarshal(out, &again); (again.Collapse == nil) != (r.Collapse == nil) && err == nil {
			t.Errorf("%s became %s", data, out)
		}
	})
}

func TestHandler(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: strings.ToUpper(sentence)}, "c": {Body: "another quick fox"}})
	h := unhurried(index, serve.Limits{Body: 2000, Hits: 50, Budget: 100})
	code, answer := ask(h, "POST", `{"query":{"match":"fox","field":"body"},"collapse":{"inner_hits":[{"name":"copies","fields":["body"]}]}}`)
	var got struct {
		Hits   []struct{ ID string }
		Groups []struct {
			Members   []struct{ ID, By string }
			InnerHits map[string]struct {
				Hits []struct{ Fields map[string]any }
			} `json:"inner_hits"`
		}
		TotalGroups         int    `json:"total_groups"`
		TotalGroupsRelation string `json:"total_groups_relation"`
		TotalHits           int    `json:"total_hits"`
		Hidden              int
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || code != 200 {
		t.Fatalf("status %d, error %v: %s", code, err, answer)
	}
	if len(got.Hits) != 2 || got.TotalGroups != 2 || got.TotalGroupsRelation != "eq" || got.TotalHits != 3 || got.Hidden != 1 {
		t.Errorf("got %s", answer)
	}
	for i, hit := range got.Hits {
		if hit.ID == "c" {
			continue
		}
		g := got.Groups[i]
		if len(g.Members) != 1 || g.Members[0].By != "exact+sketch+simhash" || g.InnerHits["copies"].Hits[0].Fields["body"] == nil {
			t.Errorf("group of %s: %+v", hit.ID, g)
		}
	}
	for _, tt := range []struct {
		method, body string
		code         int
		want         string
	}{
		{"GET", "", 405, "wanted POST, got GET"},
		{"POST", strings.Repeat(" ", 2001), 413, "limit body: wanted at most 2000 bytes, got more"},
		{"POST", "{", 400, "unexpected end"},
		{"POST", `{"query":{"query":"\"open"}}`, 400, "parse error"},
		{"POST", `{"query":{"match_all":{}},"size":51}`, 400, "limit hits: wanted at most 50, got 51, 1 too many"},
		{"POST", fmt.Sprintf(`{"query":{"match_all":{}},"size":1,"from":%d}`, math.MaxInt), 400, "limit hits: wanted at most 50, got 10737"},
		{"POST", `{"query":{"match_all":{}},"collapse":{"budget":101}}`, 400, "limit budget: wanted at most 100, got 101"},
		{"POST", `{"query":{"match_all":{}},"collapse":{"inner_hits":[{"name":"a","size":51}]}}`, 400, "limit hits: wanted at most 50, got 51"},
		{"POST", `{"query":{"match_all":{}},"sort":["_id"],"search_after":["b"],"collapse":{"budget":1}}`, 400, "among the first 1 hits"},
		{"POST", `{"query":{"match_all":{}},"search_after":["1"],"collapse":{"head":["-version"]}}`, 400, "head cannot be combined with search_after"},
		{"POST", `{"query":{"match_all":{}},"collapse":{"cursor":{"after":["x"],"taken":1}}}`, 400, "cursor: wanted a key"},
		{"POST", `{"query":{"match_all":{}},"collapse":{"rule":{"lanes":101}}}`, 400, "as many as its sketches have"},
		{"POST", `{"query":{"match_all":{}},"collapse":{"whole":true,"budget":1}}`, 400, "wanted at most 1 matches, got more"},
	} {
		code, answer := ask(h, tt.method, tt.body)
		if code != tt.code || !strings.Contains(strings.ToLower(answer), strings.ToLower(tt.want)) {
			t.Errorf("%s %.100s: got %d %s, want %d with %q", tt.method, tt.body, code, answer, tt.code, tt.want)
		}
	}
	const all = `{"query":{"match_all":{}},"collapse":{}}`
	if code, answer := ask(&serve.Handler{Index: index, Guard: serve.Guard{Timeout: -time.Nanosecond}}, "POST", all); code != 503 {
		t.Errorf("no time: got %d %s, want 503", code, answer)
	}
	closed, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if code, answer := ask(unhurried(closed, serve.Limits{}), "POST", all); code != 500 {
		t.Errorf("closed: got %d %s, want 500", code, answer)
	}
}
