package main

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// BenchmarkPages answers what the tabs ask for, on the manuals. A view under 100 ms
// is what a page needs to act at once.
func BenchmarkPages(b *testing.B) {
	index, err := pages.Open(context.Background(), pages.Options{Passages: passageWords, Out: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	defer index.Close()
	site, err := newSite(index, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	handler := site.handler()
	for _, path := range []string{
		"/?q=loop+terminology&project=llvm&open=llvm-16%2FLoopTerminology", "/", "/?q=loop+vectorizer", "/?q=loop+vectorizer&collapse=off", "/?q=loop+vectorizer&head=newest", "/?q=loop+vectorizer&per=project", "/?q=address+sanitizer&lanes=60",
		"/groups", "/paste?like=llvm-16/Vectorizers", "/compare?a=clang-15/UsersManual&b=clang-16/UsersManual&part=1",
	} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				if w.Code != 200 {
					b.Fatalf("status %d: %s", w.Code, w.Body)
				}
			}
		})
	}
}
