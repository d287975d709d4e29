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

// Scrub puts copies of the files root.bolt, which have no free pages, in the places of those files: the index has one,
// and its marks have one. source is the index at path, opened with read_only so that no other process writes to it.
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

// bolts is a place for the files root.bolt of an index that is copied: beside the ones that it has. It discards all other files.
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
		return nowhere{io.Discard}, nil
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
