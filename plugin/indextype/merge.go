package indextype

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
)

// ForceMerge is scorch's, which merges the segments into one if o is nil. It returns errors
// where scorch waits for ever, as there is nobody to merge: of an index in memory, or one
// that was opened with read_only. If ctx is done before the merge, its error is returned.
func (x *Index) ForceMerge(ctx context.Context, o *mergeplan.MergePlanOptions) error {
	switch {
	case ctx == nil:
		return errors.New("neardup: wanted a context, got nil")
	case x.closed.Load():
		return ErrClosed
	case x.readOnly:
		return errReadOnly
	case x.inMemory:
		return errors.New("neardup: wanted an index on disk to merge, got one in memory")
	}
	if err := x.Scorch.ForceMerge(ctx, o); err != nil {
		return err
	}
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}
