package main

import (
	"context"
	"net/http"
	"time"
)

// places are for what may be done at the same time. A place is taken once all that is
// needed has been read, so that nobody who sends slowly has one; who waits for a place
// gets it in turn.
type places chan struct{}

// take waits for a place. If there is no error, leave has to follow.
func (p places) take(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p places) leave() { <-p }

// operators is how many requests of operators are answered at the same time. Their places
// are not those of documents: they are needed most when there are too many of these.
const operators = 4

// longestTurn is how long an operator waits for a place.
const longestTurn = 5 * time.Second

// office lets operators in as there is a place.
func (s *server) office(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), longestTurn)
		defer cancel()
		if s.offices.take(ctx) != nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests of operators at the same time", http.StatusServiceUnavailable)
			return
		}
		defer s.offices.leave()
		next(w, r)
	}
}
