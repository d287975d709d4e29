package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
)

// Purge erases from the files of x what was deleted or replaced before: texts, signatures,
// tags, terms and ids of documents, and marks that were taken back. bleve's Delete only notes
// that a document is gone. Purge rewrites the segments that have such documents, which takes
// room for the largest of them, and waits until scorch has removed the old ones. Others may
// read and write meanwhile; where there is only one segment, readers wait for a moment, a
// second at most.
//
// It returns an error for an index in memory, one that is open with read_only, and one that
// keeps several snapshots (scorch's numSnapshotsToKeep); and ctx's if that ends while a search
// or a copy that began before is in the way.
//
// Free pages of the file root.bolt, and the names of fields, are not erased: internal values
// that were replaced, such as marks, may stay in the former until they are used again. For
// these, close the index and call Scrub; or take a copy with bleve's IndexCopyable, which has
// neither free pages nor old segments. SECURITY.md says what stays in spite of that.
func Purge(ctx context.Context, x bleve.Index) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	return n.Purge(ctx)
}

// scrubbed is the name of the file that Scrub writes, beside root.bolt.
const scrubbed = "root.bolt.scrubbed"

// Scrub rewrites the file root.bolt of a closed index on disk, with what is in it and
// without its free pages, in which bleve leaves internal values that were deleted or
// replaced: marks that were taken back, a policy, how far a backfill had come. Call it after
// Purge and Close. No other process may open the index meanwhile: Scrub returns an error
// after 3 s if one has it open for writing. If Scrub is stopped, the index is as it was.
func Scrub(path string) (err error) {
	x, err := bleve.OpenUsing(path, map[string]any{"read_only": true, "bolt_timeout": "3s"})
	if _, bleves := err.(bleve.Error); bleves {
		return err
	}
	if err != nil {
		return fmt.Errorf("plugin: %s: wanted an index that no other process writes to: %w", path, err)
	}
	// The file is put in its place as long as nobody can open it for writing.
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
	store := filepath.Join(path, "store")
	file := filepath.Join(store, scrubbed)
	defer os.Remove(file) // which is gone unless something went wrong
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := source.CopyTo(boltAlone(file)); err != nil {
		return fmt.Errorf("plugin: %s: %w", path, err)
	}
	if err := os.Rename(file, filepath.Join(store, "root.bolt")); err != nil {
		return err
	}
	dir, err := os.Open(store)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// boltAlone is the name of a file that takes root.bolt when an index is copied; nothing takes
// what else there is.
type boltAlone string

// GetWriter implements index.Directory.
func (f boltAlone) GetWriter(path string) (io.WriteCloser, error) {
	switch filepath.Base(path) {
	case "root.bolt":
		return os.OpenFile(string(f), os.O_RDWR|os.O_CREATE, 0o600)
	case "index_meta.json":
		return nowhere{io.Discard}, nil
	}
	return nil, nil // scorch leaves it out
}

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }
