package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// reply is a line of the answer: a verdict or an error, and the number of the line
// that it is about.
type reply struct {
	Line int
	*admission.Verdict
	Error string
}

// MarshalJSON writes the members of the verdict among the others; otherwise Verdict's own
// MarshalJSON would be the reply's.
func (r reply) MarshalJSON() ([]byte, error) {
	if r.Verdict == nil {
		return json.Marshal(struct {
			Line  int    `json:"line"`
			Error string `json:"error,omitempty"`
		}{r.Line, r.Error})
	}
	verdict, err := json.Marshal(r.Verdict)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"line":%d,%s`, r.Line, verdict[1:]), nil
}

// documents reads a request, and then answers line by line: it is written as it is judged. A line that is wrong gets
// an error, and the rest goes on.
func (s *server) documents(w http.ResponseWriter, r *http.Request) {
	client := serve.Client(r.RemoteAddr)
	if !s.senders.Enter(client) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, fmt.Sprintf("wanted at most %d requests at the same time from %s, got more", s.limits.requests, client), http.StatusTooManyRequests)
		return
	}
	defer s.senders.Leave(client)
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	out := json.NewEncoder(w)
	number := 0
	for line := range bytes.Lines(body) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		answer := reply{Line: number}
		var err error
		if answer.Verdict, err = s.judge(r.Context(), line); err != nil {
			answer.Error = err.Error()
			s.gate.failed()
		}
		if out.Encode(answer) != nil || r.Context().Err() != nil {
			return // the sender is gone
		}
	}
}

// body reads a request, or answers what is wrong with it.
func (s *server) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.body))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, fmt.Sprintf("body: wanted at most %d bytes, got more", s.limits.body), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return body, err == nil
}

// errWriting is wrapped by errors that are the server's own.
var errWriting = errors.New("not written")

// judge submits the document of a line.
func (s *server) judge(ctx context.Context, line []byte) (*admission.Verdict, error) {
	d, err := s.gate.decode(line)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	v, err := s.gate.submit(ctx, d)
	s.took.Observe(time.Since(start).Seconds())
	if err != nil {
		s.log.Error("writing a document", "error", err)
		return nil, fmt.Errorf("document %q: %w", d.ID, errWriting)
	}
	return &v, nil
}
