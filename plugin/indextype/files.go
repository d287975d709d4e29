package indextype

import (
	"context"
	"maps"

	index "github.com/blevesearch/bleve_index_api"
)

// An index has the files of scorch and, in a folder among them, a second scorch index: its marks.

// CopyReader returns what bleve copies the index with: documents and marks of one moment, when the writes that have
// begun have ended.
func (x *Index) CopyReader() index.CopyReader {
	leave, err := x.gate.Enter(context.Background(), true)
	if err != nil {
		return nil
	}
	defer leave()
	_ = x.gate.KeepUses(true) // else the copy has the uses of a minute ago, as after a crash
	return x.marks.Join(x.Scorch.CopyReader())
}

// Purge is what files.Purge calls, whose comment says what it erases, needs and leaves.
func (x *Index) Purge(ctx context.Context) error {
	if err := x.Engine.Purge(ctx); err != nil {
		return err
	}
	return x.marks.Purge(ctx)
}

// FileWriterIDsInUse returns the ids of the file callbacks with which the index and its marks are written, or an error if
// it is in memory or closed.
func (x *Index) FileWriterIDsInUse() (map[string]struct{}, error) {
	all, err := x.Engine.FileWriterIDsInUse()
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
	if err := x.Engine.DropFileWriterIDs(ids); err != nil {
		return err
	}
	leave, err := x.gate.Enter(context.Background(), true)
	if err != nil {
		return err
	}
	defer leave()
	return x.marks.DropFileWriterIDs(ids)
}
