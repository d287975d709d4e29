package cluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// The file of the sets has, for each document, another one of its set, 32 bits,
// little-endian; and then a bit for each, which tells whether it equals another.

// save writes the sets, and takes the rows of the kinds away that are joined.
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

// sweep removes what stands there of kinds that are joined.
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

// remove removes files; one that is not there was removed before a crash.
func remove(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func writeNumbers(w *bufio.Writer, all []uint32) error {
	var buf [4]byte
	for _, n := range all {
		binary.LittleEndian.PutUint32(buf[:], n)
		if _, err := w.Write(buf[:]); err != nil {
			return err
		}
	}
	return nil
}

func readNumbers(r io.Reader, all []uint32) error {
	var buf [16 << 10]byte
	for len(all) > 0 {
		n := min(len(all), len(buf)/4)
		if _, err := io.ReadFull(r, buf[:4*n]); err != nil {
			return err
		}
		for i := range n {
			all[i] = binary.LittleEndian.Uint32(buf[4*i:])
		}
		all = all[n:]
	}
	return nil
}
