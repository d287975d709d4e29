package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

const letter = `Dear friend, you have won a great prize in the lottery of the post office: write to us
today, and no later than Friday, and claim what is yours, before it is given to somebody else, who
may have waited for it for as long as you have, and who lives in the very same street as you do.`

// The program, on shards of its own.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		all, err := shardsOf(3, local, nil, shards.RemoteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := shards.New(newMapping(), shards.Options{}, all...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if err := set.Write(shards.Document{ID: fmt.Sprint(i), Data: map[string]any{"text": fmt.Sprint(letter, i/4)}}); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := run(t.Context(), &out, all, shards.FailClosed, nil, "prize"); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Count(got, "hides") != 5 || !strings.Contains(got, "not written: a near-duplicate of") {
			t.Errorf("local %t: got\n%s", local, got)
		}
	}
}

// The command brings its documents along, wherever it runs.
func TestStart(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("NEARDUP_KEY", "")
	for d, err := range (options{}).documents() {
		if err != nil || d.ID == "" || d.Fields["text"] == "" {
			t.Errorf("got %q, %v", d.ID, err)
		}
		break
	}
	var out, errs bytes.Buffer
	if code := start(t.Context(), []string{"--help"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "--serve localhost:9001") {
		t.Errorf("--help: exit code %d: %s", code, out.String())
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"--nosuch", 2, "unknown flag: --nosuch"},
		{"--n 0", 2, "--n: wanted 1 or more, got 0"},
		{"--timeout 0s", 2, "--timeout: wanted a positive time, got 0s"},
		{"--partial ajar", 2, `--partial: wanted closed or open, got "ajar"`},
		{"--data x --no-data", 2, "--data cannot be combined with --no-data"},
		{"--data nosuch.jsonl", 1, "nosuch.jsonl"},
		{"--serve 9001", 2, `--serve: wanted host:port, got "9001"`},
		{"--serve :9001", 2, `--serve: wanted an address of this machine, such as localhost:9001, or NEARDUP_KEY set; got ":9001"`},
		{"--serve 0.0.0.0:9001", 2, "--serve: wanted an address of this machine"},
		{"--serve box.example:9001", 2, "--serve: wanted an address of this machine"},
	} {
		var out, errs bytes.Buffer
		if code := start(t.Context(), strings.Fields(test.args), &out, &errs); code != test.code || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s: exit code %d, %q, want %q", test.args, code, errs.String(), test.want)
		}
	}
	t.Setenv("NEARDUP_KEY", "secret")
	if _, err := parse([]string{"--serve", ":9001"}, &out); err != nil {
		t.Errorf("with a key: %v", err)
	}
}

// Two shards that are served, and the command that asks them.
func TestServed(t *testing.T) {
	for _, key := range []string{"", "secret"} {
		t.Setenv("NEARDUP_KEY", key)
		ctx, stop := context.WithCancel(t.Context())
		var urls []string
		codes := make(chan int, 2)
		for range 2 {
			read, write := io.Pipe()
			go func() {
				codes <- start(ctx, []string{"--serve", "127.0.0.1:0"}, io.Discard, write)
				write.Close()
			}()
			lines := bufio.NewScanner(read)
			for lines.Scan() {
				if _, url, ok := strings.Cut(lines.Text(), "url="); ok {
					urls = append(urls, url)
					break
				}
			}
			go io.Copy(io.Discard, read)
		}
		if len(urls) != 2 {
			t.Fatalf("key %q: served are %q", key, urls)
		}
		data := filepath.Join(t.TempDir(), "letters.jsonl")
		var text string
		for i := range 6 {
			text += fmt.Sprintf(`{"id": "%d", "text": %q}`+"\n", i, fmt.Sprint(letter, i/4))
		}
		if err := os.WriteFile(data, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := start(t.Context(), []string{"--at", strings.Join(urls, ","), "--timeout", "20s", "--data", data, "prize"}, &out, &errs)
		if code != 0 || !strings.Contains(out.String(), "6 documents on 2 shards") || strings.Count(out.String(), "hides") != 5 {
			t.Errorf("key %q: exit code %d: %s%s", key, code, errs.String(), out.String())
		}
		stop()
		for range 2 {
			if code := <-codes; code != 0 {
				t.Errorf("key %q: a server ends with %d", key, code)
			}
		}
	}
}

// A web page must not reach a shard that needs no key, nor anybody one that needs it.
func TestHandler(t *testing.T) {
	t.Parallel()
	x, err := newShard("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, test := range []struct {
		key, host, site, given string
		want                   int
	}{
		{"", "127.0.0.1:9001", "", "", 200},
		{"", "rebound.evil.example", "same-origin", "", http.StatusMisdirectedRequest},
		{"", "localhost:9001", "cross-site", "", http.StatusForbidden},
		{"secret", "box.example", "", "secret", 200},
		{"secret", "127.0.0.1:9001", "", "", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest("POST", "/search", strings.NewReader(`{"query":{"match_all":{}}}`))
		r.Host = test.host
		r.Header.Set("Content-Type", "application/json")
		if test.site != "" {
			r.Header.Set("Sec-Fetch-Site", test.site)
		}
		if test.given != "" {
			r.Header.Set("Authorization", "Bearer "+test.given)
		}
		w := httptest.NewRecorder()
		handler(x, test.key).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%+v: got %d %s", test, w.Code, w.Body)
		}
	}
}
