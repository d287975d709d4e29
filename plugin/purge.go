package plugin

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/internal/engine"
)

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
	n, err := inner(x)
	if err != nil {
		return err
	}
	return n.Purge(ctx)
}

// Scrub rewrites the file root.bolt of a closed index on disk, and the one of its marks, without
// their free pages. bleve leaves internal values there that were deleted or replaced: an old
// policy, the progress of a backfill. Call Scrub after Purge and Close. No other process must
// have the index open for writing: Scrub returns an error after three seconds if one has. If
// Scrub is interrupted, the index is as it was.
func Scrub(path string) (err error) {
	x, err := bleve.OpenUsing(path, map[string]any{"read_only": true, "bolt_timeout": lockTimeout})
	if _, bleves := err.(bleve.Error); bleves {
		return err
	}
	if err != nil {
		return fmt.Errorf("plugin: %s: wanted an index that no other process writes to: %w", path, err)
	}
	// As long as x is open, no other process can open the file for writing.
	defer func() {
		if cerr := x.Close(); err == nil {
			err = cerr
		}
	}()
	if _, err := inner(x); err != nil {
		return err
	}
	source, ok := x.(bleve.IndexCopyable)
	if !ok {
		return fmt.Errorf("plugin: %s: wanted an index that can be copied, got a %T", path, x)
	}
	if err := engine.Scrub(path, source); err != nil {
		return fmt.Errorf("plugin: %s: %w", path, err)
	}
	return nil
}
