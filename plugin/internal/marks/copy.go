package marks

import (
	"errors"
	"io"
	"path/filepath"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
)

// Join returns a CopyReader that copies an index, main, and then the marks as they are now; nil if either is closed.
func (s *Store) Join(main index.CopyReader) index.CopyReader {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case column.Nil(main):
		return nil
	case s.closed:
		_ = main.CloseCopyReader()
		return nil
	case s.own == nil: // bleve copies nothing that is in memory
		return main
	}
	return &joined{main, s.own.CopyReader()}
}

// joined copies two indexes, one into the folder of the other.
type joined struct {
	index.CopyReader
	marks index.CopyReader
}

// CopyTo implements index.CopyReader.
func (j *joined) CopyTo(d index.Directory) error {
	if err := j.CopyReader.CopyTo(d); err != nil {
		return err
	}
	return j.marks.CopyTo(below{d})
}

// CloseCopyReader implements index.CopyReader.
func (j *joined) CloseCopyReader() error {
	return errors.Join(j.CopyReader.CloseCopyReader(), j.marks.CloseCopyReader())
}

// below is where the marks go when the index goes to a Directory.
type below struct{ index.Directory }

// GetWriter implements index.Directory.
func (b below) GetWriter(path string) (io.WriteCloser, error) {
	folder, file := filepath.Split(path)
	return b.Directory.GetWriter(filepath.Join(folder, Folder, file))
}

// FileWriterIDsInUse returns the ids of the file callbacks by which marks are written, as scorch does.
func (s *Store) FileWriterIDsInUse() (map[string]struct{}, error) {
	if own := s.there(); own != nil {
		return own.FileWriterIDsInUse()
	}
	return nil, nil
}

// DropFileWriterIDs writes anew what is written with one of these ids, as scorch does.
func (s *Store) DropFileWriterIDs(ids map[string]struct{}) error {
	if own := s.there(); own != nil {
		return own.DropFileWriterIDs(ids)
	}
	return nil
}
