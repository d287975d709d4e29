package cluster

import (
	"errors"
	"io"

	"github.com/couchbase/cbgt"
)

// dest is what a cbgt.Dest has for feeds, which this package does not use: partitions
// read the log by themselves.
type dest struct{}

var errNoFeed = errors.New("cluster: partitions read the log, and take nothing from feeds")

func (dest) DataUpdate(string, []byte, uint64, []byte, uint64, cbgt.DestExtrasType, []byte) error {
	return errNoFeed
}

func (dest) DataDelete(string, []byte, uint64, uint64, cbgt.DestExtrasType, []byte) error {
	return errNoFeed
}
func (dest) SnapshotStart(string, uint64, uint64) error      { return errNoFeed }
func (dest) OpaqueGet(string) ([]byte, uint64, error)        { return nil, 0, nil }
func (dest) OpaqueSet(string, []byte) error                  { return errNoFeed }
func (dest) Rollback(string, uint64) error                   { return errNoFeed }
func (dest) Count(*cbgt.PIndex, <-chan bool) (uint64, error) { return 0, errNoFeed }
func (dest) Stats(w io.Writer) error                         { _, err := w.Write([]byte("{}")); return err }

func (dest) Query(*cbgt.PIndex, []byte, io.Writer, <-chan bool) error {
	return errNoFeed
}

func (dest) ConsistencyWait(string, string, string, uint64, <-chan bool) error { return errNoFeed }
