package main

import (
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

//go:embed status.html
var statusText string

var statusPage = template.Must(template.New("status").Funcs(template.FuncMap{
	"clock":  func(t time.Time) string { return t.Format("15:04:05") },
	"expiry": func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"join":   func(s []name) string { return strings.Join(ids.Strings(s), ", ") },
}).Parse(statusText))

// figures is what stats and status show.
type figures struct {
	Since     time.Time         `json:"since"`
	Documents uint64            `json:"documents"` // in the index
	Policy    *admission.Policy `json:"policy"`
	counts

	Recent []judged `json:"-"`
	Marks  []shown  `json:"-"`
	Text   string   `json:"-"` // of the policy
}

func (s *server) figures() (figures, error) {
	f := figures{Since: s.gate.since, Policy: s.gate.policy, Text: s.gate.policyText()}
	f.counts, f.Recent = s.gate.now()
	var err, merr error
	f.Documents, err = s.gate.index.DocCount()
	f.Marks, merr = s.marks()
	return f, errors.Join(err, merr)
}

func (s *server) stats(w http.ResponseWriter, _ *http.Request) {
	f, err := s.figures()
	s.answer(w, f, err)
}

func (s *server) status(w http.ResponseWriter, _ *http.Request) {
	f, err := s.figures()
	if err != nil {
		s.answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	if err := statusPage.Execute(w, f); err != nil {
		s.log.Warn("writing the page", "error", err)
	}
}
