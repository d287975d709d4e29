package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// reply is a line of the answer: a verdict or an error, and the number of the line
// that it is about.
type reply struct {
	Line int
	*admission.Verdict
	Error string
}

// MarshalJSON writes the members of the verdict among the others; Verdict has a MarshalJSON of
// its own, which would be that of the reply.
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
	if r.ContentLength > s.limits.body {
		http.Error(w, tooLong("body", s.limits.body).Error(), http.StatusRequestEntityTooLarge)
		return
	}
	control := http.NewResponseController(w)
	if err := control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	out := json.NewEncoder(w)
	in := bufio.NewReader(http.MaxBytesReader(w, r.Body, s.limits.body))
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	for number := 1; ; number++ {
		line, err := readLine(in, s.limits.line)
		if err == io.EOF {
			return
		}
		answer := reply{Line: number}
		var large *http.MaxBytesError
		over := errors.As(err, &large)
		switch {
		case over:
			answer.Error = tooLong("body", s.limits.body).Error()
		case err == nil && len(line) == 0:
			continue
		case err == nil:
			err = s.pace.wait(r.Context(), client)
			if err == nil {
				answer.Verdict, err = s.judge(line)
			}
		}
		if err != nil && answer.Error == "" {
			answer.Error = err.Error()
		}
		if err != nil {
			s.gate.failed()
		}
		if out.Encode(answer) != nil || control.Flush() != nil || over || r.Context().Err() != nil {
			return // the sender is gone, or will not be heard any more
		}
		if err != nil && !errors.Is(err, errLine) {
			s.log.Warn("reading a request", "client", client, "line", number, "error", err)
			return
		}
	}
}

// errLine is wrapped by errors of one line, after which the next can be read.
var errLine = errors.New("line")

// lineError is an error of one line.
type lineError struct{ error }

func (e lineError) Is(target error) bool { return target == errLine }

// judge submits the document of a line.
func (s *server) judge(line []byte) (*admission.Verdict, error) {
	d, err := decode(line)
	if err != nil {
		return nil, lineError{err}
	}
	start := time.Now()
	v, err := s.gate.submit(d)
	s.took.Observe(time.Since(start).Seconds())
	if err != nil {
		s.log.Error("writing a document", "error", err)
		return nil, lineError{fmt.Errorf("document %q: not written", d.ID)}
	}
	return &v, nil
}

func tooLong(what string, most int64) error {
	return fmt.Errorf("%s: wanted at most %d bytes, got more", what, most)
}

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

// pace lets each client have so many documents a second. Nothing is lost: a client
// that is faster waits, and its lines stay in the connection.
type pace struct {
	each time.Duration // 0 for no limit

	mu   sync.Mutex
	next map[string]time.Time // when a client may send again
}

func newPace(rate int) *pace {
	p := &pace{next: map[string]time.Time{}}
	if rate > 0 {
		p.each = time.Second / time.Duration(rate)
	}
	return p
}

// reserve returns how long the client has to wait for its next document.
func (p *pace) reserve(client string, now time.Time) time.Duration {
	if p.each == 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.next) >= 10000 { // forget those who need not wait
		for c, t := range p.next {
			if t.Before(now) {
				delete(p.next, c)
			}
		}
	}
	at := p.next[client]
	if at.Before(now) {
		at = now
	}
	p.next[client] = at.Add(p.each)
	return at.Sub(now)
}

func (p *pace) wait(ctx context.Context, client string) error {
	d := p.reserve(client, time.Now())
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
