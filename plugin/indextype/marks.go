package indextype

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// openMarks opens the marks. Those of another form are no reason not to open the index with read_only: then it is reading
// marks that returns the error.
func (x *Index) openMarks() error {
	snapshot, err := column.Snapshot(x.Scorch)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	err = x.marks.Open(snapshot.Internal())
	if !errors.Is(err, signature.ErrVersion) {
		return err
	}
	if x.readOnly {
		return nil
	}
	return fmt.Errorf("neardup: %w; package plugin/backfill makes a new index of this one, opened with read_only; Options.Fresh leaves the marks behind, and texts can be marked again", err)
}

// writeMarks writes a batch of marks, which has nothing else: marks and documents are kept in two places, and
// cannot be written as one. The gate must have been entered alone, unless dry is set: then nothing is written.
func (x *Index) writeMarks(batch *index.Batch, internal map[string][]byte, marks int, dry bool) error {
	if others := len(internal) - marks; len(batch.IndexOps)+others > 0 {
		return fmt.Errorf("neardup: wanted a batch of marks alone, got one of %d marks with %d documents and %d other internal values", marks, len(batch.IndexOps), others)
	}
	switch {
	case dry:
		return x.gate.CheckMarks(internal)
	case x.closed.Load():
		return ErrClosed
	case x.readOnly:
		return errReadOnly
	}
	err := x.gate.WriteMarks(internal)
	if persisted := batch.PersistedCallback(); persisted != nil && err == nil {
		persisted(nil)
	}
	return err
}

// announceMarks keeps the internal value that says that the index has marks. Also with bleve's setting unsafe_batch
// it waits until that is on disk.
func (x *Index) announceMarks(value []byte) error {
	done := make(chan error, 1)
	b := index.NewBatch()
	b.SetInternal([]byte(markstore.Key), value)
	b.SetPersistedCallback(func(err error) { done <- err })
	if err := x.write(b); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-time.After(longAnnounce):
		return fmt.Errorf("neardup: marks: wanted an internal value on disk after %v, got none: bleve says why in asyncErrorCallbackName", longAnnounce)
	}
}

// longAnnounce is how long the first mark waits for the disk. scorch tries again for as long as the disk is full.
const longAnnounce = 10 * time.Second

// keepUses keeps how often marks were used, if that is due. It comes before a write of documents, so that an error of either is one
// with which no document was written.
func (x *Index) keepUses() error {
	if x.closed.Load() || x.readOnly {
		return nil // and the write says why
	}
	return x.gate.KeepUses(false)
}

// Marks returns the marks in the order of their names, including expired ones.
func (x *Index) Marks() ([]admission.Mark, error) {
	if x.closed.Load() {
		return nil, ErrClosed
	}
	return x.gate.Marks()
}

// CopyReader returns what bleve copies an index with: the index, and its marks as they are at that moment. It
// waits for writes that have begun.
func (x *Index) CopyReader() index.CopyReader {
	leave, err := x.gate.Enter(context.Background(), true)
	if err != nil {
		return nil
	}
	defer leave()
	if !x.readOnly {
		_ = x.gate.KeepUses(true) // else the copy has those of a minute ago, as after a crash
	}
	main := x.Scorch.CopyReader()
	if column.Nil(main) {
		return nil
	}
	both, err := x.marks.Join(main)
	if err != nil {
		_ = main.CloseCopyReader()
		return nil
	}
	return both
}

// FileWriterIDsInUse returns the ids of the file callbacks with which the index and its marks are written, or an error if
// it is in memory or closed.
func (x *Index) FileWriterIDsInUse() (map[string]struct{}, error) {
	if err := x.onDisk(); err != nil {
		return nil, err
	}
	all, err := x.Scorch.FileWriterIDsInUse()
	if err != nil {
		return nil, err
	}
	marks, err := x.marks.FileWriterIDsInUse()
	maps.Copy(all, marks)
	return all, err
}

// DropFileWriterIDs writes anew what is written with one of these ids. It returns an error if the index is in memory, closed, or
// open with read_only.
func (x *Index) DropFileWriterIDs(ids map[string]struct{}) error {
	err := x.onDisk()
	switch {
	case err != nil:
		return err
	case x.readOnly:
		return errReadOnly
	}
	if err := x.Scorch.DropFileWriterIDs(ids); err != nil {
		return err
	}
	leave, err := x.gate.Enter(context.Background(), true)
	if err != nil {
		return err
	}
	defer leave()
	return x.marks.DropFileWriterIDs(ids)
}

// onDisk returns an error unless the index is open, and on disk: scorch asks root.bolt for ids, and panics without one.
func (x *Index) onDisk() error {
	switch {
	case x.closed.Load():
		return ErrClosed
	case x.inMemory:
		return errors.New("neardup: wanted an index on disk, got one in memory")
	}
	return nil
}
