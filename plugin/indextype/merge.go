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

// Purge erases from the files what was deleted or replaced before the call. It is what plugin.Purge calls,
// whose comment says what it needs and what it leaves.
func (x *Index) Purge(ctx context.Context) error {
	if x.readOnly {
		return errReadOnly
	}
	if err := x.purger.Run(ctx); err != nil {
		return err
	}
	return x.marks.Purge(ctx)
}
