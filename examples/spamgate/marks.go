package main

import (
	"errors"
	"net/http"
	"slices"
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
