package gate

import (
	"context"
	"slices"
	"sync"
)

// rules lets in either any number of writers, or one that is alone, such as a write of the
// policy. Writers come in in the order in which they asked, so that neither kind can keep the
// other out, however often it comes. Waits end when a context is done.
type rules struct {
	mu     sync.Mutex
	inside int       // writers that are in
	alone  bool      // the one that is in is alone
	queue  []*waiter // in the order in which they asked
}

type waiter struct {
	alone bool
	in    chan struct{} // closed when it is in
}

// enter waits until there is room, or ctx is done.
func (r *rules) enter(ctx context.Context, alone bool) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{alone, make(chan struct{})}
	r.mu.Lock()
	r.queue = append(r.queue, w)
	r.admit()
	r.mu.Unlock()
	select {
	case <-w.in:
		return sync.OnceFunc(r.leave), nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	at := slices.Index(r.queue, w)
	if at >= 0 {
		r.queue = slices.Delete(r.queue, at, at+1)
		r.admit() // others waited for this one
	}
	r.mu.Unlock()
	if at < 0 { // it came in meanwhile
		r.leave()
	}
	return nil, ctx.Err()
}

// admit lets in the first of the queue for which there is room.
func (r *rules) admit() {
	for len(r.queue) > 0 && !r.alone {
		first := r.queue[0]
		if first.alone && r.inside > 0 {
			return
		}
		r.queue = slices.Delete(r.queue, 0, 1)
		r.inside++
		r.alone = first.alone
		close(first.in)
	}
}

func (r *rules) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside--
	r.alone = false
	r.admit()
}
