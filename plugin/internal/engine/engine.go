// Package engine is scorch with an error where scorch panics, or waits for what never comes: if the index is closed, in memory or
// open with read_only, and after a write that failed. It also erases deleted documents from the files. An index of type neardup
// is one Engine, and its marks are another.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
)

// ErrClosed is the error of an Engine after Close. It is also bleve.ErrorIndexClosed, as errors.Is sees it.
var ErrClosed error = closedError{}

// closedError has the words of bleve.ErrorIndexClosed and is compared by them: bleve's own tests are compiled with the index type,
// which therefore cannot import package bleve.
type closedError struct{}

func (closedError) Error() string          { return "index is closed" }
func (e closedError) Is(target error) bool { return target.Error() == e.Error() }

// ErrReadOnly is the error of writes to an index that was opened with read_only. Nothing
// persists a write then, and scorch would wait for ever.
var ErrReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")

// Engine is a scorch index. It is safe for concurrent use. All must be written by Engine.Batch: scorch's other methods that
// write, such as Update, call scorch's own Batch.
type Engine struct {
	*scorch.Scorch
	readOnly bool
	path     string // of the segments, "" in memory
	keep     int    // how many snapshots scorch keeps

	closed  atomic.Bool
	close   func() error
	writing sync.RWMutex // locked by Close: a write that goes on after that would wait for ever
	purging sync.Mutex   // one Purge at a time
	readers sync.RWMutex // locked while Purge has its document in the index
}

// New returns the Engine of an index with these settings of scorch's. It must be opened.
func New(storeName string, config map[string]any, queue *index.AnalysisQueue) (*Engine, error) {
	inner, err := scorch.NewScorch(storeName, config, queue)
	if err != nil {
		return nil, err
	}
	e := &Engine{Scorch: inner.(*scorch.Scorch), keep: scorch.NumSnapshotsToKeep}
	e.readOnly, _ = config["read_only"].(bool)
	e.path, _ = config["path"].(string)
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
	if err = e.endPurge(); err != nil {
		err = errors.Join(err, e.Close())
	}
	return err
}

// OpenMeta opens the files for a change of the mapping, before Open.
func (e *Engine) OpenMeta() error { return e.guarded(e.Scorch.OpenMeta) }

// guarded calls open, which opens the files. Where these are damaged, bolt and zap panic, and leave bolt's file locked: guarded
// makes an error of the panic, and closes the file.
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

// Writable returns an error if nothing can be written.
func (e *Engine) Writable() error {
	switch {
	case e.closed.Load():
		return ErrClosed
	case e.readOnly:
		return ErrReadOnly
	}
	return nil
}

// Batch writes a batch. After a write that failed because the disk was full, scorch panics until there is room again:
// Batch then returns an error.
func (e *Engine) Batch(b *index.Batch) (err error) {
	e.writing.RLock()
	defer e.writing.RUnlock()
	if err := e.Writable(); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("neardup: scorch failed to write, perhaps because an earlier write could not be kept: %v", p)
		}
	}()
	return e.Scorch.Batch(b)
}

// Persist writes a batch to x, and returns when it is on disk, also with scorch's setting unsafe_batch. If ctx ends
// first, it returns the error of ctx. It is no method: the index type embeds its Engine, and would have it, too.
func Persist(ctx context.Context, x *Engine, b *index.Batch) error {
	done := make(chan error, 1)
	b.SetPersistedCallback(func(err error) { done <- err })
	if err := x.Batch(b); err != nil {
		return err
	}
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond): // scorch does not call back if it is closed
			if x.closed.Load() {
				return ErrClosed
			}
		}
	}
}

// ForceMerge calls scorch's ForceMerge, which merges the segments into one if o is nil. It
// returns an error for an index in memory or opened with read_only: scorch would wait for
// ever, because nothing merges there. If ctx ends before the merge, it returns ctx's error.
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
	if err := e.Scorch.ForceMerge(ctx, o); err != nil {
		return err
	}
	if e.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// FileWriterIDsInUse returns the ids of the file callbacks with which the index is written, or an error if it is in memory
// or closed.
func (e *Engine) FileWriterIDsInUse() (map[string]struct{}, error) {
	if err := e.onDisk(); err != nil {
		return nil, err
	}
	return e.Scorch.FileWriterIDsInUse()
}

// DropFileWriterIDs writes anew what is written with one of these ids. It returns an error if the index is in memory, closed, or
// open with read_only.
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
