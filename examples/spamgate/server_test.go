package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// advert is the n-th copy of a campaign.
func advert(n int) string {
	return fmt.Sprintf("You have been chosen among thousands of customers to receive a cash prize, free of any charge. Our agents "+
		"stand by around the clock to help you with every step of the transfer, and no experience is needed. This offer is open for a few "+
		"days only, so please do not leave this message unread, and tell your friends and family as well. Your number is %d", n)
}

func jsonLine(id, text, tenant string) string {
	line, _ := json.Marshal(map[string]string{"id": id, "text": text, "tenant": tenant, "date": "2026-03-02T09:15:00Z"})
	return string(line) + "\n"
}

func newTestServer(t *testing.T, l limits, token string) *httptest.Server {
	t.Helper()
	g, err := openGate("", "")
	if err != nil {
		t.Fatal(err)
	}
	l.body = cmp.Or(l.body, 1<<20)
	s := httptest.NewServer(newServer(g, l, token, slog.New(slog.DiscardHandler)))
	t.Cleanup(func() {
		s.Close()
		if err := g.index.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// call sends a request and returns status and body.
func call(t *testing.T, s *httptest.Server, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// submit sends lines and returns the answers.
func submit(t *testing.T, s *httptest.Server, lines string) (all []reply) {
	t.Helper()
	status, body := call(t, s, "POST", "/documents", lines)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	for line := range strings.Lines(body) {
		var own struct {
			Line  int
			Error string
		}
		r := reply{Verdict: new(admission.Verdict)}
		if err := errors.Join(json.Unmarshal([]byte(line), &own), json.Unmarshal([]byte(line), r.Verdict)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		r.Line, r.Error = own.Line, own.Error
		all = append(all, r)
	}
	return all
}

func TestIntake(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	var lines string
	for n := range 5 {
		lines += jsonLine(fmt.Sprint("mail ", n), advert(n), "")
	}
	want := []admission.Action{admission.Accept, admission.Tag, admission.Tag, admission.Reject, admission.Reject}
	for i, r := range submit(t, s, lines) {
		if r.Line != i+1 || r.ID != fmt.Sprint("mail ", i) || r.Action != want[i] || i > 0 && r.Of != "mail 0" {
			t.Errorf("got %+v %v, want %s", r, r.Verdict, want[i])
		}
	}
	_, text := call(t, s, "GET", "/stats", "")
	var f figures
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if f.Judged != 5 || f.Documents != 3 || f.Actions["tag"] != 2 || f.Policies["flood"] != 2 || f.Errors != 0 || f.Policy.Scope != "tenant" {
		t.Errorf("got %s", text)
	}
}

// What Prometheus scrapes.
func TestMetrics(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	submit(t, s, jsonLine("a", advert(1), "")+jsonLine("b", advert(2), "")+"{}\n")
	status, text := call(t, s, "GET", "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, line := range []string{
		"spamgate_verdict_seconds_count 2", "spamgate_wrong_lines_total 1", "neardup_judged_total 2", "neardup_tagged_total 1", "bleve_documents 2",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("wanted the line %s", line)
		}
	}
}

func TestWrongLines(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	tests := []struct{ line, want string }{
		{`{"id":"a","text":"fine"}`, ""},
		{`{oops`, `wanted a JSON object, got "{oops"`},
		{`["a"]`, `wanted an object, got a list`},
		{`7`, `wanted an object, got a number`},
		{`{"id":"a","text":"x"} {"id":"b","text":"x"}`, `wanted one JSON value, got "{\"id\":\"b\",\"text\":\"x\"" after it`},
		{`{"id":"a"}`, "text: wanted a string, got none"},
		{`{"id":7.5,"text":"x"}`, "id: wanted a string or an integer, got 7.5"},
		{`{"id":1e3,"text":"x"}`, "id: wanted a string or an integer, got 1e3"},
		{`{"id":null,"text":"x"}`, "id: wanted a string or an integer, got null"},
		{`{"id":["a"],"text":"x"}`, "id: wanted a string or an integer, got [\"a\"]"},
		{`{"id":"a","text":7}`, "text: wanted a string, got a number"},
		{`{"id":"a","text":"x","tenant":7}`, "tenant: wanted a string, got a number"},
		{`{"id":"a","text":"x","tenat":"b"}`, `wanted members among ["date" "id" "label" "tenant" "text"], got "tenat"`},
		{`{"text":"x"}`, "id: wanted 1 to 500 bytes without control characters, got \"\""},
		{`{"id":"a\u0000b","text":"x"}`, "id: wanted 1 to 500 bytes without control characters"},
		{`{"id":"a","tenant":"\u0000","text":"x"}`, "tenant: wanted up to 500 bytes without control characters"},
		{`{"id":"a","text":"x","date":"yesterday"}`, `date: wanted one like 2026-03-02T09:15:00Z, got`},
		{`{"id":"a","text":"x","label":"eggs"}`, `label: wanted "spam" or "ham", got "eggs"`},
		{`{"id":"b","text":"fine too"}`, ""},
	}
	var lines string
	for _, test := range tests {
		lines += test.line + "\n"
	}
	all := submit(t, s, strings.TrimSuffix(lines, "\n"))
	if len(all) != len(tests) {
		t.Fatalf("%d answers, want %d", len(all), len(tests))
	}
	for i, test := range tests {
		if r := all[i]; r.Line != i+1 || !strings.HasPrefix(r.Error, test.want) || (test.want == "") != (r.Error == "") || (r.Action == "") != (r.Error != "") {
			t.Errorf("%.40s: got %+v, want %q", test.line, r, test.want)
		}
	}
	if all := submit(t, s, "\n  \n{}\n{}\n"); len(all) != 2 || all[0].Line != 3 || all[1].Line != 4 {
		t.Errorf("empty lines: got %+v", all)
	}
}

func TestLimits(t *testing.T) {
	s := newTestServer(t, limits{body: 1000, requests: 1}, "")
	for _, path := range []string{"/documents", "/marks", "/status"} {
		if status, body := call(t, s, "POST", path, strings.Repeat(" ", 1001)); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "wanted at most 1000 bytes") {
			t.Errorf("%s: got %d %s", path, status, body)
		}
	}
	if status, _ := call(t, s, "GET", "/documents", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d", status)
	}
}

// One address has so many requests, others have theirs, and the operator there has its own.
func TestRequestsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{requests: 1}, "")
	post := func(from string, body io.Reader) int {
		r := httptest.NewRequest("POST", "/documents", body)
		r.Host, r.RemoteAddr = "localhost", from+":1"
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		return w.Code
	}
	in, out := io.Pipe()
	ended := make(chan int)
	go func() { ended <- post("192.0.2.1", in) }()
	fmt.Fprint(out, "{") // it has begun
	for from, want := range map[string]int{"192.0.2.1": http.StatusTooManyRequests, "192.0.2.2": http.StatusOK} {
		if got := post(from, strings.NewReader(jsonLine("a", "a text", ""))); got != want {
			t.Errorf("from %s: got %d, want %d", from, got, want)
		}
	}
	if status, _ := call(t, s, "GET", "/status", ""); status != http.StatusOK {
		t.Errorf("the operator: got %d", status)
	}
	fmt.Fprint(out, "}")
	out.Close()
	if got := <-ended; got != http.StatusOK {
		t.Errorf("the request that was long: got %d", got)
	}
	if got := post("192.0.2.1", strings.NewReader("")); got != http.StatusOK {
		t.Errorf("the next one: got %d", got)
	}
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
				wanted = http.StatusOK // documents are anybody's
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
