package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/serve"
)

// inner is bleve.Index under a name that hides no method.
type inner = bleve.Index

// stuck is an index that answers when it is let go, whatever the context says.
type stuck struct {
	inner
	free    chan struct{}
	running atomic.Int32
	most    atomic.Int32
}

func (s *stuck) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	n := s.running.Add(1)
	defer s.running.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	<-s.free
	return s.inner.SearchInContext(context.WithoutCancel(ctx), r)
}

// An answer comes by the deadline though the index goes on. No more than Leftovers
// searches do at a time, and new requests are turned away at once as long as all of them
// do; then there are answers again.
//
// The clock is the test's own: on a slow machine some of the requests would come after the first ones were late.
func TestDeadline(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}})
	synctest.Test(t, func(t *testing.T) { testDeadline(t, index) })
}

func testDeadline(t *testing.T, index bleve.Index) {
	x := &stuck{inner: index, free: make(chan struct{})}
	h := &serve.Handler{Index: x, Guard: serve.Guard{Timeout: 300 * time.Millisecond, Leftovers: 3}}
	const all = `{"query":{"match_all":{}},"collapse":{}}`
	var wait sync.WaitGroup
	var late, busy atomic.Int32
	for range 20 {
		wait.Go(func() {
			start := time.Now()
			code, answer := ask(h, "POST", all)
			took := time.Since(start)
			switch {
			case code != 503 || took < 300*time.Millisecond || took > 400*time.Millisecond:
				t.Errorf("%d %s after %v", code, answer, took)
			case strings.Contains(answer, "no answer by the deadline, after 300ms") && !strings.Contains(answer, "too many"):
				late.Add(1)
			case strings.Contains(answer, "too many searches go on after their deadline: no answer by the deadline"):
				busy.Add(1)
			default:
				t.Errorf("got %s", answer)
			}
		})
	}
	wait.Wait()
	if late.Load() != 3 || busy.Load() != 17 || x.most.Load() != 3 || x.running.Load() != 3 {
		t.Errorf("%d were late and %d found no place, %d ran at once and %d go on; want 3, 17, 3 and 3", late.Load(), busy.Load(), x.most.Load(), x.running.Load())
	}
	h.Timeout = time.Hour
	if code, answer := ask(h, "POST", all); code != 503 || !strings.Contains(answer, "too many searches go on after their deadline: 3") {
		t.Errorf("got %d %s, want 503 at once", code, answer)
	}
	close(x.free)
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if code, answer := ask(h, "POST", all); code == 200 {
			break
		} else if code != 503 || time.Now().After(end) {
			t.Fatalf("%d %s, though all have ended", code, answer)
		}
	}
}

// A search that looks at its context ends by itself, and leaves nothing.
func TestObedient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testObedient)
}

func testObedient(t *testing.T) {
	g := &serve.Guard{Timeout: time.Millisecond, Leftovers: 1}
	for range 3 {
		own := errors.New("own error")
		_, err := serve.Do(t.Context(), g, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, own
		})
		if !errors.Is(err, own) {
			t.Fatalf("got %v, want the function's own error", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	block := make(chan struct{})
	_, err := serve.Do(ctx, g, func(context.Context) (int, error) { <-block; return 0, nil })
	close(block)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A panic reaches net/http, which closes the connection, and not the process.
func TestPanic(t *testing.T) {
	t.Parallel()
	g := &serve.Guard{Leftovers: 1}
	for range 2 {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, "mistake") || !strings.Contains(p, "guard_test.go") {
					t.Errorf("recovered %q, want the panic and where it was", p)
				}
			}()
			serve.Do(t.Context(), g, func(context.Context) (int, error) { panic("mistake") })
		}()
	}
	block, ended := make(chan struct{}), make(chan struct{})
	g = &serve.Guard{Leftovers: 1, Timeout: time.Millisecond}
	_, err := serve.Do(t.Context(), g, func(context.Context) (int, error) {
		defer close(ended)
		<-block
		panic("a mistake of a test, which the log tells of")
	})
	if !errors.Is(err, serve.ErrLate) || serve.Status(err) != http.StatusServiceUnavailable {
		t.Errorf("got %v", err)
	}
	close(block)
	<-ended
}

// ExampleDo holds the deadline of a search that does not.
func ExampleDo() {
	guard := &serve.Guard{Timeout: 10 * time.Millisecond}
	release := make(chan struct{})
	defer close(release)
	_, err := serve.Do(context.Background(), guard, func(context.Context) (string, error) {
		<-release // bleve, busy
		return "too late", nil
	})
	fmt.Println(errors.Is(err, serve.ErrLate), serve.Status(err))
	// Output: true 503
}
