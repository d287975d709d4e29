package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// shown is a mark without its signature.
type shown struct {
	Name    name            `json:"name"`
	Label   admission.Label `json:"label"`
	Strict  bool            `json:"strict,omitempty"`
	Scope   []name          `json:"scope,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Tokens  int             `json:"tokens"`

	Marked   time.Time `json:"marked,omitzero"`
	Used     uint64    `json:"used"`
	LastUsed time.Time `json:"last_used,omitzero"`
}

// setMark reads a mark, and only then takes a place.
func (s *server) setMark(w http.ResponseWriter, r *http.Request) {
	if body, ok := s.body(w, r); ok {
		s.office(func(w http.ResponseWriter, r *http.Request) { s.mark(r.Context(), w, body) })(w, r)
	}
}

// body reads what an operator sends, or answers what is wrong with it.
func (s *server) body(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.limits.wait)); err != nil {
		s.answer(w, nil, err)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.line))
	large := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &large):
		http.Error(w, tooLong("body", s.limits.line).Error(), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, fmt.Sprintf("mark: wanted a whole one within %v, got less", s.limits.wait), http.StatusRequestTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return body, err == nil
}

func (s *server) mark(ctx context.Context, w http.ResponseWriter, body []byte) {
	err := s.gate.mark(ctx, body)
	switch {
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
		all = append(all, shown{name(m.Name), m.Label, m.Strict, strict.IDs(m.Scope), m.Expires, int(m.Signature.Tokens), m.Marked, m.Used, m.LastUsed})
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
	there := slices.ContainsFunc(marks, func(m shown) bool { return string(m.Name) == mark })
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
