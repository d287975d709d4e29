// Package serve answers search requests over HTTP: bleve's, in JSON, with one member more
// that says how to collapse.
//
//	http.Handle("/search", &serve.Handler{Index: index})
//
// A request is priced before bleve sees it, by [Limits], and is answered by a deadline,
// which a [Guard] holds even if bleve goes on. Servers of another form do the same with
// [Limits.Price] and [Do].
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Handler answers a Request in the body of a POST with a collapse.Result, both JSON. An
// error is {"error": "..."}, with status 400 for a request that is not valid or beyond the
// limits, 405, 413, 503 where the time is up or too many searches are late, or 500.
type Handler struct {
	// Index is searched.
	Index bleve.Index

	// Guard has the limits and the deadline.
	Guard

	// Collapse is how requests without a member "collapse" are answered; nil for bleve's
	// own result. A request says "collapse": false for that.
	Collapse *collapse.Options
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := h.answer(w, r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// answer returns the JSON of a result or an error, with its status.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) (status int, answer []byte) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return failed(http.StatusMethodNotAllowed, fmt.Errorf("wanted POST, got %s", r.Method))
	}
	body, err := h.Read(w, r)
	if err == nil {
		answer, err = Do(r.Context(), &h.Guard, func(ctx context.Context) ([]byte, error) { return h.search(ctx, body) })
	}
	if err != nil {
		return failed(Status(err), err)
	}
	return http.StatusOK, answer
}

// failed is the answer for an error.
func failed(status int, err error) (int, []byte) {
	body, _ := json.Marshal(map[string]string{"error": err.Error()}) // a string always has JSON
	return status, body
}

// Read reads the body of a request, of at most Limits.Body bytes.
func (g *Guard) Read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	most := g.filled().Body
	if most >= 0 {
		r.Body = http.MaxBytesReader(w, r.Body, int64(most))
	}
	read, err := io.ReadAll(r.Body)
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		err = fmt.Errorf("limit body: wanted at most %d bytes, got more: %w", most, err)
	case err != nil:
		err = hits.Wrong(err)
	}
	return read, err
}

// Status is the status of HTTP for an error of Guard.Read, Limits.Parse, Limits.Price, Do and
// collapse.Search: 400, 413, 503 or 500.
func Status(err error) int {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled),
		errors.Is(err, ErrLate), errors.Is(err, ErrBusy):
		return http.StatusServiceUnavailable
	case errors.Is(err, collapse.ErrRequest), errors.Is(err, collapse.ErrTooMany),
		errors.Is(err, stored.ErrNone): // of a document that the request names
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// search answers a request.
func (h *Handler) search(ctx context.Context, body []byte) ([]byte, error) {
	request, err := h.Parse(body)
	if err != nil {
		return nil, err
	}
	if request.Collapse == nil && !request.Plain && h.Collapse != nil {
		o := *h.Collapse
		request.Collapse = &o
	}
	if request.PreSearchData != nil {
		return nil, refused("pre_search_data: wanted none, got some: an index that asks its parts sends it")
	}
	if err := h.Price(ctx, h.Index, request); err != nil {
		return nil, err
	}
	if err := request.Validate(); err != nil {
		return nil, hits.Wrong(err)
	}
	result, err := request.Search(ctx, h.Index)
	if err == nil {
		err = refusedByPart(result.Status)
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(result)
	if errors.As(err, new(*json.UnsupportedValueError)) {
		return nil, refused("wanted a query with scores that are numbers, got one with others: %w", err)
	}
	return data, err
}

// refusedByPart returns the error of a remote part that the request was beyond the limits of.
func refusedByPart(status *bleve.SearchStatus) error {
	if status == nil {
		return nil
	}
	for _, err := range status.Errors {
		if errors.Is(err, collapse.ErrRequest) {
			return err
		}
	}
	return nil
}

// Parse reads a Request, within the limits that its JSON alone can show.
// Its errors wrap collapse.ErrRequest.
func (l Limits) Parse(body []byte) (*Request, error) {
	if err := l.filled().strain(body); err != nil {
		return nil, err
	}
	request := new(Request)
	if err := json.Unmarshal(body, request); err != nil {
		return nil, hits.Wrong(err)
	}
	return request, nil
}
