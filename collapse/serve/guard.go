package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Guard stands between requests and an index: it says what one of them may ask for, and
// answers by a deadline even where bleve goes on. The zero Guard has the defaults. It must
// not be copied once it is used. Several handlers may share one.
type Guard struct {
	Limits

	// Timeout is the most time for an answer, 10 s if 0.
	Timeout time.Duration

	// Leftovers is how many searches may run at once, those included that go on after their deadline since bleve does
	// not look at it everywhere: 2 x GOMAXPROCS if 0, at least 1 and at most 65,536. When as many go on after theirs,
	// new requests are turned away at once; else they wait for their turn until their own deadline.
	Leftovers int

	once  sync.Once
	slots chan struct{}
	left  atomic.Int64
}

// Errors of Do, for status 503.
var (
	// ErrLate: there was no answer by the deadline.
	ErrLate = errors.New("no answer by the deadline")
	// ErrBusy: enough searches go on after their deadline.
	ErrBusy = errors.New("too many searches go on after their deadline")
)

// grace is how long a search that is told of its deadline may take to end by itself.
const grace = 50 * time.Millisecond

// Do calls f with a context that ends at the deadline, and returns what f does. If f has not returned a twentieth of a
// second after its context ended, the error wraps ErrLate, or the context's if that is what ended it, and f goes on: it
// must not use what its caller takes back then. If f is not called in time, the error wraps ErrBusy.
func Do[T any](ctx context.Context, g *Guard, f func(ctx context.Context) (T, error)) (T, error) {
	g.once.Do(func() {
		const most = 1 << 16
		g.slots = make(chan struct{}, max(1, min(most, cmp.Or(g.Leftovers, 2*runtime.GOMAXPROCS(0)))))
	})
	var none T
	timeout := cmp.Or(g.Timeout, 10*time.Second)
	late := fmt.Errorf("%w, after %v", ErrLate, timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, late)
	if int(g.left.Load()) >= cap(g.slots) {
		cancel()
		return none, fmt.Errorf("%w: %d", ErrBusy, cap(g.slots))
	}
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return none, fmt.Errorf("%w: %w", ErrBusy, context.Cause(ctx))
	}
	type result struct {
		value    T
		err      error
		panicked string
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
			done <- r
			cancel()
		}()
		r.value, r.err = f(ctx)
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		select {
		case r = <-done:
		case <-time.After(grace):
			g.left.Add(1)
			go func() {
				if r := <-done; r.panicked != "" {
					log.Printf("serve: panic after the deadline: %v", r.panicked)
				}
				<-g.slots
				g.left.Add(-1)
			}()
			return none, context.Cause(ctx)
		}
	}
	<-g.slots
	if r.panicked != "" {
		panic(r.panicked)
	}
	return r.value, r.err
}
