package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const (
	wall = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
	spam = "Buy the cheapest pills of the world today and pay for them in three easy rates tomorrow."
)

// small makes an index of two documents.
func small(t *testing.T) string {
	t.Helper()
	x := filepath.Join(t.TempDir(), "x.bleve")
	callIn(t, 0, `{"id": "a", "text": "`+wall+`"}`+"\n"+`{"id": "b", "text": "nothing like it"}`, "index", "-q", x)
	return x
}

func TestPolicyCommands(t *testing.T) {
	t.Parallel()
	x := small(t)
	if out, _ := call(t, 0, "policy", "show", x); out != "null\n" {
		t.Errorf("got %s", out)
	}
	call(t, 1, "policy", "try", x, x)
	_, errs := callIn(t, 1, `{"nearly": "tag"}`, "policy", "set", x, "-")
	if !strings.Contains(errs, `"nearly"`) {
		t.Errorf("got %s", errs)
	}
	file := write(t, t.TempDir(), "policy.json", `{"near": "reject", "known": "tag"}`)
	call(t, 0, "policy", "set", x, file)
	var p admission.Policy
	read(t, 0, &p, "policy", "show", x)
	if p.Near != admission.Reject || p.Known != admission.Tag {
		t.Errorf("got %+v", p)
	}
	docs := `{"id": "c", "text": "` + wall + `"}` + "\n" + `{"id": "d", "text": "` + spam + `"}` + "\n" + `{"id": "e", "text": "` + spam + `"}`
	out, _ := callIn(t, 0, docs, "policy", "try", x)
	for _, want := range []string{`(?m)^reject +c +.*"?a"?`, `(?m)^reject +e +.*"?d"?`, `(?m)^documents: 3; accept: 1; tag: 0; reject: 2; replace: 0$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("wanted %s, got %s", want, out)
		}
	}
	var f audit
	if read(t, 0, &f, "check", x); f.Documents != 2 {
		t.Errorf("a try wrote: %d documents", f.Documents)
	}
	// A shadow shows what would be.
	callIn(t, 0, `{"near": "reject", "shadow": true}`, "policy", "set", x, "-")
	if out, _ := callIn(t, 0, docs, "policy", "try", x); !regexp.MustCompile(`(?m)^reject +c`).MatchString(out) || !strings.Contains(out, "tag: 2") {
		t.Errorf("got %s", out)
	}
	for _, args := range [][]string{{"policy"}, {"policy", "nosuch"}, {"policy", "set", x}, {"mark"}} {
		if _, errs := call(t, 2, args...); !strings.Contains(errs, "wanted ") {
			t.Errorf("%s: got %s", args, errs)
		}
	}
}

func TestMarkCommands(t *testing.T) {
	t.Parallel()
	x := small(t)
	if _, errs := call(t, 0, "mark", "add", x, "fox", "--id", "a"); !strings.Contains(errs, "has no \"known\"") {
		t.Errorf("got %s", errs)
	}
	callIn(t, 0, `{"known": "reject"}`, "policy", "set", x, "-")
	call(t, 0, "mark", "add", x, "fox", "--id", "a")
	callIn(t, 0, spam, "mark", "add", x, "pills", "-")
	call(t, 0, "mark", "add", x, "fine", "--label", "wanted", write(t, t.TempDir(), "fine.txt", "A text that everybody may send as often as they like to do it."))
	var marks []admission.Mark
	if read(t, 0, &marks, "mark", "list", x); len(marks) != 3 {
		t.Fatalf("got %+v", marks)
	}
	if out, _ := callIn(t, 0, `{"id": "d", "text": "`+spam+`"}`, "policy", "try", x); !strings.Contains(out, `pills`) {
		t.Errorf("got %s", out)
	}
	call(t, 0, "mark", "remove", x, "pills", "fine")
	if out, _ := call(t, 0, "mark", "list", x); !strings.Contains(out, "fox") || !strings.Contains(out, "marks: 1") {
		t.Errorf("got %s", out)
	}
	if _, errs := call(t, 2, "mark", "add", x, "n"); !strings.Contains(errs, `wanted --id or a file`) {
		t.Errorf("got %s", errs)
	}
	for want, line := range map[string][]string{
		`wanted the name of a mark of`: {"mark", "remove", x, "pills"},
		`nosuch`:                       {"mark", "add", x, "n", "--id", "nosuch"},
		`"ham"`:                        {"mark", "add", x, "n", "--id", "a", "--label", "ham"},
	} {
		if _, errs := call(t, 1, line...); !strings.Contains(errs, want) {
			t.Errorf("%q: wanted %s, got %s", line, want, errs)
		}
	}
}

func TestServeCommand(t *testing.T) {
	t.Parallel()
	x := small(t)
	callIn(t, 0, `{"id": "c", "text": "`+wall+`"}`, "index", "-q", x)
	for _, line := range []string{"--limits {", `--limits {"hit":1}`, "--timeout 0s"} {
		call(t, 2, append([]string{"serve", x}, strings.Fields(line)...)...)
	}
	call(t, 1, "serve", x, "--addr", "nowhere:x")
	ctx, stop := context.WithCancel(t.Context())
	log, errs := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"serve", x, "--addr", "127.0.0.1:0", "--limits", `{"hits": 20}`}, nil, io.Discard, errs)
	}()
	line := make([]byte, 1000)
	n, err := log.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, log)
	url := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
	post := func(body string) (int, []byte) {
		r, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, text
	}
	status, body := post(`{"query": {"query": "fox"}, "size": 10}`)
	var result collapse.Result
	if err := json.Unmarshal(body, &result); err != nil || status != http.StatusOK || result.TotalGroups != 1 || result.Total != 2 {
		t.Errorf("got %d, %v, %s", status, err, body)
	}
	if status, body := post(`{"query": {"query": "fox"}, "size": 21}`); status != http.StatusBadRequest {
		t.Errorf("beyond the limits: got %d, %s", status, body)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
