// Package style has the style sheet of the examples' pages: colours for light and dark screens, type,
// cards, tables, differences of texts, and charts.
package style

import (
	_ "embed"
	"net/http"
	"strings"
	"time"
)

// Sheet is the style sheet. All colours are variables at its beginning.
//
//go:embed style.css
var Sheet string

// Serve answers with the style sheet.
func Serve(w http.ResponseWriter, r *http.Request) {
	Text("style.css", Sheet)(w, r)
}

// Text answers with a file of a page: a style sheet or a script, as its name says. A browser asks each
// time whether it has changed.
func Text(name, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(text))
	}
}
