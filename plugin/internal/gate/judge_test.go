package gate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// policy accepts everything.
var policy = new(admission.Policy)

// A batch that waits lets others pass eight times, and then none. Whenever it gives up, others
// come through again. Batches that only delete need no index.
func TestGiveUpAfterWaits(t *testing.T) {
	t.Parallel()
	for waits := range 12 {
		t.Run(fmt.Sprint(waits), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := gate.New(nil, marks.Of(marks.NewStore(nil, nil, nil)))
				judge := func(ctx context.Context, deletes ...string) (done chan error) {
					done = make(chan error, 1)
					go func() {
						a, err := g.Judge(ctx, policy, nil, deletes, false)
						if err == nil {
							a.Close()
						}
						done <- err
					}()
					synctest.Wait()
					return done
				}
				var ids []string
				var flights []*gate.Admission
				for i := range waits + 1 {
					id := fmt.Sprint("d", i)
					a, err := g.Judge(t.Context(), policy, nil, []string{id}, false)
					if err != nil {
						t.Fatal(err)
					}
					ids, flights = append(ids, id), append(flights, a)
				}
				ctx, cancel := context.WithCancel(t.Context())
				batch := judge(ctx, ids...)
				for _, a := range flights[:waits] {
					a.Close()
					synctest.Wait()
				}
				other := judge(t.Context(), "other")
				if passed := len(other) == 1; passed != (waits < 8) {
					t.Errorf("another batch passes: %v", passed)
				}
				cancel()
				synctest.Wait()
				if len(batch) != 1 || !errors.Is(<-batch, context.Canceled) {
					t.Fatal("the batch goes on, or its error is not that of its context")
				}
				if waits >= 8 && len(other) != 1 || <-other != nil {
					t.Error("the other batch does not come through")
				}
				last := judge(t.Context(), ids...)
				flights[waits].Close()
				if err := <-last; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Where bleve panics at a damaged file, the batch gets an error, and the next one its turn.
func TestDamaged(t *testing.T) {
	t.Parallel()
	g := gate.New(func() (index.IndexReader, error) { panic("slice bounds out of range") }, marks.Of(marks.NewStore(nil, nil, nil)))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := g.Judge(ctx, policy, []*gate.Document{{ID: "a"}}, nil, false)
		if cancel(); !errors.Is(err, signature.ErrMalformed) {
			t.Errorf("got %v", err)
		}
	}
}
