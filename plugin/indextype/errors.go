package indextype

import "errors"

// ErrClosed is the error of what is asked of an index after Close. Errors.Is takes it for
// bleve.ErrorIndexClosed, too.
var ErrClosed error = closedError{}

// closedError has bleve's words, by which it is known to be bleve's error: this package
// does not import that of bleve which has it.
type closedError struct{}

func (closedError) Error() string          { return "index is closed" }
func (e closedError) Is(target error) bool { return target.Error() == e.Error() }

// errReadOnly is the error of writes to an index that was opened with read_only. Nothing
// persists them then, and scorch would wait for that for ever.
var errReadOnly = errors.New("neardup: wanted an index that is open for writing, got one with read_only")
