package main

import (
	"context"
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
