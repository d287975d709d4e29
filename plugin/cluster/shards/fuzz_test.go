package shards_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// paths are all that a shard answers.
var paths = []string{"/search", "/rank", "/nearest", "/templates", "/rule", "/docs"}

// hostile are requests to a shard that could do harm: a place in paths, the Want of a rank, and a body.
func hostile(tb testing.TB, x bleve.Index) (all []struct {
	path       byte
	want, body string
},
) {
	tb.Helper()
	add := func(path byte, want, body string) {
		all = append(all, struct {
			path       byte
			want, body string
		}{path, want, body})
	}
	text := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			tb.Fatal(err)
		}
		return string(data)
	}
	sig, err := plugin.SignatureOf(x, "", "a")
	if err != nil {
		tb.Fatal(err)
	}
	const everything = `{"query":{"match_all":{}}}`
	for i, path := range paths {
		for _, body := range []string{``, `null`, `[]`, `{}`, everything, everything + everything, `{"field":"neardup"}`, `{"field":"~neardup"}`} {
			add(byte(i), `{"visible":1,"per_group":1}`, body)
		}
		if path != "/rank" {
			continue
		}
		for _, want := range []string{
			`null`, `{}`, `[]`, `{"visible":-1,"per_group":-1}`, `{"visible":9223372036854775807,"per_group":9223372036854775807}`,
			`{"visible":9,"rule":{"lanes":101}}`, `{"visible":9,"rule":{"mode":"no"}}`, `{"visible":9,"plain":true,"fields":{"within":["project","project"]}}`,
			`{"visible":9,"fields":{"by":"project","or":true,"most":-1}}`, `{"visible":9,"fields":{"by":"","within":[""]},"load":true}`, `{"visible":9,"field":"no"}`,
		} {
			add(byte(i), want, everything)
			add(byte(i), want, `{"query":{"match":"dear friend"},"size":3,"from":1,"sort":["-project","_id"],"search_after":["x","a"],"fields":["*"],"facets":{"f":{"field":"project","size":1}}}`)
		}
	}
	add(0, "", `{"query":{"custom_filter":{"neardup":{"id":"c"}}}}`)
	add(0, "", `{"query":{"custom_filter":{"neardup":{"id":"none","within":["project"]}}}}`)
	like := near.SimilarQuery{Signature: sig, ID: "a"}
	add(2, "", text(map[string]any{"queries": []near.SimilarQuery{like, {Signature: sig, MaxShare: .5, Rule: like.Rule}}, "field": "neardup"}))
	add(2, "", `{"queries":[null]}`)
	add(2, "", `{"queries":[{"custom_filter":{"neardup":{"text":"dear friend"}}}]}`)
	add(0, "", text(bleve.NewSearchRequest(&like)))
	for _, q := range []*near.PassagesQuery{{Text: []string{letter}}, {ID: "a", Self: true, Within: []string{"project"}}, {ID: "none"}, {ID: "c", Self: true}} {
		add(0, "", text(bleve.NewSearchRequest(q)))
	}
	add(0, "", `{"query":{"custom_filter":{"neardup_passages":{"id":"b","text":["x",{"base64":"/w=="}],"within":["project"],"within_values":"AAAA"}}}}}`)
	for _, body := range []string{
		`{"a":null,"new":{"text":"` + letter[:40] + `"}}`, `{"":{}}`, `{"":null}`, `{"a":7}`, `{"a":{"text":{"text":[1,null,true,"x"]},"":"x","~neardup":"x"}}`,
		`{"a":{"~neardup.sketch":"x","neardup_of":"b"}}`, `[{"id":{"base64":"/wBuZWFyZHVwL3B1cmdl"},"data":{"text":"a"}}]`, `[{"id":"a"}]`, `{"a":{"text":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`,
	} {
		add(5, "", body)
	}
	return all
}

// FuzzHandler asks a shard anything. Each request has an answer: no panic, in its own goroutine or in one of bleve's,
// no error that only a fault of the shard explains, and none long after the deadline.
func FuzzHandler(f *testing.F) {
	m := quoted(f, true)
	shard := func(tb testing.TB) bleve.Index {
		x, err := plugin.New("", m)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { x.Close() })
		batch := x.NewBatch()
		for id, data := range map[string]any{"a": map[string]any{"text": letter, "project": "p"}, "b": map[string]any{"text": letter}, "c": map[string]any{"project": "p"}} {
			if err := batch.Index(id, data); err != nil {
				tb.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			tb.Fatal(err)
		}
		return x
	}
	x := shard(f)
	guard := shards.NewGuard()
	guard.Timeout, guard.Budget = time.Second, 100
	read := shards.GuardedHandler(x, guard)
	for _, request := range hostile(f, x) {
		f.Add(request.path, request.want, []byte(request.body))
	}
	f.Fuzz(func(t *testing.T, path byte, want string, body []byte) {
		at, h := paths[int(path)%len(paths)], read
		switch at {
		case "/rank":
			at += "?want=" + url.QueryEscape(want)
		case "/docs":
			h = shards.GuardedHandler(shard(t), guard)
		}
		code, answer := posted(h, at, string(body)) // how long that may take, TestDearest asks
		switch code {
		case 200, 400, 413, 503:
		default:
			t.Errorf("%s %s: got %d %.300s", at, body, code, answer)
		}
	})
}
