package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/internal/engine"
)

// TestBleveClosesWhatItUses is for bleve's maintainers: the smallest program that ends by a panic while a disk is full,
// or as here while a folder has another name. The Batch that could not be kept closes its segment (scorch.go, Batch:
// newSegment.Close), which the index goes on searching, and merges in a goroutine that nobody can recover. If this
// fails, bleve is fixed, and Engine can leave the wait for the disk to scorch.
func TestBleveClosesWhatItUses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	x, err := bleve.New(path, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := os.Rename(filepath.Join(path, "store"), filepath.Join(path, "away")); err != nil {
		t.Skip(err) // of open files, on some systems
	}
	if err := x.Index("a", map[string]any{"body": "some words"}); err == nil {
		t.Error("nothing failed")
	}
	defer func() {
		if recover() == nil {
			t.Error("bleve is fixed: its search does not panic")
		}
	}()
	_, _ = x.Search(bleve.NewSearchRequest(bleve.NewMatchQuery("words")))
}

// count is how many documents a search finds, by their ids.
func count(t *testing.T, e *engine.Engine, ids []string) (n int) {
	t.Helper()
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, id := range ids {
		f, err := r.TermFieldReader(t.Context(), []byte(id), "_id", false, false, false)
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Next(nil)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if d != nil {
			n++
		}
	}
	return n
}

// The disk does not take what is written: the writes of that time are errors, and so is what comes later, of which
// nothing is written; searches go on; with room again all is on disk that had come so far, and writes succeed. Here it
// is the folder that is gone, which is the same to scorch.
func TestFailure(t *testing.T) {
	t.Parallel()
	for _, unsafe := range []bool{false, true} {
		t.Run(fmt.Sprint("unsafe ", unsafe), func(t *testing.T) {
			t.Parallel()
			ctx, path := context.Background(), filepath.Join(t.TempDir(), "x")
			e := open(t, map[string]any{"path": path, "unsafe_batch": unsafe, "asyncErrorCallbackName": told})
			var ids []string
			for i := range 24 {
				ids = append(ids, fmt.Sprint("document ", i))
			}
			if err := engine.Persist(ctx, e, batch(ids[0])); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, path+" away"); err != nil {
				t.Skip(err) // of open files, on some systems
			}
			var all sync.WaitGroup
			for _, id := range ids[1:] {
				all.Go(func() {
					if err := e.Batch(batch(id)); !unsafe && !errors.Is(err, scorch.ErrPersist) {
						t.Errorf("got error %v", err)
					}
				})
			}
			all.Wait()
			for e.Writable() == nil { // unsafe
				time.Sleep(time.Millisecond)
			}
			there := count(t, e, ids)
			if there < 2 {
				t.Errorf("%d documents, want those that had come so far", there)
			}
			late := index.NewBatch()
			late.Update(document.NewDocument("late"))
			late.SetPersistedCallback(func(error) { t.Error("it is said to be on disk") })
			for name, err := range map[string]error{"Batch": e.Batch(late), "Persist": engine.Persist(ctx, e, late), "ForceMerge": e.ForceMerge(ctx, nil), "Purge": e.Purge(ctx)} {
				if !errors.Is(err, scorch.ErrPersist) {
					t.Errorf("%s: got error %v", name, err)
				}
			}
			if err := os.Rename(path+" away", path); err != nil {
				t.Fatal(err)
			}
			for e.Writable() != nil {
				time.Sleep(time.Millisecond)
			}
			if err := errors.Join(engine.Persist(ctx, e, batch("last")), e.ForceMerge(ctx, nil), e.Close()); err != nil {
				t.Fatal(err)
			}
			e = open(t, map[string]any{"path": path})
			if n, more := count(t, e, ids), count(t, e, []string{"last", "late"}); n != there || more != 1 {
				t.Errorf("%d documents and %d, want %d and 1", n, more, there)
			}
			if heard.Load() == 0 {
				t.Error("the application's callback was not called")
			}
		})
	}
}

// told is the name of an application's callback, and heard is how often it was called.
const told = "engine_test"

var heard atomic.Int64

func init() {
	scorch.RegistryAsyncErrorCallbacks[told] = func(error, string) { heard.Add(1) }
}

// A merge that fails ends, where scorch tries it for ever.
func TestMergeFails(t *testing.T) {
	t.Parallel()
	never := map[string]any{"MaxSegmentsPerTier": 1 << 20, "FloorSegmentSize": 1, "SegmentsPerMergeTask": 10, "MaxSegmentSize": 1 << 20, "TierGrowth": 1}
	path := filepath.Join(t.TempDir(), "x")
	e := open(t, map[string]any{"path": path, "scorchMergePlanOptions": never})
	for i := range 4 {
		if err := e.Batch(batch(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(path, path+" away"); err != nil {
		t.Skip(err)
	}
	if err := e.ForceMerge(t.Context(), nil); !errors.Is(err, scorch.ErrPersist) {
		t.Errorf("got error %v", err)
	}
	if err := os.Rename(path+" away", path); err != nil {
		t.Fatal(err)
	}
	for tries := 0; ; tries++ {
		err := e.ForceMerge(t.Context(), nil)
		if err == nil {
			break
		}
		if tries == 1000 {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if n := count(t, e, []string{"0", "1", "2", "3"}); n != 4 {
		t.Errorf("%d documents, want 4", n)
	}
}
