package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
)

// hostile are requests that clients could send to do harm. The fuzzer starts there.
var hostile = []string{
	`{"query":{"match_all":{}},"collapse":{"visible":2,"inner_hits":[{"name":"a","sort":["-x"]}]}}`,
	`{"query":{"match":"fox"},"size":1,"collapse":{"cursor":{"after":["0.5","a"],"taken":1,"left":9}}}`,
	`{"query":{"match":"fox"},"sort":["version","_id"],"collapse":{"cursor":{"after":["7","b"],"index":"x","taken":9223372036854775807,"left":18446744073709551615}}}`,
	`{"query":{"match":"fox"},"sort":["_id"],"collapse":{"cursor":{"taken":4},"budget":2,"missing":"drop"}}`,
	`{"query":{"match_all":{}},"from":2,"size":3,"collapse":{"explain":{"members":2,"shingles":4}}}`,
	`{"query":{"match_all":{}},"search_before":["a"],"sort":["_id"],"collapse":{"whole":true,"visible":9223372036854775807}}`,
	`{"query":{"match_all":{}},"collapse":{"rule":{"mode":"both","lanes":1,"hamming":64,"min_words":9},"visible":-1}}`,
	`{"query":{"match_all":{}},"facets":{"f":{"field":"project","size":3}},"collapse":{"whole":true,"missing":"drop"}}`,
	`{"query":{"conjuncts":[{"match_all":{}},{"match_none":{}}]},"score":"rrf","collapse":{}}`,
	`{"query":{"match_all":{}},"from":-1,"size":-9223372036854775808,"collapse":false}`,
	`{"query":null,"collapse":{}}`,
	`{"query":{},"collapse":{}}`,
	`null`,
	`[]`,
	`{"query":{"match_all":{}},"fields":["*"],"highlight":{"style":"html"},"explain":true,"collapse":{"field":"nothing"}}`,
	`{"query":{"ids":["a","b"]},"collapse":{"inner_hits":[{"name":"n","from":1,"size":0},{"name":"n"}]}}`,
	`{"query":{"match_all":{}}}{"query":{"match_all":{}}}`,
	`{"query":{"match_all":{}}} "query"`,
	`{"query":{"match_all":{}}}]}`,
}

// What follows a request is an error, in the caller's own goroutine, too.
func TestTrailing(t *testing.T) {
	t.Parallel()
	h := unhurried(newIndex(t, map[string]page{"a": {Body: sentence}}), serve.Limits{})
	const all = `{"query":{"match_all":{}}}`
	for after, want := range map[string]string{
		"": "", " \r\n\t": "",
		all: `"{\"query\":{\"match_all" after it`, " 7": `"7" after it`, " null": `"null" after it`, ",": `"," after it`, "]": `"]" after it`, "}": `"}" after it`, "x": `"x" after it`,
	} {
		_, err := serve.Limits{}.Parse([]byte(all + after))
		if want == "" && err != nil || want != "" && (!errors.Is(err, collapse.ErrRequest) || !strings.HasSuffix(err.Error(), "wanted one JSON value, got "+want)) {
			t.Errorf("%q: got error %v, want %q", after, err, want)
		}
		if code, answer := ask(h, "POST", all+after); (code == 200) != (want == "") || answered(code, answer) != "" {
			t.Errorf("%q: got %d %s", after, code, answer)
		}
	}
}

// answered tells what is wrong with an answer of a Handler, or returns "".
func answered(code int, answer string) string {
	if !json.Valid([]byte(answer)) {
		return "the answer is no JSON"
	}
	switch refused := strings.HasPrefix(answer, `{"error":`); code {
	case 200:
		if refused {
			return "an error with status 200"
		}
	case 400, 503:
		if !refused {
			return "no error"
		}
	default:
		return fmt.Sprintf("status %d", code)
	}
	return ""
}

// Bodies of any kind get an answer, and no panic: what bleve makes of a query, such as
// one of a field without terms, is its own matter.
func FuzzHandler(f *testing.F) {
	index := newIndex(f, map[string]page{
		"a": {Body: sentence, Project: "x", Version: 1},
		"b": {Body: strings.ToUpper(sentence), Project: "y"},
		"c": {Body: "another quick fox", Version: 7},
		"d": {Project: "x"},
	})
	h := &serve.Handler{Index: index, Guard: serve.Guard{Limits: serve.Limits{Hits: 20, Budget: 100}, Timeout: time.Second}}
	for _, body := range hostile {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		code, answer := ask(h, "POST", string(body))
		if wrong := answered(code, answer); wrong != "" && code != 500 {
			t.Errorf("%s: %s %.300s", body, wrong, answer)
		}
	})
}

// A cursor that was made for another query, another sort order or another index, or
// that is cut short, is refused, or shows what
// the client could have asked for anyway: no more, and never with status 500.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 30 {
		docs[fmt.Sprintf("d%02d", i)] = page{Body: strings.Repeat(fmt.Sprint("word", i/3, " "), 3) + sentence[:20*(i%3)], Version: float64(i)}
	}
	index, other := newIndex(t, docs), newIndex(t, map[string]page{"z": {Body: sentence}})
	first := func(sort string) *collapse.Cursor {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 3, 0, false)
		r.SortBy([]string{sort})
		res, err := collapse.Search(context.Background(), index, r, collapse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Next
	}
	cursors := map[string]func(*collapse.Cursor){
		"as it is":       func(*collapse.Cursor) {},
		"no key":         func(c *collapse.Cursor) { c.After = nil },
		"half a key":     func(c *collapse.Cursor) { c.After = c.After[:1] },
		"a long key":     func(c *collapse.Cursor) { c.After = append(c.After, "x") },
		"another index":  func(c *collapse.Cursor) { c.Index = "secret" },
		"taken":          func(c *collapse.Cursor) { c.Taken = math.MaxInt },
		"taken below 0":  func(c *collapse.Cursor) { c.Taken = -1 },
		"nothing left":   func(c *collapse.Cursor) { c.Left = 0 },
		"all left":       func(c *collapse.Cursor) { c.Left = math.MaxUint64 },
		"not a number":   func(c *collapse.Cursor) { c.After[0] = "NaN" },
		"binary":         func(c *collapse.Cursor) { c.After[len(c.After)-1] = "\x00\u00ff" },
		"key of nothing": func(c *collapse.Cursor) { c.After = []string{} },
	}
	for name, forge := range cursors {
		for _, made := range []string{"_id", "version", "-_score"} {
			for _, asked := range []string{"_id", "version", "-_score"} {
				for _, x := range []bleve.Index{index, other} {
					c := first(made)
					forge(c)
					data, err := json.Marshal(collapse.Options{Cursor: c})
					if err != nil {
						t.Fatal(err)
					}
					body := fmt.Sprintf(`{"query":{"match_all":{}},"size":3,"sort":[%q],"collapse":%s}`, asked, data)
					code, answer := ask(unhurried(x, serve.Limits{}), "POST", body)
					if wrong := answered(code, answer); wrong != "" {
						t.Errorf("%s, of %s for %s: %s\n%s", name, made, asked, wrong, answer)
					}
				}
			}
		}
	}
}

// A query of a hundred levels is answered; deeper ones, and others that bleve would
// parse for minutes, are refused at once.
func TestStrain(t *testing.T) {
	t.Parallel()
	h := unhurried(newIndex(t, map[string]page{"a": {Body: sentence}}), serve.Limits{Body: 8 << 20})
	nested := func(open, inner, end string, n int) string {
		return `{"query":` + strings.Repeat(open, n) + inner + strings.Repeat(end, n) + `,"collapse":{}}`
	}
	for _, n := range []int{48, 50, 3000, 100_000, 500_000} {
		for name, body := range map[string]string{
			"conjuncts": nested(`{"conjuncts":[`, `{"match_all":{}}`, `]}`, n),
			"arrays":    nested(`[`, ``, `]`, n),
			"open":      strings.Repeat(`{"query":`, n),
			"strings":   `{"collapse":{},"query":{"qu\u0065ry":"` + strings.Repeat("+(", 101*n) + `"}}`,
			"words":     `{"query":{"must":{"conjuncts":[{"query":"` + strings.Repeat(strings.Repeat("x", 100)+" ", 2*n) + `"}]}},"collapse":{}}`,
			"options":   `{"query":{"match_all":{}},"collapse":{"rule":` + strings.Repeat(`{"rule":`, n) + `1` + strings.Repeat(`}`, n) + `}}`,
			"cursor":    `{"query":{"match_all":{}},"collapse":{"cursor":{"after":` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `}}}`,
		} {
			code, answer := ask(h, "POST", body)
			fine := n == 48 && (name == "conjuncts" || name == "words" || name == "strings")
			if n > 50 && name != "open" && len(body) < 8<<20 && !strings.Contains(answer, ": wanted at most") {
				t.Errorf("%d %s: %.200s", n, name, answer)
			}
			if fine != (code == 200) {
				t.Errorf("%d %s: status %d: %.200s", n, name, code, answer)
			}
		}
	}
}
