package indextype

import "errors"

// ErrClosed is the error of an index after Close. It is also bleve.ErrorIndexClosed, as
// errors.Is sees it.
var ErrClosed error = closedError{}

// closedError has the words of bleve.ErrorIndexClosed and is compared by them: this package
// does not import package bleve.
type closedError struct{}

func (closedError) Error() string          { return "index is closed" }
func (e closedError) Is(target error) bool { return target.Error() == e.Error() }

// errReadOnly is the error of writes to an index that was opened with read_only. Nothing
// persists a write then, and scorch would wait for ever.
var errReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")
