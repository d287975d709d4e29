package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// One that gives up takes nobody's place: who asks to be alone afterwards waits until all others have left.
func TestEnterAfterGivingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gate.New(nil, marks.Of(marks.NewStore(nil, nil, nil)))
		enter := func(ctx context.Context) (in chan func(), failed chan error) {
			in, failed = make(chan func(), 1), make(chan error, 1)
			go func() {
				if leave, err := g.Enter(ctx, true); err != nil {
					failed <- err
				} else {
					in <- leave
				}
			}()
			synctest.Wait()
			return in, failed
		}
		var inside []func()
		for range 2 {
			leave, err := g.Enter(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			inside = append(inside, leave)
		}
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			_, failed := enter(ctx)
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
		}
		alone, _ := enter(t.Context())
		for _, leave := range inside {
			if len(alone) > 0 {
				t.Fatal("it is in beside another")
			}
			leave()
			synctest.Wait()
		}
		if len(alone) == 0 {
			t.Fatal("it is not in when all others have left")
		}
		(<-alone)()
	})
}
