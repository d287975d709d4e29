// Package serve answers search requests over HTTP: bleve's, in JSON, with one member more
// that says how to collapse.
//
//	http.Handle("/search", &serve.Handler{Index: index})
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// Handler answers a Request in the body of a POST with a collapse.Result, both JSON. An
// error is {"error": "..."}, with status 400 for a request that is not valid or
// beyond the limits, 405, 413, 503 where the time is up, or 500. Besides those below,
// it takes no more than 100 objects and arrays within each other, and query strings of
// at most 10,000 bytes, which bleve would parse for as long as it takes.
type Handler struct {
	// Index is searched.
	Index bleve.Index

	// MaxBody is the most bytes of a request, 1 MiB if 0.
	MaxBody int64

	// MaxHits is the most hits that one request may ask for, those that From skips
	// included, of inner hits and explained members per group, and of shingles in an
	// explanation's list; 1,000 if 0.
	MaxHits int

	// MaxBudget is the most hits that one request may have looked at, 10,000 if 0.
	MaxBudget int

	// Timeout is the most time for an answer, 10 s if 0.
	Timeout time.Duration
}

const defaultBudget = 10_000 // as in collapse.Options

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, answer := h.answer(w, r)
	if err, ok := answer.(error); ok {
		answer = map[string]string{"error": err.Error()}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the result has no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// answer returns a collapse.Result or an error, with its status.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) (status int, answer any) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, fmt.Errorf("wanted POST, got %s", r.Method)
	}
	most := cmp.Or(h.MaxBody, 1<<20)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return http.StatusRequestEntityTooLarge, fmt.Errorf("wanted a body of at most %d bytes, got more", most)
		}
		return http.StatusBadRequest, err
	}
	var request Request
	if err = strain(body); err == nil {
		err = json.Unmarshal(body, &request)
	}
	if err == nil {
		err = h.limit(&request)
	}
	if err == nil {
		err = request.Validate()
	}
	if err != nil {
		return http.StatusBadRequest, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), cmp.Or(h.Timeout, 10*time.Second))
	defer cancel()
	result, err := request.Search(ctx, h.Index)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, err
	case errors.Is(err, collapse.ErrRequest) || errors.Is(err, collapse.ErrTooMany):
		return http.StatusBadRequest, err
	case err != nil:
		return http.StatusInternalServerError, err
	}
	return http.StatusOK, result
}

// limit returns an error for a request beyond the limits, and sets the budget.
func (h *Handler) limit(r *Request) error {
	hits, budget := cmp.Or(h.MaxHits, 1000), cmp.Or(h.MaxBudget, defaultBudget)
	if r.Size > hits || r.From > hits-r.Size {
		return fmt.Errorf("wanted from and size of at most %d together, got %d and %d", hits, r.From, r.Size)
	}
	o := r.Collapse
	if o == nil {
		return nil
	}
	for _, i := range o.InnerHits {
		if i.Size > hits || i.From > hits-i.Size {
			return fmt.Errorf("inner_hits %q: wanted from and size of at most %d together, got %d and %d", i.Name, hits, i.From, i.Size)
		}
	}
	if e := o.Explain; e != nil && (e.Members > hits || e.Shingles > hits) {
		return fmt.Errorf("explain: wanted at most %d members and shingles, got %d and %d", hits, e.Members, e.Shingles)
	}
	if o.Budget > budget {
		return fmt.Errorf("budget: wanted at most %d, got %d", budget, o.Budget)
	}
	if o.Budget == 0 {
		o.Budget = budget
	}
	if o.Cursor != nil && len(o.Cursor.Heads) > budget {
		return fmt.Errorf("cursor: wanted at most %d heads, got %d", budget, len(o.Cursor.Heads))
	}
	return nil
}
