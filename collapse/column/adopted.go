package column

import (
	"errors"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// errNoContext is the error where there must be a context.
var errNoContext = errors.New("neardup: wanted a context, got nil")

// Adopted reports whether reader is a snapshot of an index of type neardup, which stores
// the signatures of what is written.
func Adopted(reader index.IndexReader) bool {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	return ok && of(snapshot) != nil
}

// Nil reports whether reader is none: scorch hands out a nil snapshot, without an error,
// once it is closed.
func Nil(reader index.IndexReader) bool {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	return reader == nil || ok && snapshot == nil
}
