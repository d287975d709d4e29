package shards

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Parser returns a parser of custom filters that reads all queries which a Set or a cluster
// sends to its shards, and leaves all others to next, which may be nil. bleve has one place for
// such a parser, and every process that serves a Handler must put it there before any request
// is read:
//
//	query.CustomFilterQueryParser = shards.Parser(query.CustomFilterQueryParser)
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return serve.Parser(near.Parser(next))
}

type (
	fieldRequest struct {
		Field string `json:"field"`
	}
	templatesAnswer struct {
		Field     string `json:"field"`
		Templates []byte `json:"templates"` // null if nothing is left out
	}
	ruleAnswer struct {
		Rule *signature.Rule `json:"rule"`
	}
	namedRequest struct {
		Docs   map[string]any    `json:"docs"`
		Groups map[string]string `json:"groups"`
	}
	writeAnswer struct {
		Written int `json:"written"`
	}
)

// NewGuard returns the Guard of Handler: the limits of package collapse/serve, with room for
// what a Set adds to the requests of its clients, such as the texts of documents, and the same deadline.
func NewGuard() *serve.Guard {
	return &serve.Guard{Limits: serve.Limits{
		Body: rpc.MaxBody, Depth: 110, Clauses: 2000, Terms: 1010, Hits: 200_000, Budget: 200_000, Fields: 120,
	}}
}

// Handler is the other end of a Remote:
//
//	POST /search   a bleve.SearchRequest; the answer is a bleve.SearchResult
//	POST /rank     a bleve.SearchRequest, and in the URL's query "want", in JSON, what a search that collapses wants of
//	               each hit, and how many hits; the answer, which is not JSON, has the hits with their signatures
//	POST /nearest  {"queries": [...]}, each a near.SimilarQuery with a signature; the answer
//	               is {"hits": [...]}, with null for those that have no near-duplicate; with
//	               "field" it says in "templates" which templates are left out of signatures;
//	               with "tries" it is {"names": [...]}, from which the Set makes the name of each group
//	POST /templates {"field": ...}; the answer is {"field": ..., "templates": ...}, with what
//	               package plugin/templates keeps, in base64, or null
//	POST /rule     {"field": ...}; the answer is {"rule": ...}, the field's rule in the mapping of the
//	               index: see analyzer neardup
//	POST /docs     documents by their ids; null deletes one; the answer is {"written": their
//	               number}
//	POST /named    {"docs": as in /docs, "groups": the names of the groups of documents, by their ids}
//
// A body that is not UTF-8 is an error.
//
// It knows of no other shard, and hides nothing: signatures go out with the hits, and the
// Set folds what all shards found. It answers everybody: Authenticated decides who may
// ask. An answer that part of the index is missing from is an error (x may be an alias).
// Searches and lookups are priced, and answered by a deadline, as NewGuard has them.
func Handler(x bleve.Index) http.Handler { return GuardedHandler(x, NewGuard()) }

// GuardedHandler is Handler with limits and a deadline of the caller's; nil stands for
// NewGuard.
func GuardedHandler(x bleve.Index, g *serve.Guard) http.Handler {
	if g == nil {
		g = NewGuard()
	}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(http.ResponseWriter, *http.Request, bleve.Index, *serve.Guard){
		"/search": rpc.Search, "/rank": rpc.Rank,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { answer(w, r, x, g) })
	}
	mux.HandleFunc("POST /nearest", func(w http.ResponseWriter, r *http.Request) {
		rpc.Serve(w, r, g, func(ctx context.Context, request *rpc.NearestRequest) (any, error) {
			if err := request.Check(); err != nil {
				return nil, err
			}
			return nearest(ctx, x, *request)
		})
	})
	mux.HandleFunc("POST /templates", func(w http.ResponseWriter, r *http.Request) {
		rpc.Serve(w, r, g, func(_ context.Context, request *fieldRequest) (any, error) {
			if err := indexes.Present(x); err != nil {
				return nil, err
			}
			sets, err := indexes.OneTemplates(x, request.Field)
			return templatesAnswer{request.Field, sets.Encode()}, err
		})
	})
	mux.HandleFunc("POST /rule", func(w http.ResponseWriter, r *http.Request) {
		rpc.Serve(w, r, g, func(ctx context.Context, request *fieldRequest) (any, error) {
			if err := indexes.Present(x); err != nil {
				return nil, err
			}
			rule, err := indexes.Rule(ctx, x, cmp.Or(request.Field, signature.DefaultField), signature.Rule{})
			return ruleAnswer{&rule}, rpc.Reject(err)
		})
	})
	mux.HandleFunc("POST /docs", func(w http.ResponseWriter, r *http.Request) {
		rpc.Write(w, r, g, func(_ context.Context, docs *map[string]any) (any, error) {
			return writeAnswer{len(*docs)}, write(x, *docs, nil)
		})
	})
	mux.HandleFunc("POST /named", func(w http.ResponseWriter, r *http.Request) {
		rpc.Write(w, r, g, func(_ context.Context, n *namedRequest) (any, error) {
			return writeAnswer{len(n.Docs)}, write(x, n.Docs, n.Groups)
		})
	})
	return mux
}

// Authenticated lets through to h only requests with the key that RemoteOptions.Key
// sends, as bearer token; others get status 401. It panics if the key is empty. A key is
// as secret as the connection: beyond a private network, serve TLS.
func Authenticated(key string, h http.Handler) http.Handler {
	if key == "" {
		panic("shards: wanted a key, got an empty one")
	}
	want := sha256.Sum256([]byte(rpc.Bearer + key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			http.Error(w, "wanted a key, got none or another", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// write writes documents by their ids, all or none, with the names of their groups, and deletes those that are nil.
func write(x bleve.Index, docs map[string]any, groups map[string]string) error {
	if r, ok := x.(*Remote); ok {
		return r.write(docs, groups)
	}
	if err := indexes.Present(x); err != nil {
		return fmt.Errorf("shards: %w", err)
	}
	batch := x.NewBatch()
	if batch == nil {
		return errors.New("shards: wanted an index to write to, got an alias of several, of none, or a closed one")
	}
	for id, doc := range docs {
		if doc == nil {
			batch.Delete(id)
		} else if err := batch.Index(id, doc); err != nil {
			return rpc.Reject(err)
		}
	}
	err := rpc.WriteBatch(x, batch, groups)
	if errors.Is(err, signing.ErrDocument) || errors.As(err, new(*admission.Rejected)) {
		return rpc.Reject(err)
	}
	return err
}
