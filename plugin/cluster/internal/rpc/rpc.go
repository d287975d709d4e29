// Package rpc is what shards and nodes of a cluster say to each other over HTTP, and how they
// make one answer of several: packages plugin/cluster/shards and plugin/cluster share it.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// MaxBody is the most bytes that a request can have.
const MaxBody = 16 << 20

// Search answers POST /search on an index: see shards.Handler.
func Search(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard) {
	priced := func(*serve.Request) error { return nil }
	guarded(w, r, x, g, priced, func(ctx context.Context, request *bleve.SearchRequest) (any, error) {
		res, err := x.SearchInContext(ctx, request)
		if err != nil {
			return nil, err
		}
		return &collapse.Result{SearchResult: res}, Whole(res.Status)
	})
}

// guarded answers a search request on x with what f makes of it, once its price is within the limits of g. priced
// adds to a copy of the request what f looks at beside it, or says why the request is none.
func guarded(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard,
	priced func(*serve.Request) error, f func(context.Context, *bleve.SearchRequest) (any, error),
) {
	respond(w, r, g, serve.Do[answer], func(ctx context.Context, body []byte) (any, error) {
		if err := indexes.Present(x); err != nil {
			return nil, fmt.Errorf("shards: %w", err)
		}
		request, err := g.Parse(body)
		if err != nil {
			return nil, err
		}
		if request.Collapse != nil {
			return nil, Reject(errors.New(`wanted no member "collapse", got one: shards hide nothing`))
		}
		own := *request.SearchRequest
		price := &serve.Request{SearchRequest: &own}
		if err := priced(price); err != nil {
			return nil, Reject(err)
		}
		if err := g.Price(ctx, x, price); err != nil {
			return nil, err
		}
		if err := request.Validate(); err != nil {
			return nil, Reject(err)
		}
		return f(ctx, request.SearchRequest)
	})
}

// Serve answers a request in JSON with what f makes of it by the deadline, in JSON too. Requests that cannot be
// read, and errors made by Reject, have status 400, and other errors as serve.Status has them.
func Serve[T any](w http.ResponseWriter, r *http.Request, g *serve.Guard, f func(context.Context, *T) (any, error)) {
	respond(w, r, g, serve.Do[answer], decoded(f))
}

// Write is Serve without a deadline, which would leave open whether what is written is there.
func Write[T any](w http.ResponseWriter, r *http.Request, g *serve.Guard, f func(context.Context, *T) (any, error)) {
	do := func(ctx context.Context, _ *serve.Guard, f func(context.Context) (answer, error)) (answer, error) {
		return f(ctx)
	}
	respond(w, r, g, do, decoded(f))
}

// decoded reads the body of a request for f.
func decoded[T any](f func(context.Context, *T) (any, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		request := new(T)
		if err := strict.Decode(body, request); err != nil {
			return nil, Reject(err)
		}
		return f(ctx, request)
	}
}

// answer is the body of an answer, and what it is.
type answer struct {
	body []byte
	kind string
}

// respond answers a request with what f makes of its body: bytes, or what becomes JSON.
func respond(w http.ResponseWriter, r *http.Request, g *serve.Guard,
	do func(context.Context, *serve.Guard, func(context.Context) (answer, error)) (answer, error),
	f func(context.Context, []byte) (any, error),
) {
	var a answer
	body, err := g.Read(w, r)
	if err == nil {
		a, err = do(r.Context(), g, func(ctx context.Context) (a answer, err error) {
			v, err := f(ctx, body)
			if err != nil {
				return a, err
			}
			if body, ok := v.([]byte); ok {
				return answer{body, "application/octet-stream"}, nil
			}
			a.kind = "application/json"
			a.body, err = json.Marshal(v)
			return a, err
		})
	}
	if err != nil {
		http.Error(w, err.Error(), serve.Status(err))
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.Write(a.body)
}

// rejection is an error that wraps collapse.ErrRequest without repeating it.
type rejection struct{ error }

func (r rejection) Unwrap() []error { return []error{r.error, collapse.ErrRequest} }

// Reject makes an error one of the request, which the client need not try again; nil stays nil.
func Reject(err error) error {
	if err == nil {
		return nil
	}
	return rejection{err}
}
