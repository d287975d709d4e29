package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// called runs spamgate and returns its output.
func called(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), args, &out, &errs); got != code {
		t.Errorf("%q: exit code %d, want %d: %s", args, got, code, errs.String())
	}
	return out.String(), errs.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplaySample(t *testing.T) {
	out, _ := called(t, 0, "replay")
	for _, want := range []string{
		"2026-03-02 01:23  reject  flood  spam  campaign-0-03  a near-duplicate of \"campaign-0-00\", after 3 copies (100 lanes agree, Hamming 0, by ",
		"2026-03-03  the operator marks 3 that got in\n",
		" reject  known  spam  campaign-0-08  a near-duplicate of what is marked \"campaign-0-00\" (",
		" reject  known  spam  campaign-1-00  like what is marked \"campaign-0-00\" (",
		"\n314 documents from 2026-03-02 to 2026-03-15, 4 marked by the operator\n",
		"  reject known    0    0.0 %   111   92.5 %\n",
		"  reject flood    3    1.5 %     5    4.2 %\n",
		"           all  194  100.0 %   120  100.0 %\n",
		"\nLegitimate mail that was touched:\n2026-03-09 07:00  tag     near   ham   canteen-1  a near-duplicate of \"canteen-0\" (",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	again, _ := called(t, 0, "replay")
	if again != out {
		t.Error("the second replay differs from the first")
	}
	_, summary, _ := strings.Cut(out, "\n\n")
	if quiet, _ := called(t, 0, "replay", "--quiet"); strings.TrimPrefix(quiet, "\n") != summary {
		t.Errorf("got\n%s\nwant\n%s", quiet, summary)
	}
	if alone, _ := called(t, 0, "replay", "--operator=false"); strings.Contains(alone, "known") || !strings.Contains(alone, " 0 marked by the operator") {
		t.Errorf("got\n%s", alone)
	}
}

// A mailbox of one's own is replayed by date, under a policy of one's own.
func TestReplayFile(t *testing.T) {
	var lines string
	for n := range 4 {
		line, _ := json.Marshal(map[string]any{"id": fmt.Sprint(n), "text": advert(n), "tenant": "t", "date": fmt.Sprintf("2026-01-%02dT10:00:00+01:00", 9-n)})
		lines += string(line) + "\n\n"
	}
	mailbox := write(t, "mail.jsonl", lines)
	policy := write(t, "policy.json", `{"scope":"tenant","near":"reject"}`)
	out, _ := called(t, 0, "replay", "--policy", policy, mailbox)
	stopped := regexp.MustCompile(`(?m)^2026-01-0[789] 10:00  reject  near   \?     [012]  a near-duplicate of "3" \(`).FindAllString(out, -1)
	if len(stopped) != 3 || strings.Contains(out, "Legitimate") || !strings.Contains(out, "unlabelled") {
		t.Errorf("got %q in\n%s", stopped, out)
	}
	undated := `{"id":"a","text":"one text"}` + "\n" + `{"id":"b","text":"One text."}`
	if out, _ := called(t, 0, "replay", write(t, "undated.jsonl", undated)); !strings.Contains(out, "undated  tag     near   ?     b  a near-duplicate of \"a\" (") {
		t.Errorf("got\n%s", out)
	}
	if _, stderr := called(t, 1, "replay", write(t, "bad.jsonl", "\n{}\n")); !strings.Contains(stderr, "bad.jsonl:2: text: wanted a string, got none") {
		t.Errorf("got %s", stderr)
	}
	if _, stderr := called(t, 1, "replay", write(t, "none.jsonl", "\n")); !strings.Contains(stderr, "wanted lines of JSON, got none") {
		t.Errorf("got %s", stderr)
	}
}

// An index on disk remembers documents and marks.
func TestIndexOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	var lines string
	for n := range 3 {
		line, _ := json.Marshal(map[string]any{"id": fmt.Sprint(n), "text": advert(0), "label": "spam", "date": fmt.Sprintf("2026-01-%02dT10:00:00Z", 1+n)})
		lines += string(line) + "\n"
	}
	if out, _ := called(t, 0, "replay", "--index", path, write(t, "mail.jsonl", lines)); !strings.Contains(out, "1 marked") {
		t.Errorf("got\n%s", out)
	}
	g, err := openGate(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer g.index.Close()
	text := advert(0)
	if v, err := g.submit(t.Context(), document{ID: "new", Text: &text}); err != nil || v.Mark != "0" || v.Action != admission.Reject {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestUsage(t *testing.T) {
	t.Setenv("SPAMGATE_TOKEN", "")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"--nosuch", 2, "unknown flag: --nosuch"},
		{"serve", 2, `arguments: wanted replay and one file, got ["serve"]`},
		{"replay a b", 2, "arguments: wanted replay and one file"},
		{"--max-body 0", 2, "--max-body: wanted 1 or more, got 0"},
		{"--addr nonsense", 2, `--addr: wanted host:port, got "nonsense"`},
		{"--addr :8080", 2, "--addr: wanted an address of this machine, such as localhost:8081, or SPAMGATE_TOKEN set"},
		{"replay nosuch.jsonl", 1, "nosuch.jsonl"},
		{"--policy nosuch.json", 1, "nosuch.json"},
		{`--policy {"near":"tag","scope":"host"}`, 1, `scope: wanted "tenant", or none if no document has a tenant; got "host"`},
		{"--timeout -1s", 2, "--timeout: wanted a positive time, got -1s"},
		{"--max-requests -1", 2, "--max-requests: wanted 0 or more, got -1"},
		{`--policy {"scope":"tenant","time":"sent"}`, 1, `time: wanted "date"`},
		{`--policy {"near":"drop"}`, 1, `near: wanted`},
	} {
		args := strings.Fields(test.args)
		for i, arg := range args {
			if strings.HasPrefix(arg, "{") { // what the file has
				args[i] = write(t, "p.json", arg)
			}
		}
		if stdout, stderr := called(t, test.code, args...); stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: stdout %q, stderr %q, want %q", test.args, stdout, stderr, test.want)
		}
	}
	if stdout, _ := called(t, 0, "--help"); !strings.Contains(stdout, "POST   /documents") || !strings.Contains(stdout, "--max-body") || !strings.Contains(stdout, "Short mails get through") {
		t.Errorf("--help:\n%s", stdout)
	}
}

// An interrupt ends the server, with exit code 0.
func TestShutdown(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stderr := interrupting{cancel: cancel}
	if code := run(ctx, []string{"--addr", "127.0.0.1:0"}, &stderr, &stderr); code != 0 || !strings.Contains(stderr.String(), "shutting down") || !strings.Contains(stderr.String(), "listening") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

// interrupting interrupts a server once it says that it listens.
type interrupting struct {
	bytes.Buffer
	cancel func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("listening")) {
		w.cancel()
	}
	return w.Buffer.Write(p)
}
