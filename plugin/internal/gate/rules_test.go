package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// asker asks to be let in, and remembers whether it is in.
type asker struct {
	leave func()
	err   error
}

// ask asks from another goroutine, and returns when that waits or is done.
func ask(ctx context.Context, g *gate.Gate, alone bool) *asker {
	a := new(asker)
	go func() { a.leave, a.err = g.Enter(ctx, alone) }()
	synctest.Wait()
	return a
}

// Writers come in in the order in which they asked: marks that are written without end do not
// keep documents out, nor documents marks.
func TestRulesOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gate.New(nil, nil)
		in := func(askers ...*asker) (list []bool) {
			synctest.Wait()
			for _, a := range askers {
				list = append(list, a.leave != nil)
			}
			return list
		}
		check := func(what string, got []bool, want ...bool) {
			t.Helper()
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s: in are %v, want %v", what, got, want)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		document := ask(t.Context(), g, false)
		mark := ask(t.Context(), g, true)
		later := ask(t.Context(), g, false)
		another := ask(t.Context(), g, false)
		next := ask(t.Context(), g, true)
		given := ask(ctx, g, true)
		last := ask(t.Context(), g, false)
		all := []*asker{document, mark, later, another, next, given, last}
		check("at first", in(all...), true, false, false, false, false, false, false)
		document.leave()
		check("after the document", in(all...), true, true, false, false, false, false, false)
		mark.leave()
		check("after the mark", in(all...), true, true, true, true, false, false, false)
		cancel()
		if in(given); !errors.Is(given.err, context.Canceled) {
			t.Fatalf("got error %v, want %v", given.err, context.Canceled)
		}
		later.leave()
		later.leave() // again, which does nothing
		check("with one document", in(all...), true, true, true, true, false, false, false)
		another.leave()
		check("after the documents", in(all...), true, true, true, true, true, false, false)
		next.leave()
		check("at last", in(all...), true, true, true, true, true, false, true)
		last.leave()
		if leave, err := g.Enter(t.Context(), true); err != nil {
			t.Errorf("when all have left: got error %v", err)
		} else {
			leave()
		}
		if _, err := g.Enter(ctx, false); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want %v", err, context.Canceled)
		}
	})
}

// One that gives up lets in those that wait for it.
func TestRulesGiveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gate.New(nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		first := ask(t.Context(), g, false)
		ask(ctx, g, true)
		second := ask(t.Context(), g, false)
		if second.leave != nil {
			t.Fatal("a document passes a mark that asked before it")
		}
		cancel()
		synctest.Wait()
		if second.leave == nil {
			t.Fatal("a document waits for a mark that gave up")
		}
		first.leave()
		second.leave()
	})
}
