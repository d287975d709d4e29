package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hold begins a request from an address of this machine, sends what is given of its body,
// and then nothing.
func hold(t *testing.T, s *httptest.Server, from, path, body string) *bufio.Reader {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := dialer.DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Skipf("no connection from %s: %v", from, err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n%s", path, body)
	return bufio.NewReader(c)
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s is not so after half a minute", what)
}

// More senders than there are places stop in the middle of a line, and of a mark; others are
// served as if they were not there.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{judged: 1, requests: 8}, "")
	for range 7 {
		hold(t, s, "127.0.0.1", "/documents", "{")
		hold(t, s, "127.0.0.2", "/documents", jsonLine("x", "what is whole is judged", "")[:40])
		hold(t, s, "127.0.0.1", "/marks", `{"name":`)
	}
	for n := range 10 {
		if r := submit(t, s, jsonLine(fmt.Sprint(n), fmt.Sprint("another text ", n), ""))[0]; r.Error != "" {
			t.Errorf("got %+v", r)
		}
		for _, path := range []string{"/status", "/stats", "/marks", "/metrics"} {
			if status, text := call(t, s, "GET", path, ""); status != http.StatusOK {
				t.Fatalf("%s: got %d %s", path, status, text)
			}
		}
	}
	if status, text := call(t, s, "POST", "/marks", `{"name":"x","label":"spam","text":"x"}`); status != http.StatusNoContent {
		t.Errorf("a mark: got %d %s", status, text)
	}
}

// One address has so many requests, others have theirs, and the operator there has its own.
func TestRequestsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{requests: 2}, "")
	for range 2 {
		hold(t, s, "127.0.0.1", "/documents", "{")
	}
	until(t, "that the third is rejected", func() bool {
		status, text := call(t, s, "POST", "/documents", jsonLine("a", "a text", ""))
		return status == http.StatusTooManyRequests && strings.Contains(text, "wanted at most 2 requests at the same time from 127.0.0.1, got more")
	})
	if status, _ := call(t, s, "GET", "/status", ""); status != http.StatusOK {
		t.Errorf("the operator: got %d", status)
	}
	answer := hold(t, s, "127.0.0.2", "/documents", jsonLine("a", "a text", ""))
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Errorf("from another address: got %q, %v", line, err)
	}
}

// A line, and a mark, has to come in time; what came before it counts.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{wait: time.Second}, "")
	res, err := http.ReadResponse(hold(t, s, "127.0.0.1", "/documents", jsonLine("a", "a text", "")+`{"id":`), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if lines := strings.Split(string(text), "\n"); err != nil || len(lines) != 3 || !strings.Contains(lines[0], `"accept"`) ||
		lines[1] != `{"line":2,"error":"line: wanted a whole one within 1s, got less"}` {
		t.Errorf("got %q, %v", text, err)
	}
	if res, err = http.ReadResponse(hold(t, s, "127.0.0.1", "/marks", `{"name":`), nil); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestTimeout {
		t.Errorf("a mark: got %d", res.StatusCode)
	}
}

// A request has so long, however its sender behaves, and however many lines are to come.
func TestLongRequest(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{timeout: 300 * time.Millisecond}, "")
	for _, lines := range []string{"{", strings.Repeat(jsonLine("a", "a text", ""), 20)} {
		start := time.Now()
		res, err := s.Client().Post(s.URL+"/documents", "", io.MultiReader(strings.NewReader(lines), neverEnding{}))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.HasSuffix(string(text), `"error":"request: wanted one of at most 300ms, got a longer one"}`+"\n") {
			t.Errorf("%.20s: got %q, %v", lines, text, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%.20s: it took %v", lines, took)
		}
	}
}

// neverEnding sends space, slowly.
type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	time.Sleep(10 * time.Millisecond)
	return copy(p, " "), nil
}

// Without a token any page could ask by a name of its own that points here; with one, the
// browser would not send it.
func TestRebinding(t *testing.T) {
	t.Parallel()
	requests := []struct{ method, path, body string }{
		{"GET", "/stats", ""},
		{"GET", "/status", ""},
		{"GET", "/", ""},
		{"GET", "/marks", ""},
		{"DELETE", "/marks/x", ""},
		{"GET", "/metrics", ""},
		{"GET", "/debug/pprof/", ""},
		{"POST", "/documents", jsonLine("1", "a text", "")},
		{"POST", "/marks", `{"name":"x","label":"spam","text":"x"}`},
	}
	for token, want := range map[string]int{"": http.StatusMisdirectedRequest, "secret": http.StatusUnauthorized} {
		s := newTestServer(t, limits{}, token)
		for _, r := range requests {
			req := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
			req.Host = "rebound.evil.example"
			req.Header.Set("Origin", "http://rebound.evil.example")
			req.Header.Set("Sec-Fetch-Site", "same-origin")
			w := httptest.NewRecorder()
			s.Config.Handler.ServeHTTP(w, req)
			wanted := want
			if token != "" && r.path == "/documents" {
				wanted = http.StatusOK // documents are anybody's; a recorder has no deadlines to set
			}
			if token != "" && r.path == "/" {
				wanted = http.StatusFound
			}
			if w.Code != wanted {
				t.Errorf("token %q: %s %s: got %d, want %d: %s", token, r.method, r.path, w.Code, wanted, w.Body)
			}
		}
	}
}

// The operators' places are few, and their own.
func TestOffice(t *testing.T) {
	t.Parallel()
	g, err := openGate("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer g.index.Close()
	s := &server{gate: g, judges: make(places, 1), offices: make(places, operators)}
	s.judges <- struct{}{} // documents are at their limit
	inside, leave := make(chan bool), make(chan bool)
	h := s.office(func(http.ResponseWriter, *http.Request) { inside <- true; <-leave })
	for range operators {
		go h(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		<-inside
	}
	w := httptest.NewRecorder()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	h(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more than there are places: got %d", w.Code)
	}
	for range operators {
		leave <- true
	}
}

// Integers are ids, in documents and in marks.
func TestIntegerIDs(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{}, "")
	for text, want := range map[string]string{"8": "8", "-1": "-1", "12345678901234567890123": "12345678901234567890123", `"8"`: "8"} {
		r := submit(t, s, `{"id":`+text+`,"text":"the text of `+strings.Trim(want, "-")+`"}`)[0]
		if r.Error != "" || r.ID != want {
			t.Errorf("%s: got %+v, want %q", text, r, want)
		}
	}
	_, text := call(t, s, "GET", "/stats", "")
	var f figures
	if err := json.Unmarshal([]byte(text), &f); err != nil || f.Documents != 3 {
		t.Errorf("got %s, want 3 documents, since 8 and \"8\" are one: %v", text, err)
	}
	if status, text := call(t, s, "POST", "/marks", `{"name":"m","label":"spam","id":8}`); status != http.StatusNoContent {
		t.Errorf("got %d %s", status, text)
	}
}

// A policy without a scope is one for documents without a tenant.
func TestOneTenant(t *testing.T) {
	t.Parallel()
	g, err := openGate("", write(t, "policy.json", `{"near":"reject"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer g.index.Close()
	const want = `tenant: a policy without a scope cannot have any ("scope": "tenant" keeps tenants apart), got "a"`
	if _, err := g.decode([]byte(jsonLine("1", "a text", "a"))); err == nil || err.Error() != want {
		t.Errorf("a document: got %v", err)
	}
	if _, err := g.decode([]byte(jsonLine("1", "a text", ""))); err != nil {
		t.Error(err)
	}
	for _, mark := range []string{`{"name":"x","label":"spam","text":"x","scope":["a"]}`, `{"name":"x","label":"spam","tenant":"a","id":"1"}`} {
		if err := g.mark(t.Context(), []byte(mark)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", mark, err)
		}
	}
}
