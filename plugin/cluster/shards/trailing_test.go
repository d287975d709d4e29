package shards_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// posted returns the status and the answer of a handler.
func posted(h http.Handler, path, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// Every request is one JSON value of known members. What follows it is an error, and nothing is written.
func TestTrailing(t *testing.T) {
	t.Parallel()
	x, err := plugin.New("", quoted(t, true))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	h := shards.Handler(x)
	const rank = `/rank?want={"visible":1,"per_group":1}`
	const all = `{"query":{"match_all":{}}}`
	for path, body := range map[string]string{
		"/search": all, rank: all,
		"/nearest":   `{"queries":[]}`,
		"/templates": `{"field":"neardup"}`,
		"/rule":      `{"field":"neardup"}`,
		"/docs":      `{"a":{"text":"a"}}`,
	} {
		for _, after := range []string{body, ` {}`, `[`, `]`, `7`} {
			if code, answer := posted(h, path, body+after); code != 400 || !strings.Contains(answer, "wanted one JSON value, got ") {
				t.Errorf("%s %s: got %d %s", path, body+after, code, answer)
			}
		}
		if n, err := x.DocCount(); err != nil || n > 0 {
			t.Fatalf("%s: got %d documents, error %v", path, n, err)
		}
		if code, answer := posted(h, path, " "+body+"\r\n"); code != 200 {
			t.Errorf("%s: got %d %s, want 200", path, code, answer)
		}
		if err := x.Delete("a"); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/nearest", "/templates", "/rule"} {
		if code, answer := posted(h, path, `{"feild":"neardup"}`); code != 400 || !strings.Contains(answer, `wanted members among`) {
			t.Errorf("%s: got %d %s", path, code, answer)
		}
	}
	for want, wrong := range map[string]string{`{"visible":1}{}`: `wanted one JSON value, got "{}" after it`, `{"visable":1}`: `got "visable"`, ``: "got an end"} {
		if code, answer := posted(h, "/rank?want="+url.QueryEscape(want), all); code != 400 || !strings.Contains(answer, wrong) {
			t.Errorf("want %s: got %d %s", want, code, answer)
		}
	}
}
