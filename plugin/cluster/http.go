package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// errMissing: nobody is planned to have the partition.
var errMissing = errors.New("cluster: no node has the partition")

// Handler is what a node listens with. All of it asks for Options.Key:
//
//	POST /search   a serve.Request over the whole index; the answer says in "status"
//	               which partitions did not answer
//	POST /submit   documents by their ids, taken in the order of these; the answer is {"verdicts": [...], "error": ...},
//	               or 400 if one of them cannot be submitted
//	GET  /health   200 if this node follows the log and its partitions have caught up, or
//	               503
//	GET  /status   Status
//	POST /create, /failover, /rebalance   {"partitions": 8, "replicas": 1}, {"nodes": ["b"]}, {}:
//	               the methods so named; the answer is {}
//
// and for other nodes POST /parts/{names}/search, /rank and /nearest.
//
// Searches are priced, and answered by a deadline: Options.Limits are for clients, and the limits of
// shards.NewGuard for other nodes.
func (n *Node) Handler() http.Handler {
	mux, parts := http.NewServeMux(), shards.NewGuard()
	mux.Handle("/search", &serve.Handler{Index: n.Index(), Guard: serve.Guard{Limits: n.options.Limits}})
	mux.HandleFunc("POST /submit", func(w http.ResponseWriter, r *http.Request) {
		rpc.Write(w, r, parts, func(ctx context.Context, docs *map[string]json.RawMessage) (any, error) {
			var all []Document
			for _, id := range slices.Sorted(maps.Keys(*docs)) {
				all = append(all, Document{ID: id, Data: (*docs)[id]})
			}
			var a struct {
				Outcomes []Outcome `json:"verdicts"`
				Error    string    `json:"error,omitempty"`
			}
			var err error
			if a.Outcomes, err = n.Submit(ctx, all...); a.Outcomes == nil {
				return nil, err
			}
			if err != nil {
				a.Error = err.Error()
			}
			return a, nil
		})
	})
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		if err := n.Status().Err(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(n.Status())
	})
	type change struct {
		Partitions, Replicas int
		Nodes                []string
	}
	for path, f := range map[string]func(c *change) error{
		"/create":    func(c *change) error { return n.Create(c.Partitions, c.Replicas) },
		"/failover":  func(c *change) error { return n.Failover(c.Nodes...) },
		"/rebalance": func(*change) error { return n.Rebalance() },
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			rpc.Write(w, r, parts, func(_ context.Context, c *change) (any, error) { return struct{}{}, f(c) })
		})
	}
	for path, answer := range map[string]func(http.ResponseWriter, *http.Request, bleve.Index, *serve.Guard){
		"/search": rpc.Search, "/rank": rpc.Rank,
	} {
		mux.HandleFunc("POST /parts/{names}"+path, func(w http.ResponseWriter, r *http.Request) {
			x, err := n.serving(r.PathValue("names"))
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			answer(w, r, x, parts)
		})
	}
	mux.HandleFunc("POST /parts/{names}/nearest", func(w http.ResponseWriter, r *http.Request) {
		rpc.Write(w, r, parts, func(ctx context.Context, q *rpc.NearestRequest) (any, error) {
			if err := q.Check(); err != nil {
				return nil, err
			}
			return n.nearest(ctx, r.PathValue("names"), *q)
		})
	})
	return shards.Authenticated(n.options.Key, mux)
}
