package ondisk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// The file of the sets has, for each document, another document of its set, 32 bits,
// little-endian. Then it has a bit for each document, which is set if it equals another.

// setsPath returns the path of the sets after that many kinds of keys.
func (j *Job) setsPath(joined int) string { return j.path(fmt.Sprintf("sets-%02d", joined)) }

// restore reads the sets as they were when the last kind of key was done.
func (r *run) restore() error {
	n := int(r.m.Documents)
	r.parent, r.equal = make([]uint32, n), make(bitmap, (n+7)/8)
	r.sets = table.NewSets(r.m.Rule, r.parent)
	if r.m.Joined == 0 {
		for i := range r.parent {
			r.parent[i] = uint32(i)
		}
		return nil
	}
	f, err := os.Open(r.setsPath(r.m.Joined))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := readNumbers(f, r.parent); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	if _, err := io.ReadFull(f, r.equal); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

// save writes the sets, and removes the rows of kinds that are joined.
func (r *run) save() error {
	err := r.writeFile(r.setsPath(r.m.Joined), func(w *bufio.Writer) error {
		if err := writeNumbers(w, r.parent); err != nil {
			return err
		}
		_, err := w.Write(r.equal)
		return err
	})
	if err != nil {
		return err
	}
	if err := r.commit(); err != nil {
		return err
	}
	return r.sweep()
}

// sweep removes the files of kinds that are joined.
func (r *run) sweep() error {
	for kind := range r.m.Joined {
		gone := []string{r.setsPath(kind)}
		for run := range r.m.Runs {
			gone = append(gone, r.runPath(kind, run))
		}
		if err := remove(gone); err != nil {
			return err
		}
	}
	return nil
}

// remove removes files. A file that does not exist was removed before a crash.
func remove(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func writeNumbers(w *bufio.Writer, all []uint32) error {
	for part := range slices.Chunk(all, 4<<10) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

func readNumbers(r io.Reader, all []uint32) error {
	for part := range slices.Chunk(all, 4<<10) {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}
