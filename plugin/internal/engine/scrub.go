package engine

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	index "github.com/blevesearch/bleve_index_api"
)

// bolt is the name of the files that Scrub rewrites, and scrubbed is what the names of their copies end with.
const (
	bolt     = "root.bolt"
	scrubbed = ".scrubbed"
)

// Scrub replaces the file root.bolt of an index, and the one of its marks, by copies, which have no free pages. source is the
// index at path, opened with read_only so that no other process writes to it.
func Scrub(path string, source interface{ CopyTo(index.Directory) error }) (err error) {
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
