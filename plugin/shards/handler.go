package shards

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// The queries of neardup travel in bleve's custom_filter. Every process that reads
// requests must have their parsers in place.
func init() {
	query.CustomFilterQueryParser = serve.Parser(similar.Parser(query.CustomFilterQueryParser))
}

type (
	nearestRequest struct {
		Queries []similar.Query `json:"queries"`
	}
	nearestAnswer struct {
		Hits []*similar.Hit `json:"hits"`
	}
	writeAnswer struct {
		Written int `json:"written"`
	}
)

// MaxBody is how many bytes a request to Handler may have.
const MaxBody = 16 << 20

// NewGuard returns the Guard of Handler: the limits of package collapse/serve, with room for
// what a Set adds to the requests of its clients, and the same deadline.
func NewGuard() *serve.Guard {
	return &serve.Guard{Limits: serve.Limits{
		Body: MaxBody, Depth: 110, Clauses: 1010, Terms: 1010, SortFields: 12, Fields: 110, Hits: 200_000, IDs: 20_000,
	}}
}

// Handler is the other end of a Remote:
//
//	POST /search   a bleve.SearchRequest; the answer is a bleve.SearchResult
//	POST /rank     a bleve.SearchRequest, and in the URL's query "want", a Want of package parts in
//	               JSON; the answer is an Answer of it, which is not JSON
//	POST /nearest  {"queries": [...]}, each a similar.Query with a signature; the answer
//	               is {"hits": [...]}, with null for those that have no near-duplicate
//	POST /docs     documents by their ids; null deletes one; the answer is {"written": their
//	               number}. Also [{"id": ..., "data": ...}, ...]
//
// An id that is not UTF-8 is {"base64": "..."} in all of this, and a string that is not UTF-8
// is an error; documents of such ids come as a list, as members of an object are strings.
//
// It knows of no other shard, and hides nothing: signatures go out with the hits, and the
// Set folds what all shards found. It trusts who asks: Authenticated tells who
// may. An answer that part of the index is missing from is an error (x may be an alias).
// Searches and lookups are priced, and answered by a deadline, as NewGuard has them.
func Handler(x bleve.Index) http.Handler { return GuardedHandler(x, NewGuard()) }

// GuardedHandler is Handler with limits and a deadline of the caller's; nil for those of
// NewGuard.
func GuardedHandler(x bleve.Index, g *serve.Guard) http.Handler {
	if g == nil {
		g = NewGuard()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) { ServeSearch(w, r, x, g) })
	mux.HandleFunc("POST /rank", func(w http.ResponseWriter, r *http.Request) { ServeRank(w, r, x, g) })
	mux.HandleFunc("POST /nearest", func(w http.ResponseWriter, r *http.Request) {
		Serve(w, r, func(request *nearestRequest) (any, error) {
			hits, err := serve.Do(r.Context(), g, func(ctx context.Context) ([]*similar.Hit, error) {
				return similar.Nearest(ctx, x, request.Queries)
			})
			return nearestAnswer{hits}, err
		})
	})
	mux.HandleFunc("POST /docs", func(w http.ResponseWriter, r *http.Request) {
		Serve(w, r, func(docs *ids.Map[any]) (any, error) {
			return writeAnswer{len(*docs)}, write(x, *docs)
		})
	})
	return mux
}

// ServeSearch is what GuardedHandler does with POST /search.
func ServeSearch(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard) {
	serveGuarded(w, r, x, g, func(ctx context.Context, request *bleve.SearchRequest) (any, error) {
		res, err := x.SearchInContext(ctx, request)
		if err != nil {
			return nil, err
		}
		return &collapse.Result{SearchResult: res}, Whole(res)
	})
}

// ServeRank is what GuardedHandler does with POST /rank.
func ServeRank(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard) {
	want := new(parts.Want)
	if err := json.Unmarshal([]byte(r.URL.Query().Get("want")), want); err != nil {
		http.Error(w, fmt.Sprintf("want: %v", err), http.StatusBadRequest)
		return
	}
	serveGuarded(w, r, x, g, func(ctx context.Context, request *bleve.SearchRequest) (any, error) {
		if most := g.Hits; most > 0 && (want.Hits > most || want.Visible > most) {
			return nil, Refuse(fmt.Errorf("want: wanted at most %d hits, got %d, of which %d are visible", most, want.Hits, want.Visible))
		}
		ranked, err := want.Ask(ctx, collapse.Part(x), request)
		if err != nil {
			return nil, err
		}
		return ranked, Whole(ranked.SearchResult)
	})
}

// serveGuarded answers a search request on x with what f makes of it.
func serveGuarded(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard, f func(context.Context, *bleve.SearchRequest) (any, error)) {
	if g == nil {
		fail(w, errors.New("shards: wanted a guard, got nil"))
		return
	}
	body, err := g.Read(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	if err := indexes.Present(x); err != nil {
		fail(w, fmt.Errorf("shards: %w", err))
		return
	}
	a, err := serve.Do(r.Context(), g, func(ctx context.Context) (answer, error) {
		request, err := g.Parse(body)
		if err != nil {
			return answer{}, err
		}
		if request.Collapse != nil {
			return answer{}, Refuse(errors.New(`wanted no member "collapse", got one: shards hide nothing`))
		}
		if err := g.Price(ctx, x, request); err != nil {
			return answer{}, err
		}
		if err := request.Validate(); err != nil {
			return answer{}, Refuse(err)
		}
		v, err := f(ctx, request.SearchRequest)
		if err != nil {
			return answer{}, err
		}
		return encode(v)
	})
	if err != nil {
		fail(w, err)
		return
	}
	a.write(w)
}

// answer is the body of an answer, and what it is.
type answer struct {
	body []byte
	kind string
}

// encode writes an answer as JSON, or as it wants itself.
func encode(v any) (a answer, err error) {
	if b, ok := v.(encoding.BinaryMarshaler); ok {
		a.kind = "application/octet-stream"
		a.body, err = b.MarshalBinary()
		return a, err
	}
	a.kind = "application/json"
	a.body, err = json.Marshal(v)
	return a, err
}

func (a answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.Write(a.body)
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	status := serve.Status(err)
	if errors.As(err, new(refusal)) {
		status = http.StatusBadRequest
	}
	http.Error(w, err.Error(), status)
}

// Serve answers a request in JSON with what f makes of it, in JSON too unless that is an
// encoding.BinaryMarshaler. Requests that cannot be read, and errors made by Refuse, have
// status 400, what is late 503, and other errors 500.
func Serve[T any](w http.ResponseWriter, r *http.Request, f func(request *T) (any, error)) {
	request := new(T)
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody)).Decode(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	v, err := f(request)
	var a answer
	if err == nil {
		a, err = encode(v)
	}
	if err != nil {
		fail(w, err)
		return
	}
	a.write(w)
}

type refusal struct{ error }

// Refuse makes an error one that the client need not try again; nil stays nil.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}

const bearer = "Bearer "

// Authenticated lets through to h only requests with the key that RemoteOptions.Key
// sends, as bearer token; others get status 401. It panics if the key is empty. A key is
// as secret as the connection: beyond a private network, serve TLS.
func Authenticated(key string, h http.Handler) http.Handler {
	if key == "" {
		panic("shards: wanted a key, got an empty one")
	}
	want := sha256.Sum256([]byte(bearer + key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			http.Error(w, "wanted a key, got none or another", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// write writes documents by their ids, all or none, and deletes those that are nil.
func write(x bleve.Index, docs map[string]any) error {
	if r, ok := x.(*Remote); ok {
		return r.write(docs)
	}
	batch := x.NewBatch()
	for id, doc := range docs {
		if doc == nil {
			batch.Delete(id)
		} else if err := batch.Index(id, doc); err != nil {
			return err
		}
	}
	return x.Batch(batch)
}
