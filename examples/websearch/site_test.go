package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// opened is what TestMain closes.
var opened []*pages.Index

func TestMain(m *testing.M) {
	code := m.Run()
	for _, index := range opened {
		index.Close()
	}
	os.Exit(code)
}

func openIndex(data string) *pages.Index {
	index, err := pages.Open(context.Background(), pages.Options{Data: data, Passages: passageWords, Out: io.Discard})
	if err != nil {
		log.Fatal(err)
	}
	opened = append(opened, index)
	return index
}

func siteOf(index *pages.Index) *site {
	s, err := newSite(index, slog.New(slog.DiscardHandler))
	if err != nil {
		log.Fatal(err)
	}
	s.guard.Timeout = time.Minute // tests wait longer than people
	return s
}

// manualsIndex is the index of the manuals, and manuals its site, both made once.
var (
	manualsIndex = sync.OnceValue(func() *pages.Index { return openIndex("") })
	manuals      = sync.OnceValue(func() *site { return siteOf(manualsIndex()) })
)

// get asks for a page, which has to come with the wanted status.
func get(t *testing.T, s *site, status int, path string) string {
	t.Helper()
	return send(t, s, status, httptest.NewRequest("GET", path, nil))
}

func send(t *testing.T, s *site, status int, r *http.Request) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s: status %d, want %d: %s", r.URL, w.Code, status, w.Body)
	}
	if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: headers %v", r.URL, w.Header())
	}
	return w.Body.String()
}

func post(t *testing.T, s *site, status int, path string, form url.Values) string {
	t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, s, status, r)
}

// total is the number of results that a page tells of.
func total(t *testing.T, page string) int {
	t.Helper()
	m := regexp.MustCompile(`id="status"[^>]*>(?:<b>([\d,]+)|Nothing)`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no status in %.3000s", page)
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	return n
}

// some is the first of paths where tests are to be short, as with the race detector.
func some(paths []string) []string {
	if testing.Short() {
		return paths[:1]
	}
	return paths
}

// TestFacetCounts follows every facet link: there are as many results as it says, and
// as many entries on all pages together.
func TestFacetCounts(t *testing.T) {
	s := manuals()
	link := regexp.MustCompile(`<li><a href="([^"]*)" data-live-link><span>([^<]*)</span> <span class="count">([\d,]+)`)
	for _, path := range some([]string{"/?q=loop&version=14", "/", "/?q=loop+vectorizer&lanes=70", "/?q=loop+vectorizer&collapse=off", "/?q=loop&project=clang", "/?q=loop&head=newest&version=14", "/?q=loop&per=project", "/?q=loop&per=project&project=clang"}) {
		links := link.FindAllStringSubmatch(get(t, s, 200, path), -1)
		if len(links) < 3 {
			t.Fatalf("%s: facets %q", path, links)
		}
		for _, l := range links {
			count, _ := strconv.Atoi(strings.ReplaceAll(l[3], ",", ""))
			if got := total(t, get(t, s, 200, html.UnescapeString(l[1]))); got != count {
				t.Errorf("%s: %s: %d results, the facet says %d", path, l[2], got, count)
			}
		}
	}
}

// TestPaging walks through all pages: each result is on one of them, once.
func TestPaging(t *testing.T) {
	s := manuals()
	id := regexp.MustCompile(`<p class="meta"><span class="id">([^<]*)`)
	for _, path := range some([]string{"/groups?lanes=80", "/?q=sanitizer", "/?q=sanitizer&collapse=off", "/?q=sanitizer&head=newest"}) {
		want := total(t, get(t, s, 200, path))
		seen := make(map[string]bool)
		for page := 1; page <= pagesOf(want); page++ {
			for _, m := range id.FindAllStringSubmatch(get(t, s, 200, fmt.Sprintf("%s&page=%d", strings.Replace(path, "groups?", "groups?x=&", 1), page)), -1) {
				if seen[m[1]] {
					t.Errorf("%s: %s is there twice", path, m[1])
				}
				seen[m[1]] = true
			}
		}
		if len(seen) != want {
			t.Errorf("%s: %d results on all pages, want %d", path, len(seen), want)
		}
	}
}

// TestText checks that a text of the data is never taken for HTML.
func TestText(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(2)> `
	dir := t.TempDir()
	words := strings.Repeat("the quick brown fox jumps over the lazy dog near a wall ", 3)
	for i := range 2 {
		line := fmt.Sprintf(`{"id": %q, "title": %q, "project": %q, "text": %q}`+"\n", fmt.Sprint(evil, i), evil, fmt.Sprint(evil, i), evil+words+fmt.Sprint("end ", i))
		f, err := os.OpenFile(filepath.Join(dir, "own.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(line)
		f.Close()
	}
	s := siteOf(openIndex(filepath.Join(dir, "own.jsonl")))
	if page := get(t, s, 200, "/"); !strings.Contains(page, "· own.jsonl<") || strings.Contains(page, dir) {
		t.Error("wanted the name of the file, and not where it is kept")
	}
	a, b := url.QueryEscape(evil+"0"), url.QueryEscape(evil+"1")
	for _, page := range []string{
		get(t, s, 200, "/?lanes=60&q="+url.QueryEscape(evil+"fox")+"&open="+a+"&open="+b),
		get(t, s, 200, "/groups?lanes=60&open="+a+"&open="+b),
		get(t, s, 200, "/doc?id="+a),
		get(t, s, 404, "/doc?id="+a+"x"),
		get(t, s, 200, "/paste?lanes=60&like="+a),
		get(t, s, 200, "/compare?part=1&a="+a+"&b="+b),
		post(t, s, 200, "/paste", url.Values{"text": {evil + words}, "lanes": {"50"}}),
		post(t, s, 200, "/compare", url.Values{"text": {evil + words}, "b": {evil + "1"}}),
	} {
		if strings.Contains(page, "<script>") || strings.Contains(page, "<img") {
			t.Errorf("a tag of the data in %s", page)
		}
		if !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("the text is not in %s", page)
		}
	}
}

// TestPaste checks that a text is an exact copy of its document, and that lanes and
// bits of a comparison are those of the match.
func TestPaste(t *testing.T) {
	s := manuals()
	const id = "llvm-14/LoopTerminology" // with things in angle brackets
	d, err := s.stored(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	exact := regexp.MustCompile(id + `</span>\s*<span class="figures"><b [^>]*>100 %</b>\s*<span>100 lanes</span><span>Hamming 0</span>\s*<span class="reasons"><i class="reason exact">`)
	for _, page := range []string{
		get(t, s, 200, "/paste?like="+id),
		post(t, s, 200, "/paste", url.Values{"text": {strings.ReplaceAll(d.Text, "\n", "\r\n")}}),
	} {
		if !exact.MatchString(page) || strings.Count(page, `class="figures"`) != 4 {
			t.Errorf("got %s, want four near-copies, %s exact", page[strings.Index(page, `id="status"`):], id)
		}
	}
	b, err := s.stored(context.Background(), "llvm-16/LoopTerminology")
	if err != nil {
		t.Fatal(err)
	}
	c := manuals().compareStored(state{Rule: signature.Rule{}}, d, b, maxHunks)
	differing := 0
	for _, bit := range c.Bits {
		if !bit.Agree() {
			differing++
		}
	}
	if c.Agreeing() != c.Match.Agree || differing != c.Match.Hamming || len(c.Lanes) != 100 || len(c.Bits) != 64 {
		t.Errorf("%d of %d lanes agree, %d of %d bits differ; the match says %v", c.Agreeing(), len(c.Lanes), differing, len(c.Bits), c.Match)
	}
}

// TestEdited edits a text in one place: all lanes agree, and yet it is not the same text, and
// what was added is told as added, by the user.
func TestEdited(t *testing.T) {
	s := manuals()
	const id = "llvm-14/SourceLevelDebugging"
	d, err := s.stored(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	text := "And one more sentence. " + d.Text
	page := post(t, s, 200, "/paste", url.Values{"text": {text}})
	if m := regexp.MustCompile(id + `</span>\s*<span class="figures"><b [^>]*>&gt; 99 %</b>\s*<span>100 lanes</span>`).FindString(page); m == "" {
		t.Errorf("%s is not > 99 %% with 100 lanes: %s", id, page[strings.Index(page, `id="status"`):])
	}
	part := post(t, s, 200, "/compare?part=1", url.Values{"text": {text}, "b": {id}})
	for _, want := range []string{
		"; resemblance &gt; 99.9 %", ">− 0 only in <a href=\"/doc?id=llvm-14%2FSourceLevelDebugging\">" + id + "</a></span>", ">+ 4 only in your text</span>",
		"<ins>And one more sentence.</ins>",
	} {
		if !strings.Contains(part, want) {
			t.Errorf("wanted %s in %s", want, part)
		}
	}
	for m, want := range map[signature.Match]string{
		{Agree: 100, By: signature.BySketch}:                     "> 99 %",
		{Agree: 100, By: signature.BySketch | signature.ByExact}: "100 %",
	} {
		if got := percent(1, m); got != want {
			t.Errorf("%v: got %s, want %s", m, got, want)
		}
		if got := percent(.994, m); got != "99 %" {
			t.Errorf("%v: got %s for .994", m, got)
		}
	}
}

// The page of a document links to its group by the name, and every page of the group to the same.
func TestGroupByName(t *testing.T) {
	t.Parallel()
	s := manuals()
	link := regexp.MustCompile(`href="(/\?[^"]*neardup_group[^"]*)">List its group of (\d+)<`)
	of := func(id string) (path, size string) {
		t.Helper()
		m := link.FindStringSubmatch(get(t, s, 200, "/doc?id="+url.QueryEscape(id)))
		if m == nil {
			t.Fatalf("%s: no link to its group", id)
		}
		return html.UnescapeString(m[1]), m[2]
	}
	const id = "llvm-14/LoopTerminology"
	path, size := of(id)
	page := get(t, s, 200, path)
	members := regexp.MustCompile(`<h2><a href="/doc\?id=([^"]*)"`).FindAllStringSubmatch(page, -1)
	found := false
	for _, m := range members {
		member, err := url.QueryUnescape(m[1])
		if err != nil {
			t.Fatal(err)
		}
		found = found || member == id
		if own, _ := of(member); own != path {
			t.Errorf("%s is on the page of the group %s, and links to %s", member, path, own)
		}
	}
	if !found || len(members) < 2 || total(t, page) != len(members) || size != strconv.Itoa(len(members)) {
		t.Errorf("%d of %d (%s) members, %s among them: %v", len(members), total(t, page), size, id, found)
	}
}

// TestBeyond asks for pages that are not there.
func TestBeyond(t *testing.T) {
	s := manuals()
	for path, want := range map[string]string{
		"/?q=loop&page=9999":       `There is no page 9,999; the last is <a href="/?page=8&amp;q=loop" data-live-link>8</a>.`,
		"/?q=loop&page=9":          `There is no page 9; the last is <a href="/?page=8&amp;q=loop"`,
		"/groups?page=9999":        "There is no page 9,999; the last is <a href=\"/groups?page=",
		"/?q=xyzzyx&page=2":        `Try other words, such as <a href="/?q=loop+vectorizer">`,
		"/groups?lanes=100&page=1": `class="entry"`,
	} {
		if page := get(t, s, 200, path); !strings.Contains(page, want) {
			t.Errorf("%s: wanted %s in %s", path, want, page[strings.Index(page, `id="list"`):])
		}
	}
	if page := get(t, s, 200, "/?q=xyzzyx&version=14"); strings.Count(page, `class="facet"`) != 1 || !strings.Contains(page, "or take the filters back") {
		t.Errorf("wanted the version that was chosen and no value that leads nowhere: %s", page)
	}
	if page := get(t, s, 200, "/?q=loop&page=9"); strings.Contains(page, `class="pager"`) {
		t.Error("there are links to pages around one that is not there")
	}
	if page := get(t, s, 200, "/?q=loop&page=8"); strings.Contains(page, "There is no page") || !strings.Contains(page, `class="entry"`) {
		t.Error("the last page is not there")
	}
}

// TestTurn waits for another's grouping no longer than the request may take.
func TestTurn(t *testing.T) {
	s := manuals()
	<-s.grouped.turn
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := s.grouping(ctx, state{Rule: signature.Rule{}})
	s.grouped.turn <- struct{}{}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestErrors(t *testing.T) {
	s := manuals()
	for path, status := range map[string]int{
		"/?lanes=0": 400, "/?lanes=101": 400, "/?head=oldest": 400, "/?head=&per=": 200, "/?per=version": 400, "/groups?per=on": 400, "/?page=0": 400, "/?page=x": 400,
		"/?version=99": 400, "/?page=9999": 200, "/?q=xyzzyx": 200, "/doc?id=none": 404, "/compare?a=none&b=none": 404, "/paste?like=none": 404,
		"/none": 404, "/groups?page=9999": 200,
	} {
		if page := get(t, s, status, path); (status != 200) != strings.Contains(page, `role="alert"`) {
			t.Errorf("%s: %s", path, page)
		}
	}
	if page := post(t, s, 413, "/paste", url.Values{"text": {strings.Repeat("word ", maxBody/5)}}); !strings.Contains(page, "more than a megabyte") {
		t.Errorf("a long text: %s", page)
	}
	get(t, s, 200, "/assets/"+s.version+"/app.js")
	if page := post(t, s, 200, "/paste", url.Values{"text": {"?"}}); !strings.Contains(page, "No document is a near-copy") {
		t.Errorf("a text without words: %s", page)
	}
}

func TestRun(t *testing.T) {
	for args, want := range map[string]string{"--nosuch": "unknown flag", "x": "wanted flags alone"} {
		var stderr bytes.Buffer
		if code := run(context.Background(), []string{args}, io.Discard, &stderr); code != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"--data", dir, "--addr", "127.0.0.1:0", "--host", "box.example"}, io.Discard, write)
		write.Close()
	}()
	var out bytes.Buffer
	var at string
	buffer := make([]byte, 1000)
	for at == "" {
		n, err := read.Read(buffer)
		if err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		out.Write(buffer[:n])
		if _, after, ok := strings.Cut(out.String(), "url="); ok {
			at, _, _ = strings.Cut(after, " ")
		}
	}
	go io.Copy(io.Discard, read)
	answer, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	// A web page gets nothing by a name of its own that points here.
	for host, want := range map[string]int{"rebound.evil.example": http.StatusMisdirectedRequest, "Box.example:80": http.StatusOK} {
		r, err := http.NewRequest("GET", at, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != want {
			t.Errorf("host %s: got %d, want %d", host, res.StatusCode, want)
		}
	}
	cancel()
	if code := <-done; answer.StatusCode != 200 || code != 0 {
		t.Errorf("status %d, exit code %d", answer.StatusCode, code)
	}
}

// A search of too many words is turned away before the index is asked, and one that takes
// too long is answered all the same.
func TestTooMuch(t *testing.T) {
	s := siteOf(manualsIndex())
	words := make([]string, 1001)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	if page := get(t, s, 400, "/?q="+strings.Join(words[:600], "+")); !strings.Contains(page, "limit terms: wanted at most 1000, got 1001") {
		t.Errorf("got %s", page)
	}
	get(t, s, 200, "/?q="+strings.Join(words[:100], "+"))
	s.guard.Timeout = 1
	if page := get(t, s, 503, "/?q=loop"); !strings.Contains(page, "role=\"alert\"") {
		t.Errorf("got %s", page)
	}
}
