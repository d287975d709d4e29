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
	out := &answers{in: in, w: w, encoder: json.NewEncoder(w), holding: r.ContentLength >= 0}
	for number := 1; ; number++ {
		line, err := in.line()
		if err == io.EOF {
			out.release()
			return
		}
		if err == nil && len(line) == 0 {
			continue
		}
		answer := reply{Line: number}
		if err == nil {
			answer.Verdict, err = s.judge(ctx, client, line)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = in.late()
		}
		if err != nil {
			answer.Error = err.Error()
			s.gate.failed()
		}
		if sent := out.add(answer, err); sent != nil || r.Context().Err() != nil {
			if errors.Is(sent, errDeadline) {
				s.log.Error("setting a deadline", "error", sent)
			}
			return // the sender is gone
		}
		if err != nil && !errors.Is(err, errLine) {
			out.release()
			s.log.Warn("reading a request", "client", client, "line", number, "error", err)
			return
		}
	}
}

// mostHeld is how many answers are held back until the status is known.
const mostHeld = 1000

// answers are the answers to one request. Its status is 200 as soon as one line is right. So
// answers are held back as long as all lines are wrong, if the length of the request is known: a
// sender who does not state it might wait for an answer before the next line.
type answers struct {
	in      *sender
	w       http.ResponseWriter
	encoder *json.Encoder
	holding bool
	held    []reply
	status  int // if all are wrong
}

var errDeadline = errors.New("setting a deadline")

// add sends an answer, or holds it back. err is what is wrong with its line.
func (a *answers) add(answer reply, err error) error {
	a.held = append(a.held, answer)
	if err == nil {
		a.status = 0
	} else if a.holding {
		a.status = max(a.status, statusOf(err))
	}
	if a.holding && err != nil && !a.in.done() && len(a.held) < mostHeld {
		return nil
	}
	return a.release()
}

// release sends what was held back.
func (a *answers) release() error {
	if a.holding && a.status > 0 && len(a.held) > 0 {
		a.w.WriteHeader(a.status)
	}
	a.holding = false
	for _, answer := range a.held {
		// A sender that does not read is cut off as well.
		if err := a.in.control.SetWriteDeadline(time.Now().Add(a.in.limits.wait)); err != nil {
			return fmt.Errorf("%w: %w", errDeadline, err)
		}
		if err := errors.Join(a.encoder.Encode(answer), a.in.control.Flush()); err != nil {
			return err
		}
	}
	a.held = a.held[:0]
	return nil
}

// statusOf is the status of an answer that is one error.
func statusOf(err error) int {
	if errors.Is(err, errWriting) {
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// errWriting is wrapped by errors that are the server's own.
var errWriting = errors.New("not written")

// judge submits the document of a line, when it is its client's turn.
func (s *server) judge(ctx context.Context, client string, line []byte) (*admission.Verdict, error) {
	if err := s.pace.wait(ctx, client); err != nil {
		return nil, err
	}
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
