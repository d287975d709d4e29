// Package engine is scorch with an error where scorch panics, or waits for ever: if the index is closed, in memory or
// open with read_only, and while the disk is full. It also erases deleted documents from the files. An index of type
// neardup is one Engine, and its marks are another.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"
	zap "github.com/blevesearch/zapx/v17"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
)

// ErrClosed is the error of an Engine after Close. It is also bleve.ErrorIndexClosed, as errors.Is sees it.
var ErrClosed error = closedError{}

// closedError has the words of bleve.ErrorIndexClosed and is compared by them: bleve's own tests are compiled with the
// index type, which therefore cannot import package bleve.
type closedError struct{}

func (closedError) Error() string          { return "index is closed" }
func (e closedError) Is(target error) bool { return target.Error() == e.Error() }

// ErrReadOnly is the error of writes to an index that was opened with read_only. Nothing
// persists a write then, and scorch would wait for ever.
var ErrReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")

// For each new segment zap makes room for a hundred documents more than it has. An index in memory keeps that room, and
// never merges: 2,000 texts of 270 words, written one by one, took 4.9 GB, and take 56 MB without. The variable is
// zap's own, and changes all indexes of the process.
func init() { zap.NewSegmentBufferNumResultsBump = 0 }

// Engine is a scorch index. It is safe for concurrent use. All must be written by Engine.Batch: scorch's other methods
// that write, such as Update, call scorch's own Batch.
type Engine struct {
	*scorch.Scorch
	readOnly bool
	unsafe   bool                         // a write does not wait for the disk
	path     string                       // of the segments, "" in memory
	keep     int                          // how many snapshots scorch keeps
	tell     func(err error, path string) // the application's own asyncErrorCallback, or nil

	failed  atomic.Pointer[failure]    // the last one of the persister
	merging atomic.Pointer[chan error] // gets an error of the merger, for a ForceMerge that waits
	closed  atomic.Bool
	close   func() error
	writing sync.RWMutex // locked by Close: a write that goes on after that would wait for ever
	purging sync.Mutex   // one Purge at a time
	readers sync.RWMutex // locked while Purge has its document in the index
}

// New returns the Engine of an index with these settings of scorch's. It must be opened.
func New(storeName string, config map[string]any, queue *index.AnalysisQueue) (*Engine, error) {
	e := &Engine{keep: scorch.NumSnapshotsToKeep}
	e.readOnly, _ = config["read_only"].(bool)
	e.path, _ = config["path"].(string)
	e.unsafe, _ = config["unsafe_batch"].(bool)
	name, _ := config["asyncErrorCallbackName"].(string)
	e.tell = scorch.RegistryAsyncErrorCallbacks[name]
	own := map[string]any{}
	maps.Copy(own, config)
	own["unsafe_batch"], own["asyncErrorCallbackName"] = true, callback
	inner, err := scorch.NewScorch(storeName, own, queue)
	if err != nil {
		return nil, err
	}
	e.Scorch = inner.(*scorch.Scorch)
	switch n := config["numSnapshotsToKeep"].(type) {
	case int:
		e.keep = n
	case float64:
		e.keep = int(n)
	}
	e.close = sync.OnceValue(func() error {
		e.closed.Store(true)
		e.writing.Lock()
		defer e.writing.Unlock()
		opened.CompareAndDelete(e.path, e)
		return e.Scorch.Close()
	})
	return e, nil
}

// Open opens the index, and removes what an interrupted Purge has left. With an error the index is not open, and
// nothing holds its files.
func (e *Engine) Open() (err error) {
	if err = e.guarded(e.Scorch.Open); err != nil || e.readOnly {
		return err
	}
	if e.path != "" { // in memory nothing can fail
		opened.Store(e.path, e)
	}
	if err = e.endPurge(); err != nil {
		err = errors.Join(err, e.Close())
	}
	return err
}

// OpenMeta opens the files for a change of the mapping, before Open.
func (e *Engine) OpenMeta() error { return e.guarded(e.Scorch.OpenMeta) }

// guarded calls open, which opens the files. Where these are damaged, bolt and zap panic, and leave bolt's file locked:
// guarded makes an error of the panic, and closes the file.
func (e *Engine) guarded(open func() error) (err error) {
	defer func() {
		if errors.Is(err, signature.ErrMalformed) {
			defer func() { _ = recover() }() // perhaps there is nothing to close yet
			e.Scorch.Close()
		}
	}()
	defer column.Guard("files of the index", &err)
	return open()
}

// Reader returns a snapshot of the index.
func (e *Engine) Reader() (index.IndexReader, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	e.readers.RLock()
	r, err := e.Scorch.Reader()
	e.readers.RUnlock()
	if err == nil && column.Nil(r) {
		err = ErrClosed
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Writable returns an error if nothing can be written: the index is closed, or read_only, or its disk is full.
func (e *Engine) Writable() error {
	switch {
	case e.closed.Load():
		return ErrClosed
	case e.readOnly:
		return ErrReadOnly
	}
	return e.refused()
}

// Batch writes a batch, and returns when it is on disk; or with scorch's setting unsafe_batch, and in memory, before that.
func (e *Engine) Batch(b *index.Batch) error {
	if !e.unsafe && e.path != "" {
		return Persist(context.Background(), e, b)
	}
	e.writing.RLock()
	defer e.writing.RUnlock()
	return e.apply(b)
}

// apply writes a batch to memory.
func (e *Engine) apply(b *index.Batch) (err error) {
	if err := e.Writable(); err != nil {
		return err
	}
	defer column.Guard("files of the index", &err)
	return e.Scorch.Batch(b)
}

// Persist writes a batch to x, and returns when it is on disk, also with scorch's setting unsafe_batch. If ctx ends
// first, it returns the error of ctx. It is no method: the index type embeds its Engine, and would have it, too.
func Persist(ctx context.Context, x *Engine, b *index.Batch) error {
	x.writing.RLock()
	defer x.writing.RUnlock()
	own, told, kept := *b, b.PersistedCallback(), make(chan struct{})
	own.SetPersistedCallback(func(err error) {
		x.failed.Store(nil)
		if told != nil {
			told(err)
		}
		close(kept)
	})
	if err := x.apply(&own); err != nil {
		return err
	}
	for {
		select {
		case <-kept:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			if err := x.refused(); err != nil {
				return err
			}
		}
	}
}

// ForceMerge calls scorch's ForceMerge, which merges the segments into one if o is nil. It returns an error where
// scorch would wait for ever: for an index in memory or opened with read_only, and if the merge fails. If ctx ends
// before the merge, it returns ctx's error.
func (e *Engine) ForceMerge(ctx context.Context, o *mergeplan.MergePlanOptions) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	if err := e.Writable(); err != nil {
		return err
	}
	if e.path == "" {
		return errors.New("neardup: wanted an index on disk to merge, got one in memory")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done, failed := make(chan error, 1), make(chan error, 1)
	if e.merging.CompareAndSwap(nil, &failed) { // else scorch returns an error
		defer e.merging.Store(nil)
	}
	go func() { done <- e.Scorch.ForceMerge(ctx, o) }()
	select {
	case err := <-failed:
		return fmt.Errorf("neardup: merge: %w", err)
	case err := <-done:
		if err != nil {
			return err
		}
	}
	if e.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// FileWriterIDsInUse returns the ids of the file callbacks with which the index is written, or an error if it is in
// memory or closed.
func (e *Engine) FileWriterIDsInUse() (map[string]struct{}, error) {
	if err := e.onDisk(); err != nil {
		return nil, err
	}
	return e.Scorch.FileWriterIDsInUse()
}

// DropFileWriterIDs writes anew what is written with one of these ids. It returns an error if the index is in memory,
// closed, or open with read_only.
func (e *Engine) DropFileWriterIDs(ids map[string]struct{}) error {
	if err := cmp.Or(e.onDisk(), e.Writable()); err != nil {
		return err
	}
	return e.Scorch.DropFileWriterIDs(ids)
}

// onDisk returns an error unless the index is open, and on disk: scorch asks root.bolt for ids, and panics without one.
func (e *Engine) onDisk() error {
	switch {
	case e.closed.Load():
		return ErrClosed
	case e.path == "":
		return errors.New("neardup: wanted an index on disk, got one in memory")
	}
	return nil
}

// Close closes the index when the writes that have begun have ended. Closing it again does nothing, where scorch panics.
func (e *Engine) Close() error { return e.close() }
