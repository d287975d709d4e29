package documents

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"os"
)

// file yields the documents of a file of JSON lines.
func (s Source) file(path string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Document{}, err)
			return
		}
		defer f.Close()
		s.lines(path, f)(yield)
	}
}

// lines yields the documents of r, plain or gzipped, one a line. Lines may be of any
// length, and empty ones are passed over.
func (s Source) lines(name string, r io.Reader) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		in, err := unzipped(counted{r, s.Progress})
		if err != nil {
			yield(Document{}, fmt.Errorf("%s: %w", name, err))
			return
		}
		found := false
		for number := 1; ; number++ {
			line, err := in.ReadBytes('\n')
			end := err == io.EOF
			if line = bytes.TrimSpace(line); len(line) > 0 && (err == nil || end) {
				var d Document
				found = true
				if d, err = s.decode(line); err == nil && !yield(d, nil) {
					return
				}
			} else if end {
				err = nil
			}
			if end && !found {
				yield(Document{}, fmt.Errorf("%s: wanted lines of JSON, got none", name))
			}
			if err != nil {
				yield(Document{}, fmt.Errorf("%s:%d: %w", name, number, err))
			}
			if end || err != nil {
				return
			}
		}
	}
}

// unzipped decompresses what is gzipped.
func unzipped(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	return bufio.NewReaderSize(z, 1<<16), err
}

// counted reports the bytes that are read.
type counted struct {
	io.Reader
	progress func(n int)
}

// Read implements io.Reader.
func (c counted) Read(p []byte) (n int, err error) {
	n, err = c.Reader.Read(p)
	if c.progress != nil {
		c.progress(n)
	}
	return n, err
}
