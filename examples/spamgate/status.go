package main

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

var (
	//go:embed status.html
	statusText string
	//go:embed status.css
	statusStyle string
	//go:embed status.js
	statusScript string
)

var statusPage = template.Must(template.New("status").Funcs(template.FuncMap{
	"clock":  func(t time.Time) string { return t.Format("15:04:05") },
	"minute": func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"iso":    func(t time.Time) string { return t.Format(time.RFC3339) },
	"join":   func(s []string) string { return strings.Join(s, ", ") },
	"key":    func(n string) string { return base64.RawURLEncoding.EncodeToString([]byte(n)) },
	"done":   done,
}).Parse(statusText))

// done is what the page calls an action.
func done(action admission.Action) string {
	return map[admission.Action]string{
		admission.Accept: "accepted", admission.Tag: "tagged", admission.Replace: "replaced others", admission.Reject: "rejected",
	}[action]
}

// figures is what stats and status show.
type figures struct {
	Since     time.Time         `json:"since"`
	Documents uint64            `json:"documents"` // in the index
	Policy    *admission.Policy `json:"policy"`
	counts
}

// statusView is what the status page shows.
type statusView struct {
	figures
	Now     time.Time
	Stopped int
	Text    string // of the policy
	Recent  []row
	Marks   []markRow
	All     int  // marks
	Only    bool // what was stopped
	Last    int  // verdicts that are kept
	Ask     *question
}

// row is a verdict of the page.
type row struct {
	*judged
	Tenant, Start string
	Both          *pair
	Marked        *shown // the mark that is named after the document, nil if there is none
}

// markRow is a mark of the page.
type markRow struct {
	shown
	Start string // of its text, if that is known
}

// mostMarks is how many marks the page shows.
const mostMarks = 50

func (s *server) figures() (f figures, recent []*judged, err error) {
	f = figures{Since: s.gate.since, Policy: s.gate.policy}
	f.counts, recent = s.gate.latest()
	f.Documents, err = s.gate.index.DocCount()
	return f, recent, err
}

func (s *server) stats(w http.ResponseWriter, _ *http.Request) {
	f, _, err := s.figures()
	s.answer(w, f, err)
}

func (s *server) status(w http.ResponseWriter, r *http.Request) {
	s.page(w, r.FormValue("only") == "stopped", nil)
}

// page writes the page of all verdicts, or of those that were stopped only, with a question if there is one.
func (s *server) page(w http.ResponseWriter, only bool, ask *question) {
	v, err := s.view(only)
	v.Ask = ask
	if err != nil {
		s.answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	if err := statusPage.Execute(w, v); err != nil {
		s.log.Warn("writing the page", "error", err)
	}
}

// view is the page of all verdicts, or of those that were stopped only.
func (s *server) view(only bool) (v statusView, err error) {
	v.Now, v.Only, v.Last = time.Now(), only, mostRecent
	var recent []*judged
	var err1, err2 error
	v.figures, recent, err1 = s.figures()
	marks, err2 := s.marks()
	if err := errors.Join(err1, err2); err != nil {
		return v, err
	}
	text, err := json.MarshalIndent(v.Policy, "", "  ")
	if err != nil {
		return v, err
	}
	v.Text, v.Stopped, v.All = string(text), v.Actions[string(admission.Reject)], len(marks)
	byName := map[string]*shown{}
	for i := range marks {
		byName[string(marks[i].Name)] = &marks[i]
	}
	for _, j := range recent {
		if only && j.Action != admission.Reject {
			continue
		}
		r := row{judged: j, Tenant: j.document.Tenant, Start: start80(*j.document.Text), Marked: byName[markName(j.document.Tenant, j.document.ID)]}
		if r.Both, err = j.both(); err != nil {
			return v, err
		}
		v.Recent = append(v.Recent, r)
	}
	v.Marks = s.markRows(marks)
	return v, nil
}

// markRows are the marks that were used or set last.
func (s *server) markRows(marks []shown) (rows []markRow) {
	last := func(m shown) time.Time {
		if m.LastUsed.After(m.Marked) {
			return m.LastUsed
		}
		return m.Marked
	}
	marks = slices.Clone(marks)
	slices.SortStableFunc(marks, func(a, b shown) int { return cmp.Or(last(b).Compare(last(a)), 0) })
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	for _, m := range marks[:min(len(marks), mostMarks)] {
		rows = append(rows, markRow{m, start80(s.gate.texts[m.Name])})
	}
	return rows
}
