package serve_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
)

const sentence = "the quick brown fox jumps over the lazy dog while the cat looks on from the garden wall in the sun"

// page is a document of these tests. Without a body it has no signature.
type page struct {
	Body, Project string
	Version       float64
}

// data is what is indexed of p.
func (p page) data() map[string]any {
	all := map[string]any{"version": p.Version}
	if p.Body != "" {
		all["body"] = p.Body
	}
	if p.Project != "" {
		all["project"] = p.Project
	}
	return all
}

// newIndex makes an index in memory that fingerprints body.
func newIndex(tb testing.TB, docs map[string]page) bleve.Index {
	tb.Helper()
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { index.Close() })
	batch := index.NewBatch()
	for id, p := range docs {
		if err := batch.Index(id, p.data()); err != nil {
			tb.Fatal(err)
		}
	}
	if err := index.Batch(batch); err != nil {
		tb.Fatal(err)
	}
	return index
}

// unhurried returns a handler whose deadline a slow machine does not come to.
func unhurried(x bleve.Index, l serve.Limits) *serve.Handler {
	return &serve.Handler{Index: x, Guard: serve.Guard{Limits: l, Timeout: time.Hour}}
}

// ask posts a request and returns the status and the answer.
func ask(h http.Handler, method, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "/search", strings.NewReader(body)))
	return w.Code, w.Body.String()
}
