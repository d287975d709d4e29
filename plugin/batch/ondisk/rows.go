package ondisk

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// row is an entry of a document under a key.
type row struct {
	key uint64
	doc uint32
}

// rowSize is the size of a row on disk: key and document, both big-endian, so that the
// bytes of rows sort as the rows do.
const rowSize = 12

// sortRows sorts rows by key, and rows with the same key by document.
func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.doc, b.doc)
	})
}

// writeRows writes rows to a new file. It need not outlive a crash.
func (j *Job) writeRows(path string, rows []row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	for _, r := range rows {
		data := binary.BigEndian.AppendUint64(w.AvailableBuffer(), r.key)
		w.Write(binary.BigEndian.AppendUint32(data, r.doc)) // Flush returns its error
	}
	return errors.Join(w.Flush(), f.Close())
}

// rowReader reads the rows of one file.
type rowReader struct {
	file *os.File
	in   *bufio.Reader
	row  row
	run  int
}

func openRows(path string, run, buffer int) (*rowReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &rowReader{file: f, in: bufio.NewReaderSize(f, buffer), run: run}, nil
}

// next reads the next row, and returns false at the end.
func (r *rowReader) next() (bool, error) {
	var buf [rowSize]byte
	if _, err := io.ReadFull(r.in, buf[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	r.row = row{binary.BigEndian.Uint64(buf[:]), binary.BigEndian.Uint32(buf[8:])}
	return true, nil
}

// The least and the greatest buffer for a file that is merged, in bytes.
const (
	minBuffer = 4 << 10
	maxBuffer = 1 << 20
)

// merge yields the rows of sorted files in the order of their keys, and rows with the same
// key in the order of the files. It is a heap of the files, ordered by their next rows.
type merge struct{ heap []*rowReader }

// openMerge opens files for a merge in that many bytes of memory.
func openMerge(paths []string, memory int64) (*merge, error) {
	m := &merge{}
	buffer := int(min(max(memory/int64(max(1, len(paths))), minBuffer), maxBuffer))
	for i, path := range paths {
		r, err := openRows(path, i, buffer)
		if err != nil {
			m.close()
			return nil, err
		}
		ok, err := r.next()
		if !ok {
			r.file.Close()
			if err != nil {
				m.close()
				return nil, err
			}
			continue
		}
		m.heap = append(m.heap, r)
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

func (m *merge) close() {
	for _, r := range m.heap {
		r.file.Close()
	}
}

// next returns the next row, and false at the end.
func (m *merge) next() (row, bool, error) {
	if len(m.heap) == 0 {
		return row{}, false, nil
	}
	first := m.heap[0]
	out := first.row
	more, err := first.next()
	if err != nil {
		return row{}, false, err
	}
	if !more {
		first.file.Close()
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.down(0)
	return out, true, nil
}

func (m *merge) less(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	return a.row.key < b.row.key || a.row.key == b.row.key && a.run < b.run
}

func (m *merge) down(i int) {
	for {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && m.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
