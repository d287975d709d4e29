package main

import (
	"context"
)

// places limit what is done at the same time. A place is taken when everything needed has
// been read, so that no slow sender has one. Places are given in turn.
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

// operators is how many requests of operators are answered at the same time. They have
// places of their own: they are needed most when there are too many documents.
const operators = 4
