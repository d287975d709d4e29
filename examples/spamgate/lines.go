package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readLine reads a line, without the space around it. It passes over one that is
// longer than most, and returns a lineError then; io.EOF comes after the last line.
func readLine(r *bufio.Reader, most int64) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || int64(len(line)+len(part)) > most+1; !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case long:
			return nil, lineError{tooLong("line", most)}
		}
		return bytes.TrimSpace(line), nil
	}
}

// errLine is wrapped by errors of one line, after which the next can be read.
var errLine = errors.New("line")

// lineError is an error of one line.
type lineError struct{ error }

func (e lineError) Is(target error) bool { return target == errLine }

func (e lineError) Unwrap() error { return e.error }

func tooLong(what string, most int64) error {
	return fmt.Errorf("%s: wanted at most %d bytes, got more", what, most)
}
