package main

import (
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

// documents answers line by line, while the next ones are still being sent. A line
// that is wrong gets an error, and the rest goes on.
func (s *server) documents(w http.ResponseWriter, r *http.Request) {
	client := serve.Client(r.RemoteAddr)
	if !s.senders.Enter(client) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, fmt.Sprintf("wanted at most %d requests at the same time from %s, got more", s.limits.requests, client), http.StatusTooManyRequests)
		return
	}
	defer s.senders.Leave(client)
	if r.ContentLength > s.limits.body {
		http.Error(w, tooLong("body", s.limits.body).Error(), http.StatusRequestEntityTooLarge)
		return
	}
	in := s.limits.newSender(w, r)
	if err := in.control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	ctx, cancel := in.context()
	defer cancel()
	w.Header().Set("Content-Type", "application/jsonl")
	out := json.NewEncoder(w)
	for number := 1; ; number++ {
		line, err := in.line()
		if err == io.EOF {
			return
		}
		if err == nil && len(line) == 0 {
			continue
		}
		answer := reply{Line: number}
		if err == nil {
			answer.Verdict, err = s.judge(ctx, line)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = in.late()
		}
		if err != nil {
			answer.Error = err.Error()
			s.gate.failed()
		}
		// A sender that does not read is cut off as well.
		if sent := in.control.SetWriteDeadline(time.Now().Add(in.limits.wait)); sent != nil {
			s.log.Error("setting a deadline", "error", sent)
			return
		}
		if sent := errors.Join(out.Encode(answer), in.control.Flush()); sent != nil || r.Context().Err() != nil {
			return // the sender is gone
		}
		if err != nil && !errors.Is(err, errLine) {
			s.log.Warn("reading a request", "client", client, "line", number, "error", err)
			return
		}
	}
}

// errWriting is wrapped by errors that are the server's own.
var errWriting = errors.New("not written")

// judge submits the document of a line.
func (s *server) judge(ctx context.Context, line []byte) (*admission.Verdict, error) {
	if err := s.judges.take(ctx); err != nil {
		return nil, err
	}
	defer s.judges.leave()
	d, err := s.gate.decode(line)
	if err != nil {
		return nil, lineError{err}
	}
	start := time.Now()
	v, err := s.gate.submit(ctx, d)
	s.took.Observe(time.Since(start).Seconds())
	if err != nil {
		s.log.Error("writing a document", "error", err)
		return nil, lineError{fmt.Errorf("document %q: %w", d.ID, errWriting)}
	}
	return &v, nil
}
