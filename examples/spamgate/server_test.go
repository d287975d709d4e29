package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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
	l.body, l.line, l.judged = cmp.Or(l.body, 1<<20), cmp.Or(l.line, 1<<16), cmp.Or(l.judged, 4)
	l.wait, l.timeout = cmp.Or(l.wait, time.Minute), cmp.Or(l.timeout, time.Minute)
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

// What Prometheus scrapes, also when no more requests are taken.
func TestMetrics(t *testing.T) {
	s := newTestServer(t, limits{requests: 1}, "")
	submit(t, s, jsonLine("a", advert(1), "")+jsonLine("b", advert(2), "")+"{}\n")
	in, out := io.Pipe()
	defer out.Close()
	go io.WriteString(out, jsonLine("c", advert(3), ""))
	held, err := s.Client().Post(s.URL+"/documents", "", in)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Body.Close()
	status, text := call(t, s, "GET", "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, line := range []string{
		"spamgate_verdict_seconds_count 3", "spamgate_wrong_lines_total 1", "neardup_judged_total 3", "neardup_tagged_total 2", "bleve_documents 3",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("wanted the line %s", line)
		}
	}
}

// Verdicts come while the sender still holds back the next line.
func TestStreaming(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	in, out := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/documents", in)
	if err != nil {
		t.Fatal(err)
	}
	go io.WriteString(out, jsonLine("0", "first", ""))
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	verdicts := bufio.NewScanner(res.Body)
	for n := range 3 {
		if !verdicts.Scan() || !strings.Contains(verdicts.Text(), fmt.Sprintf(`"id":"%d"`, n)) {
			t.Fatalf("got %q, %v", verdicts.Text(), verdicts.Err())
		}
		go io.WriteString(out, jsonLine(fmt.Sprint(n+1), "next", ""))
	}
	out.Close()
}

func TestWrongLines(t *testing.T) {
	s := newTestServer(t, limits{line: 200}, "")
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
		{`{"id":"a","text":"` + strings.Repeat("long ", 5000) + `"}`, "line: wanted at most 200 bytes, got more"},
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
	s := newTestServer(t, limits{body: 1000, line: 1000, requests: 1}, "")
	line := jsonLine("a", "some words", "")
	many := strings.Repeat(line, 1+1000/len(line))
	if status, body := call(t, s, "POST", "/documents", many); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "at most 1000 bytes") {
		t.Errorf("got %d %s", status, body)
	}
	// Of unknown length, what fits is taken.
	res, err := s.Client().Post(s.URL+"/documents", "", io.MultiReader(strings.NewReader(many)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if n := strings.Count(string(text), `"action"`); n != 1000/len(line) || !strings.Contains(string(text), `"error":"body: wanted at most 1000 bytes`) {
		t.Errorf("got %s", text)
	}
	if status, _ := call(t, s, "POST", "/marks", strings.Repeat(" ", 2000)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large mark: got %d", status)
	}
	if status, _ := call(t, s, "GET", "/documents", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d", status)
	}
}
