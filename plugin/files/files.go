// Package files does what an index's files need now and then: it merges segments, and erases deleted documents.
package files

import (
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/internal/typed"
)

// Merge merges the segments of x, an index of type neardup on disk, into one. Searches
// are then faster, as long as little is written. It returns when the merge is done, or with
// ctx's error if ctx ends first. It calls scorch's ForceMerge, which a program can also reach
// by asserting what Advanced returns to
//
//	interface{ ForceMerge(context.Context, *mergeplan.MergePlanOptions) error }
func Merge(ctx context.Context, x bleve.Index) error {
	n, err := typed.Index("files", x)
	if err != nil {
		return err
	}
	return n.ForceMerge(ctx, nil)
}

// Purge erases what was deleted or replaced earlier from the files of x: texts, signatures,
// tags, terms and ids of documents, and removed marks. bleve's Delete only notes that a
// document is gone. Purge rewrites the segments that have such documents, for which it needs
// free disk space as large as the largest of them, and waits until scorch has removed the old
// segments. Others can read and write meanwhile. If there is only one segment, readers wait
// for at most a second.
//
// It returns an error for an index in memory, an index that is open with read_only, and an
// index that keeps several snapshots (scorch's numSnapshotsToKeep). It returns ctx's error if
// ctx ends while an earlier search or copy still uses old files.
//
// Purge does not erase names of fields, nor free pages of the file root.bolt. Internal values
// that were replaced, such as a policy, can stay in free pages until bbolt uses these again. To
// erase them, close the index and call Scrub, or make a copy with bleve's IndexCopyable: a
// copy has neither free pages nor old segments. SECURITY.md says what stays nevertheless.
func Purge(ctx context.Context, x bleve.Index) error {
	n, err := typed.Index("files", x)
	if err != nil {
		return err
	}
	return n.Purge(ctx)
}
