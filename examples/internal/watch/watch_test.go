package watch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/prometheus/client_golang/prometheus/testutil"
	parser "golang.org/x/exp/trace"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// newIndex returns an index of two copies.
func newIndex(t *testing.T) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New(t.TempDir()+"/index", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for _, id := range []string{"a", "b"} {
		body := "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
		if err := x.Index(id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// searcher answers each request by a search in both forms, and the near-duplicates of
// one document and of all.
func searcher(t *testing.T, x bleve.Index) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for _, o := range []collapse.Options{{}, {Whole: true}} {
			result, err := collapse.Search(r.Context(), x, bleve.NewSearchRequest(bleve.NewMatchQuery("fox")), o)
			if err != nil || result.TotalGroups != 1 {
				t.Error(result, err)
			}
		}
		like := near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}}
		if result, err := near.Similar(r.Context(), x, like); err != nil || result.Total != 1 {
			t.Error(result, err)
		}
		for _, err := range near.Groups(r.Context(), x, near.GroupsOptions{}) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func get(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	x := newIndex(t)
	m := New(x)
	get(t, m.Route("GET /", searcher(t, x)), "/")
	problems, err := testutil.GatherAndLint(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	text := get(t, m.Handler(), "/metrics")
	for _, line := range []string{
		"neardup_signed_total 2", "neardup_judged_total 0", "bleve_documents 2",
		`http_request_duration_seconds_count{code="200",route="GET /"} 1`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("wanted the line %s", line)
		}
	}
	if text := get(t, m.Handler(), "/debug/vars"); !strings.Contains(text, `"neardup_signed":2`) {
		t.Errorf("expvar does not have the index: %s", text)
	}
}

// TestTask parses a trace: the library's regions are in the task of the request.
func TestTask(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody else is tracing")
	}
	x := newIndex(t)
	h := New(x).Route("GET /", searcher(t, x))
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	get(t, h, "/")
	trace.Stop()
	r, err := parser.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	tasks, got := map[parser.TaskID]string{}, map[string]int{}
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind() {
		case parser.EventTaskBegin:
			tasks[e.Task().ID] = e.Task().Type
		case parser.EventRegionBegin:
			got[tasks[e.Region().Task]+" "+e.Region().Type]++
		}
	}
	for name, want := range map[string]int{
		"GET / collapse.Search": 2, "GET / collapse.bleve": 2, "GET / collapse.group": 1, "GET / near.Similar": 1, "GET / near.Groups": 1,
	} {
		if got[name] != want {
			t.Errorf("%d regions %q, want %d, of %v", got[name], name, want, got)
		}
	}
}
