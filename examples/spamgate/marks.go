package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// shown is a mark without its signature.
type shown struct {
	Name    string          `json:"name"`
	Label   admission.Label `json:"label"`
	Strict  bool            `json:"strict,omitempty"`
	Scope   []string        `json:"scope,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Tokens  int             `json:"tokens"`

	Marked   time.Time `json:"marked,omitzero"`
	Used     uint64    `json:"used"`
	LastUsed time.Time `json:"last_used,omitzero"`
}

func (s *server) setMark(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	switch err := s.gate.mark(r.Context(), body); {
	case errors.Is(err, errNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *server) marks() ([]shown, error) {
	marks, err := s.gate.inner.Marks()
	all := []shown{}
	for _, m := range marks {
		all = append(all, shown{m.Name, m.Label, m.Strict, m.Scope, m.Expires, int(m.Signature.Tokens), m.Marked, m.Used, m.LastUsed})
	}
	return all, err
}

func (s *server) listMarks(w http.ResponseWriter, _ *http.Request) {
	marks, err := s.marks()
	s.answer(w, marks, err)
}

func (s *server) deleteMark(w http.ResponseWriter, r *http.Request) {
	mark := r.PathValue("name")
	marks, err := s.marks()
	there := slices.ContainsFunc(marks, func(m shown) bool { return m.Name == mark })
	switch {
	case err != nil:
		s.answer(w, nil, err)
	case !there:
		http.Error(w, "no such mark", http.StatusNotFound)
	default:
		if err := s.gate.inner.Unmark(r.Context(), mark); err != nil {
			s.answer(w, nil, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// click does what a button of the status page says, and shows the page again. http.CrossOriginProtection
// rejects clicks that come from another site.
func (s *server) click(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	var ask *question
	form, err := url.ParseQuery(string(body))
	if err == nil {
		ask, err = s.gate.click(r.Context(), form)
	}
	switch {
	case errors.Is(err, errNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case ask != nil:
		s.page(w, r.URL.Query().Get("only") == "stopped", ask)
	default:
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusSeeOther)
	}
}

// question is asked before a verdict is marked as spam whose mark would have stopped mails that were let in.
type question struct {
	Number  int
	ID      string
	Touched []string // their ids
}

// Some are the first ids, and More how many there are besides.
func (q *question) Some() []string { return q.Touched[:min(len(q.Touched), 10)] }
func (q *question) More() int      { return len(q.Touched) - len(q.Some()) }

// click marks the text of a verdict, or removes a mark. It does nothing if there is a question.
func (g *gate) click(ctx context.Context, form url.Values) (*question, error) {
	if form.Has("unmark") {
		name, err := base64.RawURLEncoding.DecodeString(form.Get("unmark"))
		if err != nil {
			return nil, fmt.Errorf("unmark: wanted the name of a mark in base64, got %.40q", form.Get("unmark"))
		}
		return nil, g.inner.Unmark(ctx, string(name))
	}
	number, err := strconv.Atoi(form.Get("verdict"))
	if err != nil {
		return nil, fmt.Errorf("verdict: wanted the number of one, got %.40q", form.Get("verdict"))
	}
	sure := form.Get("sure")
	if sure != "" && sure != "copies" && sure != "all" {
		return nil, fmt.Errorf("sure: wanted copies, all or nothing, got %.40q", sure)
	}
	return g.markVerdict(ctx, number, admission.Label(form.Get("label")), sure)
}
