package main

import (
	"context"
	"net/http"
)

// documentView is a document, for reading.
type documentView struct {
	state
	stored
}

func (s *site) document(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	d, err := s.stored(ctx, st.ID)
	return documentView{st, d}, err
}
