package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// open opens an index, of type neardup if signed.
func open(path string, readOnly, signed bool) (bleve.Index, error) {
	x, err := documents.Open(path, readOnly)
	if err != nil || !signed {
		return x, err
	}
	inner, err := x.Advanced()
	if err == nil {
		if _, ok := inner.(*indextype.Index); ok {
			return x, nil
		}
		names, _ := fieldNames(x) // what is wrong with these is not what is wrong
		err = fmt.Errorf("%s: wanted an index of type %q, got one without signatures, in which nothing folds: the command backfill makes one of it, with --text and some of its fields, %q", path, indextype.Name, names)
	}
	x.Close()
	return nil, err
}

// with opens an index of type neardup, to be read alone or to be written to, calls do, and closes it.
func with(path string, readOnly bool, do func(bleve.Index, *indextype.Index) error) error {
	x, err := open(path, readOnly, true)
	if err != nil {
		return err
	}
	inner, err := plugin.Of(x)
	if err == nil {
		err = do(x, inner)
	}
	if cerr := x.Close(); err == nil {
		err = cerr
	}
	return err
}

// free reports whether a new index can be made at path.
func free(path string) bool {
	entries, err := os.ReadDir(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0
}

// contents reads a file, or standard input for "-".
func (a *app) contents(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(a.stdin)
	}
	return os.ReadFile(path)
}
