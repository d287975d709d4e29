package shards

import (
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
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// The queries of neardup travel in bleve's custom_filter. Every process that reads
// requests must have their parsers in place.
func init() {
	query.CustomFilterQueryParser = collapse.Parser(similar.Parser(query.CustomFilterQueryParser))
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

// Handler is the other end of a Remote:
//
//	POST /search   a bleve.SearchRequest; the answer is a bleve.SearchResult
//	POST /rank     a bleve.SearchRequest, and in the URL's query "want", a collapse.Want in
//	               JSON; the answer is a collapse.Ranked, which is not JSON
//	POST /nearest  {"queries": [...]}, each a similar.Query with a signature; the answer
//	               is {"hits": [...]}, with null for those that have no near-duplicate
//	POST /docs     documents by their ids; null deletes one; the answer is {"written": their number}
//
// It knows of no other shard, and hides nothing: signatures go out with the hits, and the
// Set folds what all shards found. It trusts who asks: Authenticated tells who
// may. An answer that part of the index is missing from is an error (x may be an alias).
func Handler(x bleve.Index) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) { ServeSearch(w, r, x) })
	mux.HandleFunc("POST /rank", func(w http.ResponseWriter, r *http.Request) { ServeRank(w, r, x) })
	mux.HandleFunc("POST /nearest", func(w http.ResponseWriter, r *http.Request) {
		Serve(w, r, func(request *nearestRequest) (any, error) {
			hits, err := similar.Nearest(r.Context(), x, request.Queries)
			return nearestAnswer{hits}, err
		})
	})
	mux.HandleFunc("POST /docs", func(w http.ResponseWriter, r *http.Request) {
		Serve(w, r, func(docs *map[string]any) (any, error) {
			return writeAnswer{len(*docs)}, write(x, *docs)
		})
	})
	return mux
}

// ServeSearch is what Handler does with POST /search.
func ServeSearch(w http.ResponseWriter, r *http.Request, x bleve.Index) {
	Serve(w, r, func(request *bleve.SearchRequest) (any, error) {
		if err := request.Validate(); err != nil {
			return nil, Refuse(err)
		}
		if err := indexes.Present(x); err != nil {
			return nil, fmt.Errorf("shards: %w", err)
		}
		res, err := x.SearchInContext(r.Context(), request)
		if err != nil {
			return nil, err
		}
		return res, Whole(res)
	})
}

// ServeRank is what Handler does with POST /rank.
func ServeRank(w http.ResponseWriter, r *http.Request, x bleve.Index) {
	Serve(w, r, func(request *bleve.SearchRequest) (any, error) {
		want := new(collapse.Want)
		if err := json.Unmarshal([]byte(r.URL.Query().Get("want")), want); err != nil {
			return nil, Refuse(fmt.Errorf("want: %w", err))
		}
		if err := request.Validate(); err != nil {
			return nil, Refuse(err)
		}
		ranked, err := want.Rank(r.Context(), x, request)
		if err != nil {
			return nil, err
		}
		return ranked, Whole(ranked.SearchResult)
	})
}

// Serve answers a request in JSON with what f makes of it, in JSON too unless that is an
// encoding.BinaryMarshaler. Requests that cannot be read, and errors made by Refuse, have
// status 400, other errors 500.
func Serve[T any](w http.ResponseWriter, r *http.Request, f func(request *T) (any, error)) {
	request := new(T)
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody)).Decode(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := f(request)
	var body []byte
	kind := "application/json"
	if err == nil {
		if b, ok := answer.(encoding.BinaryMarshaler); ok {
			kind = "application/octet-stream"
			body, err = b.MarshalBinary()
		} else {
			body, err = json.Marshal(answer)
		}
	}
	if err != nil {
		status := http.StatusInternalServerError
		if errors.As(err, new(refusal)) {
			status = http.StatusBadRequest
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
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
