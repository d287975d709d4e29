package ondisk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// The store holds the documents, which are numbered from 0 in the order in which they were
// added:
//
//	signatures  for each document the same number of 64-bit words, little-endian:
//	            exact hash, simhash, tokens, shingles, and the words of the sketch
//	ids         the bytes of the ids, one after another
//	ids.ends    for each document where its id ends in ids, 64 bits, little-endian

// headWords is the number of words of a signature before the sketch.
const headWords = 4

// store has the three files.
type store struct {
	signatures, ids, ends *os.File
	sigOut, idOut, endOut *bufio.Writer
	words                 int // of a signature
	lanes                 int
	params                uint32
	buf                   []byte
}

func openStore(j *Job) (*store, error) {
	s := &store{}
	for name, f := range map[string]**os.File{"signatures": &s.signatures, "ids": &s.ids, "ids.ends": &s.ends} {
		var err error
		if *f, err = os.OpenFile(j.path(name), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	s.params, s.lanes = j.m.Params, j.o.Params.Lanes
	s.words = headWords + sketch.Words(s.lanes)
	s.buf = make([]byte, 8*s.words)
	// Data written after the last commit will be written again.
	err := errors.Join(
		cut(s.signatures, int64(j.m.Documents)*int64(8*s.words)),
		cut(s.ids, j.m.IDBytes), cut(s.ends, int64(j.m.Documents)*8),
	)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.sigOut, s.idOut, s.endOut = bufio.NewWriterSize(s.signatures, 1<<18), bufio.NewWriterSize(s.ids, 1<<16), bufio.NewWriter(s.ends)
	return s, nil
}

// cut truncates a file to size, where writing continues.
func cut(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < size {
		return fmt.Errorf("ondisk: %s: wanted %d bytes or more, got %d", f.Name(), size, info.Size())
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err = f.Seek(size, io.SeekStart)
	return err
}

func (s *store) close() error {
	var all []error
	for _, f := range []*os.File{s.signatures, s.ids, s.ends} {
		if f != nil {
			all = append(all, f.Close())
		}
	}
	return errors.Join(all...)
}

// add appends a document; end is where its id ends.
func (s *store) add(id string, sig *signature.Signature, end int64) error {
	data := s.buf[:0]
	for _, w := range []uint64{sig.Exact, sig.Simhash, sig.Tokens, sig.Shingles} {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	for i := range s.words - headWords {
		w := uint64(0)
		if sig.Lanes > 0 {
			w = sig.Sketch[i]
		}
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	_, err := s.sigOut.Write(data)
	_, err2 := s.idOut.WriteString(id)
	_, err3 := s.endOut.Write(binary.LittleEndian.AppendUint64(nil, uint64(end)))
	return errors.Join(err, err2, err3)
}

// flush writes the contents of the buffers.
func (s *store) flush() error {
	return errors.Join(s.sigOut.Flush(), s.idOut.Flush(), s.endOut.Flush())
}

// decode returns the signature in data, with its sketch in words, which must have room.
func (s *store) decode(data []byte, words []uint64) signature.Signature {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	sig := signature.Signature{Params: s.params, Exact: word(0), Simhash: word(1), Tokens: word(2), Shingles: word(3)}
	if sig.Shingles > 0 {
		words = words[:s.words-headWords]
		for i := range words {
			words[i] = word(headWords + i)
		}
		sig.Lanes, sig.Sketch = s.lanes, words
	}
	return sig
}

// window reads pieces of a file in ascending order. It reads little more than the piece if
// pieces are far apart, and long stretches if they are not.
type window struct {
	file  *os.File
	data  []byte
	begin int64
	buf   []byte
}

// The sizes of reads, and the gap up to which a long read is made, in bytes.
const (
	shortRead = 4 << 10
	longRead  = 256 << 10
	gap       = 32 << 10
)

// at returns n bytes from off on. They are valid until the next call.
func (w *window) at(off int64, n int) ([]byte, error) {
	end := w.begin + int64(len(w.data))
	if off >= w.begin && off+int64(n) <= end {
		return w.data[off-w.begin:][:n], nil
	}
	size := shortRead
	if off >= w.begin && off <= end+gap {
		size = longRead
	}
	if size = max(size, n); cap(w.buf) < size {
		w.buf = make([]byte, max(size, longRead))
	}
	got, err := w.file.ReadAt(w.buf[:size], off)
	if got < n {
		return nil, fmt.Errorf("ondisk: %s: wanted %d bytes at %d, got %d: %w", w.file.Name(), n, off, got, err)
	}
	w.begin, w.data = off, w.buf[:got]
	return w.data[:n], nil
}

// idReader reads ids, in ascending order of their documents.
type idReader struct {
	ids, ends window
	bytes     int64 // of all ids
}

func (j *Job) idReader() *idReader {
	return &idReader{window{file: j.store.ids}, window{file: j.store.ends}, j.m.IDBytes}
}

func (r *idReader) at(doc uint32) (string, error) {
	from, size := int64(doc)*8-8, 16
	if doc == 0 {
		from, size = 0, 8
	}
	data, err := r.ends.at(from, size)
	if err != nil {
		return "", err
	}
	begin, end := int64(0), int64(binary.LittleEndian.Uint64(data[size-8:]))
	if doc > 0 {
		begin = int64(binary.LittleEndian.Uint64(data))
	}
	if begin < 0 || end < begin || end > r.bytes {
		return "", fmt.Errorf("ondisk: %s: document %d: wanted an id within %d bytes, got one from %d to %d", r.ends.file.Name(), doc, r.bytes, begin, end)
	}
	data, err = r.ids.at(begin, int(end-begin))
	return string(data), err
}
