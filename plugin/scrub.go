package plugin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
)

// bolt is the name of the files that Scrub rewrites, and scrubbed is what the names of their copies end with.
const (
	bolt     = "root.bolt"
	scrubbed = ".scrubbed"
)

// Scrub rewrites the file root.bolt of a closed index on disk, and the one of its marks, without
// their free pages. bleve leaves internal values there that were deleted or replaced: an old
// policy, the progress of a backfill. Call Scrub after Index.Purge of package indextype and Close. No other process must
// have the index open for writing: Scrub returns an error after three seconds if one has. If
// Scrub is interrupted, the index is as it was.
func Scrub(path string) (err error) {
	x, err := bleve.OpenUsing(path, map[string]any{"read_only": true, "bolt_timeout": "3s"})
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
	if _, err := Of(x); err != nil {
		return err
	}
	source, ok := x.(bleve.IndexCopyable)
	if !ok {
		return fmt.Errorf("plugin: %s: wanted an index that can be copied, got a %T", path, x)
	}
	if err := rewrite(path, source); err != nil {
		return fmt.Errorf("plugin: %s: %w", path, err)
	}
	return nil
}

// rewrite puts copies of the files in their place. source is the index at path.
func rewrite(path string, source bleve.IndexCopyable) (err error) {
	d := &bolts{path: path}
	defer func() { err = errors.Join(err, d.remove()) }()
	if err := source.CopyTo(d); err != nil {
		return err
	}
	for _, file := range d.files {
		if err := replace(file); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the copy of a file in its place.
func replace(file string) error {
	if err := os.Rename(file+scrubbed, file); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// bolts is the index.Directory to which Scrub copies: it keeps the files root.bolt alone, each beside the one of which it is a copy.
type bolts struct {
	path  string
	files []string // that were copied
}

// GetWriter implements index.Directory.
func (d *bolts) GetWriter(path string) (io.WriteCloser, error) {
	switch filepath.Base(path) {
	case bolt:
		file := filepath.Join(d.path, path)
		d.files = append(d.files, file)
		// What is there is of a Scrub that was interrupted.
		return os.OpenFile(file+scrubbed, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	case "index_meta.json":
		return nowhere{io.Discard}, nil // here bleve takes no nil
	}
	return nil, nil // scorch leaves it out
}

// remove removes the copies that were not put in place.
func (d *bolts) remove() (err error) {
	for _, file := range d.files {
		if wrong := os.Remove(file + scrubbed); !errors.Is(wrong, os.ErrNotExist) {
			err = errors.Join(err, wrong)
		}
	}
	return err
}

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }
