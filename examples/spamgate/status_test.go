package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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
		`<text class="axis x"`, `<text class="axis y"`, "52 accepted, 1 tagged", "1 near</title>",
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
		r, err := s.Client().PostForm(s.URL+"/status", form)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != want {
			t.Fatalf("%q: got %d %s, %v, want %d", values, r.StatusCode, text, err, want)
		}
		return string(text)
	}
	send := func(id string, n int) admission.Verdict {
		t.Helper()
		return *submit(t, s, jsonLine(id, advert(n), "a"))[0].Verdict
	}
	send("17", 0)
	page := click(http.StatusOK, "verdict", "1", "label", "spam", "over", "day")
	if !strings.Contains(page, `marked: spam`) || !strings.Contains(page, `<a href="/status?over=day" aria-current="page">`) || strings.Contains(page, `value="spam"`) {
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

// After a restart the text of a mark is that of the document after which it is named, unless that
// has another text by now.
func TestTextsOfMarks(t *testing.T) {
	t.Parallel()
	g, err := openGate("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer g.index.Close()
	send := func(tenant, id string, n int) *judged {
		text := advert(n)
		if _, err := g.submit(t.Context(), document{ID: id, Tenant: tenant, Text: &text}); err != nil {
			t.Fatal(err)
		}
		return g.recent[len(g.recent)-1]
	}
	look := func(j *judged, missing bool) {
		t.Helper()
		if p, err := g.pair(j); err != nil || p == nil || (p.Missing != "") != missing {
			t.Errorf("%s: got %+v, %v", j.Mark, p, err)
		}
	}
	send("a/b", "c/d", 1)
	if err := g.markVerdict(t.Context(), 1, admission.Spam); err != nil {
		t.Fatal(err)
	}
	j := send("a/b", "e", 2)
	look(j, false)
	clear(g.texts)
	look(j, false)
	other := "a text of another kind, about the weather of the week and what to wear in the mountains"
	if v, err := g.submit(t.Context(), document{ID: "c/d", Tenant: "a/b", Text: &other}); err != nil || v.Action != admission.Accept {
		t.Fatal(v, err)
	}
	look(j, true)
}

// The bars of a timeline are what a plain loop counts.
func TestTimeline(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	zone := time.FixedZone("", 5*3600+1800)
	at := time.Date(2026, 3, 1, 22, 10, 0, 0, zone)
	var l timeline
	type event struct {
		at time.Time
		o  outcome
	}
	var all []event
	for range 3000 {
		at = at.Add(time.Duration(rnd.IntN(40)*rnd.IntN(40)) * time.Second)
		e := event{at, outcome{actions[rnd.IntN(4)].Action, []string{"", "near", "known"}[rnd.IntN(3)]}}
		all = append(all, e)
		l.add(e.at, e.o)
		if rnd.IntN(100) > 0 {
			continue
		}
		now := at.Add(time.Duration(rnd.IntN(90)) * time.Minute)
		for i, s := range spans {
			bars := l.since(i, now)
			if len(bars) != s.bars {
				t.Fatalf("%d bars, want %d", len(bars), s.bars)
			}
			// Bars begin at full minutes, half hours, or three hours of the day.
			last := time.Date(2026, 3, now.Day(), now.Hour(), now.Minute(), 0, 0, zone)
			switch s.step {
			case 30 * time.Minute:
				last = last.Add(-time.Duration(now.Minute()%30) * time.Minute)
			case 3 * time.Hour:
				last = last.Add(-time.Duration(now.Hour()%3)*time.Hour - time.Duration(now.Minute())*time.Minute)
			}
			for n, bar := range bars {
				from := last.Add(-time.Duration(s.bars-1-n) * s.step)
				want := map[outcome]int{}
				for _, e := range all {
					if !e.at.Before(from) && e.at.Before(from.Add(s.step)) {
						want[e.o]++
					}
				}
				if fmt.Sprint(bar.counts) != fmt.Sprint(want) || s.label(bar.at) != from.Format(s.layout) {
					t.Fatalf("%s, bar %d: got %s %v, want %s %v", s.Name, n, s.label(bar.at), bar.counts, from.Format(s.layout), want)
				}
			}
		}
	}
}

// The parts of a bar stand on each other and are as high as the axis says.
func TestChart(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 1, 3, 4, 5, 7, 19, 20, 21, 99, 101, 12345} {
		var l timeline
		now := time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC)
		for n := range most {
			l.add(now, outcome{actions[n%4].Action, "near"})
		}
		for _, c := range charts(spans[0], l.since(0, now)) {
			sum := 0
			for _, k := range c.Key {
				sum += k.counts[len(k.counts)-1]
			}
			for _, p := range c.Pictures {
				last := p.Lines[len(p.Lines)-1]
				top, err := strconv.Atoi(last.Text)
				if err != nil || top < sum || len(p.Lines) > 5 || last.At != p.Top || p.Lines[0].At != p.Bottom {
					t.Errorf("%d: axis %v", most, p.Lines)
				}
				y := p.Bottom
				for _, s := range p.Stacks {
					for _, r := range s.Parts {
						if y -= r.H; r.Y-y > 1e-6 || y-r.Y > 1e-6 {
							t.Errorf("%d: a part at %v, want %v", most, r.Y, y)
						}
					}
				}
				if got := (p.Bottom - y) / (p.Bottom - p.Top) * float64(top); got-float64(sum) > 1e-6 || float64(sum)-got > 1e-6 {
					t.Errorf("%d: a bar of %v, want %d", most, got, sum)
				}
			}
		}
	}
}
