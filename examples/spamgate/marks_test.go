package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

func TestMarks(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	submit(t, s, jsonLine("17", advert(1), "a"))
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"name":"prize","label":"spam","tenant":"a","id":"17"}`, http.StatusNoContent, ""},
		{`{"name":"a/b","label":"wanted","text":"our own letter","scope":["b"]}`, http.StatusNoContent, ""},
		{`{"name":"old","label":"spam","text":"` + advert(1) + `","expires":"2020-01-01T00:00:00Z"}`, http.StatusNoContent, ""},
		{`{"name":"x","label":"spam","tenant":"b","id":"17"}`, http.StatusNotFound, `id: wanted a document of tenant "b", got "17"`},
		{`{"name":"x","label":"eggs","text":"x"}`, http.StatusBadRequest, `label: wanted "spam" or "wanted", got "eggs"`},
		{`{"name":"x","label":"spam","text":" "}`, http.StatusBadRequest, `wanted a text of one token or more`},
		{`{"name":"x","label":"spam"}`, http.StatusBadRequest, `needs either a text or an id, not both`},
		{`{"name":"","label":"spam","text":"x"}`, http.StatusBadRequest, `name: wanted 1 to 500 bytes`},
		{`{"name":"x","label":"spam","text":"x","scope":["a","b"]}`, http.StatusBadRequest, `scope: wanted one tenant, or none for all, got 2`},
		{`{"colour":1}`, http.StatusBadRequest, `mark: wanted members among ["expires" "id" "insist" "label" "name" "scope" "tenant" "text"], got "colour"`},
		{`[]`, http.StatusBadRequest, `mark: wanted an object, got a list`},
		{`{"name":"x","label":"spam","text":"x","scope":"a"}`, http.StatusBadRequest, `mark: scope: wanted a list, got a string`},
		{`{"name":"x","label":"spam","text":"x","expires":"soon"}`, http.StatusBadRequest, `expires: wanted a time like 2026-03-02T09:15:00Z, got`},
		{`{"name":"x","label":"spam","text":"x"}{}`, http.StatusBadRequest, `mark: wanted one JSON value, got "{}" after it`},
	} {
		if status, text := call(t, s, "POST", "/marks", test.body); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s: got %d %s, want %d %s", test.body, status, text, test.status, test.want)
		}
	}
	// It is for all tenants, and by no other copy.
	if r := submit(t, s, jsonLine("18", advert(2), "b"))[0]; r.Action != admission.Reject || r.Mark != "prize" || r.Of != "" {
		t.Errorf("got %+v", r.Verdict)
	}
	var marks []shown
	if _, text := call(t, s, "GET", "/marks", ""); json.Unmarshal([]byte(text), &marks) != nil || len(marks) != 3 || marks[0].Name != "a/b" || strings.Contains(text, "signature") {
		t.Errorf("got %s", text)
	}
	for _, test := range []struct {
		path   string
		status int
	}{{"/marks/prize", http.StatusNoContent}, {"/marks/prize", http.StatusNotFound}, {"/marks/a%2Fb", http.StatusNoContent}} {
		if status, text := call(t, s, "DELETE", test.path, ""); status != test.status {
			t.Errorf("%s: got %d %s", test.path, status, text)
		}
	}
	if r := submit(t, s, jsonLine("18", advert(2), "b"))[0]; r.Action != admission.Accept {
		t.Errorf("got %+v", r.Verdict)
	}
}

// A tenant sends what another has sent, under the same id: nothing tells it so, and
// the other's document stays.
func TestTenants(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	for _, id := range []string{"1", "2", "3", "4"} {
		submit(t, s, jsonLine(id, advert(0), "a"))
	}
	for tenant, unscoped := range map[string]string{"b": "", "": `,"unscoped":"tenant"`} {
		status, text := call(t, s, "POST", "/documents", jsonLine("1", advert(0), tenant))
		if status != http.StatusOK || text != `{"line":1,"id":"1","action":"accept"`+unscoped+"}\n" {
			t.Errorf("tenant %q: got %d %s", tenant, status, text)
		}
	}
	all := submit(t, s, jsonLine("2", advert(1), "b")+jsonLine("5", advert(1), "a"))
	if r := all[0]; r.Of != "1" || r.Action != admission.Tag {
		t.Errorf("got %+v", r.Verdict)
	}
	if r := all[1]; r.Action != admission.Reject || r.Copies != 3 {
		t.Errorf("tenant a: got %+v", r.Verdict)
	}
	// What a part of an id of one tenant could be in another.
	if _, text := call(t, s, "POST", "/documents", jsonLine("a\x00", advert(0), "")); !strings.Contains(text, "id: wanted") {
		t.Errorf("got %s", text)
	}
	if status, _ := call(t, s, "POST", "/marks", `{"name":"m","label":"spam","scope":["a"],"tenant":"a","id":"1"}`); status != http.StatusNoContent {
		t.Fatal(status)
	}
	if r := submit(t, s, jsonLine("3", advert(1), "b"))[0]; r.Mark != "" {
		t.Errorf("a mark of another tenant shows: %+v", r.Verdict)
	}
}

func TestOperator(t *testing.T) {
	s := newTestServer(t, limits{}, "secret")
	for _, path := range []string{"/status", "/stats", "/marks", "/metrics"} {
		if status, text := call(t, s, "GET", path, ""); status != http.StatusUnauthorized || strings.Contains(text, "policy") {
			t.Errorf("%s: got %d %s", path, status, text)
		}
	}
	submit(t, s, jsonLine("1", "anybody may send", ""))
	r, err := http.NewRequest("GET", s.URL+"/stats", nil)
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]int{"secret": http.StatusOK, "Secret": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		r.SetBasicAuth("me", password)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != want {
			t.Errorf("%q: got %d, want %d", password, res.StatusCode, want)
		}
	}
	r, _ = http.NewRequest("POST", s.URL+"/marks", strings.NewReader(`{"name":"x","label":"spam","text":"x"}`))
	r.SetBasicAuth("me", "secret")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: got %d", res.StatusCode)
	}
}
