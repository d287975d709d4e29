package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
)

// server is the HTTP side of a gate.
type server struct {
	gate    *gate
	limits  limits
	token   [sha256.Size]byte
	open    bool // no token is wanted
	senders *serve.Each
	took    prometheus.Histogram
	log     *slog.Logger
}

// operator lets those pass who know the token.
func (s *server) operator(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		got := sha256.Sum256([]byte(password))
		if !s.open && subtle.ConstantTimeCompare(got[:], s.token[:]) == 0 {
			w.Header().Set("WWW-Authenticate", `Basic realm="spamgate"`)
			http.Error(w, "wanted the token as password", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next(w, r)
	}
}

// answer writes JSON, or says that something went wrong and logs what.
func (s *server) answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		s.log.Error("reading the index", "error", err)
		http.Error(w, "something went wrong; the log says what", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Warn("writing an answer", "error", err)
	}
}
