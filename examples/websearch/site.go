package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const (
	pageSize  = 10
	mostPages = 1_000_000
	maxBody   = 1 << 20         // bytes of a request
	patience  = 5 * time.Second // for an answer
)

//go:embed assets
var assets embed.FS

// policy lets nothing run or load but what is served here. The page writes text
// alone, and this holds if it should ever fail to.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// site answers requests. It changes nothing, so requests need no locks.
type site struct {
	index    bleve.Index
	made     *pages.Index
	fields   []string // that a search can name
	facets   []facet
	grouped  groupCache
	template *template.Template
	version  string      // of the assets
	guard    serve.Guard // of all that is asked of the index
	log      *slog.Logger
}

// valuesOf returns the values of a field that can be chosen, none if it is no facet.
func (s *site) valuesOf(field string) []facetValue {
	for _, f := range s.facets {
		if f.Field == field {
			return f.Values
		}
	}
	return nil
}

// grouping is all groups of the index under one rule. Of a group with more than
// maxCopies copies the others are only counted.
type grouping struct {
	groups        []near.Group
	more          []int
	docs, largest int
}

// groupCache keeps the last grouping: paging through one asks for it again and
// again, and the index does not change. A request that waits for another's grouping
// waits no longer than a request may take.
type groupCache struct {
	turn  chan struct{} // holds one if nobody is at it
	rule  signature.Rule
	chain bool
	last  *grouping
}

// headers sets the headers that all answers have, and bounds what is read of requests.
func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// asset serves a file of assets. Its URL changes with it.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("version") == s.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, assets, "assets/"+r.PathValue("name"))
}

// failure is an error that is shown to the user.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

// shell is what every page has. View is what its own template shows.
type shell struct {
	Name    string
	Made    *pages.Index
	Version string
	Error   string
	View    any
	Took    time.Duration
}

// page answers with a page: what view returns, in the template of that name. A
// comparison with the parameter "part" comes without the page around it.
func (s *site) page(name string, view func(context.Context, *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		shell := shell{Name: name, Made: s.made, Version: s.version}
		status := http.StatusOK
		err := r.ParseForm()
		if err == nil {
			shell.View, err = serve.Do(r.Context(), &s.guard, func(ctx context.Context) (any, error) { return view(ctx, r) })
		}
		shell.Took = time.Since(start)
		if err != nil {
			status, shell.Error = describe(err)
			s.log.Warn("request failed", "url", r.URL.Redacted(), "status", status, "error", err)
		}
		layout := "page.html"
		if name == "compare" && r.Form.Get("part") != "" {
			layout = "part.html"
		}
		var body bytes.Buffer
		if err := s.template.ExecuteTemplate(&body, layout, shell); err != nil {
			s.log.Error("template", "name", name, "error", err)
			http.Error(w, "The page could not be made.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Server-Timing", fmt.Sprintf("view;dur=%.3f", 1000*shell.Took.Seconds()))
		w.WriteHeader(status)
		w.Write(body.Bytes())
	})
}

// describe says what to tell the user of an error.
func describe(err error) (status int, text string) {
	var known failure
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known.status, known.text
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, "That is more than a megabyte of text."
	case errors.As(err, new(*serve.Exceeded)):
		return http.StatusBadRequest, "That asks for too much: " + err.Error() + "."
	case errors.Is(err, serve.ErrBusy):
		return http.StatusServiceUnavailable, "Too many searches are under way. Try again in a moment."
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, serve.ErrLate):
		return http.StatusServiceUnavailable, "This took too long. A stricter rule, or fewer matches, would be quicker."
	}
	return http.StatusInternalServerError, "Something went wrong; the log has the details."
}
