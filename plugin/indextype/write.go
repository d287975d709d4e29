package indextype

import (
	"errors"
	"fmt"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// errReadOnly is the error of writes to an index that was opened with read_only. Scorch
// has nobody to persist them then, and would wait for that for ever.
var errReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")

// Delete deletes one document.
func (x *Index) Delete(id string) error {
	b := index.NewBatch()
	b.Delete(id)
	return x.Batch(b)
}

// SetInternal writes an internal value.
func (x *Index) SetInternal(key, value []byte) error {
	b := index.NewBatch()
	b.SetInternal(key, value)
	return x.Batch(b)
}

// DeleteInternal deletes an internal value.
func (x *Index) DeleteInternal(key []byte) error {
	b := index.NewBatch()
	b.DeleteInternal(key)
	return x.Batch(b)
}

// write hands a batch to scorch, if there is anything in it. After a write that failed as
// the disk was full scorch panics in the next ones, until it has room again.
func (x *Index) write(batch *index.Batch) (err error) {
	if len(batch.IndexOps) == 0 && len(batch.InternalOps) == 0 && batch.PersistedCallback() == nil {
		return nil
	}
	if x.closed.Load() {
		return ErrClosed
	}
	if x.readOnly {
		return errReadOnly
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("neardup: scorch failed to write, perhaps as a write before could not be kept: %v", p)
		}
		for key := range batch.InternalOps {
			if strings.HasPrefix(key, admission.MarkPrefix) {
				x.gate.ForgetMarks()
				break
			}
		}
	}()
	if err = x.Scorch.Batch(batch); err == nil {
		x.counts.written(batch)
	}
	return err
}
