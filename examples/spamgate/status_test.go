package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{}, "")
	var lines string
	for range mostRecent + 1 {
		lines += jsonLine("old", "some words", "")
	}
	submit(t, s, lines+jsonLine("<b>bold</b>", advert(0), "shop & co")+jsonLine("copy", advert(1), "shop & co")+"oops\n")
	call(t, s, "POST", "/marks", `{"name":"<i>","label":"spam","text":"x","scope":["a"],"expires":"2026-04-05T06:07:00Z"}`)
	status, page := call(t, s, "GET", "/", "")
	for _, want := range []string{
		`name="viewport"`, "<dt>came</dt><dd>53</dd>", "<dt>wrong lines</dt><dd>1</dd>", `<dt class="tag">tagged</dt><dd>1</dd>`,
		`<span class="soft">by near</span>`, "<h3>near &lt;b&gt;bold", "<del>0</del>", "<ins>1</ins>", `<p class="skipped">56 equal words</p>`, "lanes agree", "of shop &amp; co",
		`<b>&lt;i&gt;</b> <span class="label spam">spam</span> <span class="soft">for a</span>`, "not used yet; marked 20", "until 2026-04-05 06:07", "<p class=\"soft\">x</p>",
		"<span>1 by near</span>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%d: no %q", status, want)
		}
	}
	if strings.Contains(page, "<b>bold") || strings.Contains(page, "<i>") {
		t.Error("an id or a name is markup")
	}
	numbers := regexp.MustCompile(`<li class="card" data-number="(\d+)">`).FindAllStringSubmatch(page, -1)
	for i, n := range numbers {
		if n[1] != fmt.Sprint(53-i) {
			t.Fatalf("the %d-th verdict is number %s", i+1, n[1])
		}
	}
	if len(numbers) != mostRecent {
		t.Errorf("%d verdicts, want %d", len(numbers), mostRecent)
	}
	_, stopped := call(t, s, "GET", "/status?only=stopped", "")
	if n := strings.Count(stopped, `<li class="card"`); n != strings.Count(page, `<b class="reject">`) || strings.Contains(stopped, `<b class="tag">`) || n > 0 == strings.Contains(stopped, "none of the last") {
		t.Errorf("%d verdicts of what was stopped", n)
	}
	for path, want := range map[string]string{"/assets/style.css": "text/css", "/assets/status.css": "text/css", "/assets/status.js": "text/javascript"} {
		r, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); !strings.HasPrefix(r.Header.Get("Content-Type"), want) || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
}

// post sends a form of the status page, and returns the answer.
func post(t *testing.T, s *httptest.Server, want int, form url.Values) string {
	t.Helper()
	r, err := s.Client().PostForm(s.URL+"/status", form)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != want {
		t.Fatalf("%v: got %d %s, %v, want %d", form, r.StatusCode, text, err, want)
	}
	return string(text)
}

// One click marks what came, for its tenant and as what it was, also if it was rejected; the next one
// makes it wanted, and the next takes that back.
func TestClicks(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{}, "")
	click := func(want int, values ...string) string {
		t.Helper()
		form := url.Values{}
		for i := 0; i < len(values); i += 2 {
			form.Set(values[i], values[i+1])
		}
		return post(t, s, want, form)
	}
	send := func(id string, n int) admission.Verdict {
		t.Helper()
		return *submit(t, s, jsonLine(id, advert(n), "a"))[0].Verdict
	}
	send("17", 0)
	page := click(http.StatusOK, "verdict", "1", "label", "spam")
	if !strings.Contains(page, `marked: spam`) || strings.Contains(page, `value="spam"`) {
		t.Errorf("after a click:\n%s", page)
	}
	if v := send("18", 1); v.Action != admission.Reject || v.Mark != "a/17" {
		t.Errorf("got %+v", v)
	}
	if v := *submit(t, s, jsonLine("18", advert(1), "b"))[0].Verdict; v.Action != admission.Accept {
		t.Errorf("another tenant: got %+v", v)
	}
	// What was rejected is not in the index; its mark has its text all the same.
	click(http.StatusOK, "verdict", "2", "label", "wanted")
	if v := send("19", 1); v.Policy != "wanted" || v.Mark != "a/18" {
		t.Errorf("got %+v", v)
	}
	key := regexp.MustCompile(`name="unmark" value="([^"]+)" aria-label="Unmark a/17"`).FindStringSubmatch(click(http.StatusOK, "verdict", "1", "label", "spam"))
	if key == nil {
		t.Fatal("no button that unmarks a/17")
	}
	click(http.StatusOK, "unmark", key[1])
	var marks []shown
	if _, text := call(t, s, "GET", "/marks", ""); json.Unmarshal([]byte(text), &marks) != nil || len(marks) != 1 || marks[0].Name != "a/18" || marks[0].Used != 1 || marks[0].LastUsed.IsZero() || marks[0].Marked.IsZero() {
		t.Errorf("got %s", text)
	}
	for _, wrong := range [][]string{
		{"verdict", "1", "label", "eggs"}, {"verdict", "x", "label", "spam"}, {"label", "spam"}, {"unmark", "!"},
	} {
		click(http.StatusBadRequest, wrong...)
	}
	click(http.StatusNotFound, "verdict", "1000", "label", "spam")
}

// A mark that would have stopped mails that were let in is asked about first: nothing is marked until an answer.
func TestClickAsks(t *testing.T) {
	t.Parallel()
	const footer = "to leave this list of old roses write to the owner whose name stands on our first page " +
		"and never send him pictures or attachments because his line is slow and his patience is not long, so please be kind"
	for _, sure := range []string{"copies", "all"} {
		s := newTestServer(t, limits{}, "")
		submit(t, s, jsonLine("17", "buy pills now "+footer, "a"))
		submit(t, s, jsonLine("18", "who has seeds of the white one from Lyon for me "+footer, "a"))
		submit(t, s, jsonLine("19", "thanks for all the answers that I got since last Friday "+footer, "a"))
		form := url.Values{"verdict": {"1"}, "label": {"spam"}}
		page := post(t, s, http.StatusOK, form)
		if !strings.Contains(page, "would have stopped 2 mails that were let in") || strings.Contains(page, "marked: spam") {
			t.Fatalf("wanted a question, got\n%s", page)
		}
		form.Set("sure", sure)
		if page := post(t, s, http.StatusOK, form); strings.Contains(page, "would have stopped") || !strings.Contains(page, "marked: spam") {
			t.Errorf("%s: wanted a mark, got\n%s", sure, page)
		}
		want := map[string]admission.Action{"copies": admission.Accept, "all": admission.Reject}[sure]
		if v := submit(t, s, jsonLine("20", "my hedge has been eaten by the deer of our neighbour again "+footer, "a"))[0]; v.Action != want {
			t.Errorf("%s: got %+v, want %s", sure, v.Verdict, want)
		}
	}
}

// A click needs the token, and must not come from another site.
func TestClickProtected(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, limits{}, "secret")
	submit(t, s, jsonLine("1", advert(0), ""))
	for _, test := range []struct {
		password, site string
		want           int
	}{
		{"", "same-origin", http.StatusUnauthorized},
		{"secret", "cross-site", http.StatusForbidden},
		{"secret", "same-site", http.StatusForbidden},
		{"secret", "same-origin", http.StatusOK},
	} {
		r, err := http.NewRequest("POST", s.URL+"/status", strings.NewReader("verdict=1&label=spam"))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("me", test.password)
		r.Header.Set("Sec-Fetch-Site", test.site)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != test.want {
			t.Errorf("%+v: got %d", test, res.StatusCode)
		}
	}
	open := newTestServer(t, limits{}, "")
	r, _ := http.NewRequest("POST", open.URL+"/status", strings.NewReader("verdict=1&label=spam"))
	r.Host = "evil.example"
	res, err := open.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a foreign host: got %d", res.StatusCode)
	}
}
