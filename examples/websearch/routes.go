package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

func newSite(x *pages.Index, log *slog.Logger) (*site, error) {
	s := &site{index: x.Index, made: x, log: log}
	// Whole sets are collapsed here, and pages are of those.
	s.guard.Timeout, s.guard.Limits = patience, serve.Limits{Hits: mostPages * pageSize, Budget: 1_000_000}
	sum := sha256.New()
	for _, name := range []string{"style.css", "app.js", "icon.svg"} {
		file, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		sum.Write(file)
	}
	s.version = hex.EncodeToString(sum.Sum(nil)[:6])
	s.grouped.turn = make(chan struct{}, 1)
	s.grouped.turn <- struct{}{}
	var err error
	if s.template, err = template.New("").Funcs(helpers).ParseFS(assets, "assets/*.html"); err != nil {
		return nil, err
	}
	if s.facets, err = findFacets(x.Index); err != nil {
		return nil, err
	}
	fields, err := x.Index.Fields()
	if err != nil {
		return nil, err
	}
	s.fields = slices.DeleteFunc(fields, func(name string) bool { return strings.HasPrefix(name, "~") || name == signature.DefaultField })
	// The first search reads all signatures, so that searches of users do not have to.
	_, err = s.find(context.Background(), state{Page: 1}, 0)
	return s, err
}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, page := range map[string]http.Handler{
		"GET /{$}": s.page("search", s.search), "GET /groups": s.page("groups", s.groups), "GET /doc": s.page("doc", s.document),
		"GET /paste": s.page("paste", s.paste), "POST /paste": s.page("paste", s.paste),
		"GET /compare": s.page("compare", s.compare), "POST /compare": s.page("compare", s.compare),
	} {
		mux.Handle(pattern, page)
	}
	mux.Handle("GET /assets/{version}/{name}", http.HandlerFunc(s.asset))
	mux.Handle("/", s.page("search", func(context.Context, *http.Request) (any, error) {
		return nil, failure{http.StatusNotFound, "There is no such page."}
	}))
	return s.headers(mux)
}
