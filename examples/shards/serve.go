package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// The queries of neardup travel in bleve's custom_filter. Every process that reads
// requests must have their parsers in place.
func init() {
	query.CustomFilterQueryParser = collapse.Parser(similar.Parser(query.CustomFilterQueryParser))
}

const maxBody = 16 << 20

// serve is the other end of a remote:
//
//	POST /search  a bleve.SearchRequest; the answer is a bleve.SearchResult
//	POST /docs    documents by their ids; null deletes one; the answer is {"written": their number}
//
// It knows of no other shard, and collapses nothing: signatures go out as stored
// fields, and the coordinator folds what all shards found. It trusts who asks, and
// so belongs into a private network.
func serve(x bleve.Index) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		var request bleve.SearchRequest
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&request)
		if err == nil {
			err = request.Validate()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result, err := x.SearchInContext(r.Context(), &request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer, err := json.Marshal(result)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})
	mux.HandleFunc("POST /docs", func(w http.ResponseWriter, r *http.Request) {
		var docs map[string]any
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&docs); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := write(x, docs); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"written": %d}`, len(docs))
	})
	return mux
}

// write writes documents by their ids, all or none, and deletes those that are nil.
func write(x bleve.Index, docs map[string]any) error {
	if r, ok := x.(*remote); ok {
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
