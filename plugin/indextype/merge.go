package indextype

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
)

// ForceMerge calls scorch's ForceMerge, which merges the segments into one if o is nil. It
// returns an error for an index in memory or opened with read_only: scorch would wait for
// ever, because nothing merges there. If ctx ends before the merge, it returns ctx's error.
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

// Purge rewrites all segments that have deleted documents. When it returns, no file of the
// index has anything left of documents that were deleted or replaced before the call, except for
// the free pages of root.bolt: plugin.Scrub erases these. Others can read and write meanwhile.
// Purge waits for searches and copies that began earlier, until ctx ends.
func (x *Index) Purge(ctx context.Context) error {
	if x.readOnly {
		return errReadOnly
	}
	return x.purger.Run(ctx)
}
