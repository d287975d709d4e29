package gate

import (
	"context"
	"sync"
)

// rules lets either any number of writers in, or one that is alone, such as a write of the
// policy. It is a sync.RWMutex whose waits end when a context is done.
type rules struct {
	mu      sync.Mutex
	inside  int           // writers that are in
	alone   bool          // one that is alone is in
	waiting int           // those that wait to be alone: no other comes in before them
	changed chan struct{} // closed when there may be room; nil if nobody waits
}

// enter waits until there is room, or ctx is done.
func (r *rules) enter(ctx context.Context, alone bool) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if alone {
		r.waiting++
		defer func() {
			if r.waiting--; err != nil {
				r.wake() // others waited for this one
			}
		}()
	}
	for r.alone || alone && r.inside > 0 || !alone && r.waiting > 0 {
		if err := r.wait(ctx); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if alone {
		r.alone = true
	} else {
		r.inside++
	}
	return sync.OnceFunc(func() { r.leave(alone) }), nil
}

// wait waits until something has changed, without the mutex.
func (r *rules) wait(ctx context.Context) error {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	changed := r.changed
	r.mu.Unlock()
	defer r.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *rules) leave(alone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if alone {
		r.alone = false
	} else {
		r.inside--
	}
	r.wake()
}

// wake wakes all that wait.
func (r *rules) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}
