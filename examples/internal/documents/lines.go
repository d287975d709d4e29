package documents

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// file yields the documents of a file of JSON lines or of CSV.
func (s Source) file(path string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Document{}, err)
			return
		}
		defer f.Close()
		s.stream(path, f)(yield)
	}
}

// stream yields the documents of r, plain or gzipped: of CSV if it is so named, else of JSON lines.
func (s Source) stream(name string, r io.Reader) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		in, err := Unzipped(counted{r, s.Progress})
		switch {
		case err != nil:
			yield(Document{}, fmt.Errorf("%s: %w", name, err))
		case strings.EqualFold(filepath.Ext(strings.TrimSuffix(name, ".gz")), ".csv"):
			s.csv(name, in, yield)
		default:
			s.lines(name, in, yield)
		}
	}
}

// csv yields the documents of in, one a record. The first record names the members.
func (s Source) csv(name string, in io.Reader, yield func(Document, error) bool) {
	all := csv.NewReader(in)
	names, err := all.Read()
	if err == io.EOF {
		err = errors.New("wanted CSV with a header, got an empty file")
	}
	for err == nil {
		var record []string
		if record, err = all.Read(); err != nil {
			break
		}
		d, wrong := s.record(names, record)
		if wrong != nil {
			line, _ := all.FieldPos(0)
			err = fmt.Errorf("line %d: %w", line, wrong)
		} else if !yield(d, nil) {
			return
		}
	}
	if err != nil && err != io.EOF {
		yield(Document{}, fmt.Errorf("%s: %w", name, err))
	}
}

// record reads a document from a record of CSV. It is one of JSON whose members are strings.
func (s Source) record(names, values []string) (Document, error) {
	members := make(map[string]string, len(names))
	for i, name := range names {
		if _, twice := members[name]; twice || !utf8.ValidString(name) || !utf8.ValidString(values[i]) {
			return Document{}, fmt.Errorf("wanted UTF-8 and columns with different names, got %.40q: %.40q", name, values[i])
		}
		members[name] = values[i]
	}
	line, err := json.Marshal(members)
	if err != nil {
		return Document{}, err
	}
	return s.decode(line)
}

// lines yields the documents of in, one a line. Lines may be of any length, and empty ones are passed over.
func (s Source) lines(name string, in *bufio.Reader, yield func(Document, error) bool) {
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

// Unzipped decompresses what is gzipped, and drops the byte order mark that spreadsheets and shells write first.
func Unzipped(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(z, 1<<16)
	}
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	return in, nil
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
