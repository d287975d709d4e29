package engine

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// What scorch cannot keep on disk it has in memory, where searches find it, and tries again until there is room. But if
// scorch waits for the disk, it closes the segment that it could not keep, and goes on using it: then a search panics,
// or scorch's persister, where nobody can recover. So an Engine has scorch not wait, and waits itself. From the first
// failure until all is on disk it writes nothing more: a copy could otherwise be rejected for the sake of a document
// that is lost with the process.

// failure is what scorch's persister said, and the epoch of the newest snapshot on disk.
type failure struct {
	err   error
	epoch uint64
}

// pause is how long scorch waits before it tries again. It would not wait at all.
const pause = 100 * time.Millisecond

// callback is the name under which scorch finds what it tells errors of its goroutines to, and opened has, by path, whose they are.
const callback = "neardup"

var opened sync.Map // string -> *Engine

func init() {
	scorch.RegistryAsyncErrorCallbacks[callback] = func(err error, path string) {
		if e, ok := opened.Load(path); ok {
			e.(*Engine).fail(err)
		}
	}
}

// fail is what one of scorch's goroutines calls with an error, before it tries again.
func (e *Engine) fail(err error) {
	if e.tell != nil {
		e.tell(err, e.path)
	}
	var of *scorch.ScorchError
	switch errors.As(err, &of); {
	case of == nil || of.ErrType == scorch.ErrCleanup:
		return
	case of.Source != "merger":
		e.failed.Store(&failure{err, e.epoch()})
	default:
		if failed := e.merging.Load(); failed != nil {
			select {
			case *failed <- err:
			default: // it has one
			}
		}
	}
	time.Sleep(pause)
}

// refused returns an error as long as there is something that scorch failed to keep.
func (e *Engine) refused() error {
	if f := e.failed.Load(); f != nil && f.epoch == e.epoch() {
		return fmt.Errorf("neardup: wanted the last writes on disk before there are others, got %w", f.err)
	}
	return nil
}

// epoch is the epoch of the newest snapshot on disk.
func (e *Engine) epoch() uint64 {
	return atomic.LoadUint64(&e.Scorch.Stats().(*scorch.Stats).LastPersistedEpoch)
}
