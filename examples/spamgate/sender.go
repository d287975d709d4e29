package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

// sender is the sender of a request. It has so long for each line and so long for all of
// them. A sender that stops costs its own connection, and nothing else.
type sender struct {
	request *http.Request
	control *http.ResponseController
	limits  limits
	end     time.Time // of the request
	in      *bufio.Reader
}

func (l limits) newSender(w http.ResponseWriter, r *http.Request) *sender {
	s := &sender{request: r, control: http.NewResponseController(w), limits: l, end: time.Now().Add(l.timeout)}
	s.in = bufio.NewReader(http.MaxBytesReader(w, r.Body, l.body))
	return s
}

// deadline is when what is to come within a time has to be there.
func (s *sender) deadline(within time.Duration) time.Time {
	if at := time.Now().Add(within); at.Before(s.end) {
		return at
	}
	return s.end
}

// line reads a line, as readLine does.
func (s *sender) line() ([]byte, error) {
	if err := s.control.SetReadDeadline(s.deadline(s.limits.wait)); err != nil {
		return nil, err
	}
	line, err := readLine(s.in, s.limits.line)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, tooLong("body", s.limits.body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, s.late()
	}
	if err != nil {
		return nil, err
	}
	// While the line is judged, the server looks whether the sender is still there, and would
	// take a deadline for its end.
	return line, s.control.SetReadDeadline(s.end)
}

// late is the error of one who takes too long.
func (s *sender) late() error {
	if !time.Now().Before(s.end) {
		return fmt.Errorf("request: wanted one of at most %v, got a longer one", s.limits.timeout)
	}
	return fmt.Errorf("line: wanted a whole one within %v, got less", s.limits.wait)
}

// context ends with the time of the request.
func (s *sender) context() (context.Context, context.CancelFunc) {
	return context.WithDeadline(s.request.Context(), s.end)
}
