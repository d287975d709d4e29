package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// read reads the texts of a file of JSON lines and cuts them into documents.
func read(file string, most, size int) ([][]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		in = bufio.NewReader(unzipped)
	}
	var text []byte
	for lines := json.NewDecoder(in); len(text) < most*(size+100); {
		var line struct {
			Text string `json:"text"`
		}
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		text = append(append(text, line.Text...), "\n\n"...)
	}
	docs := cut(text, most, size)
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: wanted %d bytes of text or more, got %d", file, size, len(text))
	}
	return docs, nil
}

// cut cuts text into documents of size bytes and what is left of the last word; the
// rest of the text is dropped.
func cut(text []byte, most, size int) (docs [][]byte) {
	for len(text) >= size && len(docs) < most {
		end := len(text)
		if i := bytes.IndexAny(text[size:], " \n"); i >= 0 {
			end = size + i
		}
		docs = append(docs, text[:end:end])
		text = text[end:]
	}
	return docs
}
