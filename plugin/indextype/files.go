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
	_ = x.marks.KeepUses(true) // else the copy has the uses of a minute ago, as after a crash
	return x.store.Join(x.Scorch.CopyReader())
}

// Purge erases what was deleted or replaced earlier from the files: texts, signatures, tags, terms and ids of
// documents, and removed marks. It rewrites the segments that have such documents, for which it needs free disk space
// as large as the largest of them, and waits until scorch has removed the old segments. Others can read and write
// meanwhile. If there is only one segment, readers wait for at most a second.
//
// It returns an error for an index in memory, an index that is open with read_only, and an index that keeps several
// snapshots (scorch's numSnapshotsToKeep). It returns ctx's error if ctx ends while an earlier search or copy still
// uses old files.
//
// Purge does not erase names of fields, nor free pages of the file root.bolt, in which replaced internal values stay,
// such as an old policy: a copy by bleve's IndexCopyable has none.
// SECURITY.md says what stays nevertheless.
func (x *Index) Purge(ctx context.Context) error {
	if err := x.Engine.Purge(ctx); err != nil {
		return err
	}
	return x.store.Purge(ctx)
}

// FileWriterIDsInUse returns the ids of the file callbacks with which the index and its marks are written, or an error
// if it is in memory or closed.
func (x *Index) FileWriterIDsInUse() (map[string]struct{}, error) {
	all, err := x.Engine.FileWriterIDsInUse()
	if err != nil {
		return nil, err
	}
	marks, err := x.store.FileWriterIDsInUse()
	maps.Copy(all, marks)
	return all, err
}

// DropFileWriterIDs writes anew what is written with one of these ids. It returns an error if the index is in memory,
// closed, or open with read_only.
func (x *Index) DropFileWriterIDs(ids map[string]struct{}) error {
	if err := x.Engine.DropFileWriterIDs(ids); err != nil {
		return err
	}
	leave, err := x.gate.Enter(context.Background(), true)
	if err != nil {
		return err
	}
	defer leave()
	return x.store.DropFileWriterIDs(ids)
}
