package indextype

import (
	"errors"

	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// ErrClosed is the error of an index after Close. It is also bleve.ErrorIndexClosed, as
// errors.Is sees it.
var ErrClosed = markstore.ErrClosed

// errReadOnly is the error of writes to an index that was opened with read_only. Nothing
// persists a write then, and scorch would wait for ever.
var errReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")
