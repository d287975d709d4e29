//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case childName:
			os.Exit(child(os.Args[2:]))
		case "fake":
			fake(os.Args[2], os.Args[3:])
			return
		}
	}
	os.Exit(m.Run())
}

// fake is a program with an answer that is known.
func fake(kind string, args []string) {
	switch kind {
	case "known":
		// A run leaves a trace.
		f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, "run")
		f.Close()
		var ids []string
		for d := json.NewDecoder(os.Stdin); d.More(); {
			var doc document
			if err := d.Decode(&doc); err != nil || doc.Text == "" {
				panic(fmt.Sprint("wanted a document, got ", doc, err))
			}
			ids = append(ids, doc.ID)
		}
		fmt.Println(`{"group": ["a", "b", "c"]}`)
		fmt.Println(`{"pair": ["b", "a"]}`) // again
		fmt.Println(`{"pair": ["a", "` + ids[len(ids)-1] + `"]}`)
	case "busy":
		// The runtime starts on several processors, so .1 s of CPU can take less time than that.
		for begin := time.Now(); cpu() < 100*time.Millisecond || time.Since(begin) < 100*time.Millisecond; {
		}
	case "say":
		for _, line := range args {
			fmt.Println(line)
		}
	case "crash":
		fmt.Println(`{"pair": ["a", "b"]}`)
		fmt.Fprintln(os.Stderr, "no more memory")
		os.Exit(3)
	case "hang":
		if len(args) == 0 { // another process that keeps the output open, in a group of its own
			cmd := exec.Command(os.Args[0], "fake", "hang", "alone")
			cmd.Stdout = os.Stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				panic(err)
			}
		}
		time.Sleep(time.Minute)
	}
}

func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, &out, &errs); got != want {
		t.Fatalf("bench %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// Twenty words, as a shingle is four of them: b lacks the last, c has another in the middle, d has nothing in common.
const (
	textA = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
	textB = "One two three four five six seven eight nine ten eleven twelve, thirteen fourteen fifteen sixteen seventeen eighteen nineteen."
	textC = "one two three four five six seven eight nine TEN eleven other thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
	textD = "what stands in no other document of these four that the fakes are given to read in a test"
)

// bench is a folder with a corpus and programs.
type bench struct {
	t   *testing.T
	dir string
}

func newBench(t *testing.T, programs ...program) bench {
	t.Helper()
	b := bench{t: t, dir: t.TempDir()}
	b.corpus(textD)
	b.programs(programs...)
	return b
}

// corpus writes the documents; a, b and c share a label.
func (b bench) corpus(last string) {
	var file bytes.Buffer
	for i, text := range []string{textA, textB, textC, last} {
		label := "x"
		if i == 3 {
			label = ""
		}
		if err := json.NewEncoder(&file).Encode(map[string]string{"id": string(rune('a' + i)), "text": text, "label": label}); err != nil {
			b.t.Fatal(err)
		}
	}
	b.write("texts.jsonl", file.Bytes())
}

func (b bench) programs(all ...program) {
	data, err := json.Marshal(all)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("programs.json", data)
}

func (b bench) write(name string, data []byte) {
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// faked is a fake program.
func faked(name string, args ...string) program {
	return program{Name: name, Command: append([]string{os.Args[0], "fake"}, args...)}
}

// run measures, and returns the results.
func (b bench) run(more ...string) (r results, page string) {
	b.t.Helper()
	args := []string{
		"--corpus", "", "--data", filepath.Join(b.dir, "texts.jsonl"), "--programs", filepath.Join(b.dir, "programs.json"),
		"--out", filepath.Join(b.dir, "out"), "--rounds", "1",
	}
	call(b.t, 0, append(args, more...)...)
	data, err := os.ReadFile(filepath.Join(b.dir, "out", "results.json"))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		b.t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "out", "README.md"))
	if err != nil {
		b.t.Fatal(err)
	}
	return r, string(text)
}

// A program whose answer is known is measured right.
func TestKnown(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	b := newBench(t, faked("known", "known", trace), faked("busy", "busy"))
	r, page := b.run("--rounds", "2")
	c := r.Corpora[0]
	// Of 17 shingles of a, b has 16, and c has 13 and 4 others.
	if c.Documents != 4 || c.Near != 1 || c.Labelled != 3 || !slices.Equal(c.Bins, []int{0, 1, 1, 0, 0, 1, 0, 0}) {
		t.Errorf("the corpus is %+v", c)
	}
	x, _ := r.of("known", "texts")
	if x.Status != done || x.Rounds != 2 || x.Found != 4 || x.Right != 1 || x.score.Labelled != 3 || !slices.Equal(x.score.Bins, []int{1, 1, 1, 0, 0, 1, 0, 0}) {
		t.Errorf("got %+v", x)
	}
	if data, err := os.ReadFile(trace); err != nil || strings.Count(string(data), "run") != 2 {
		t.Errorf("runs are %q, error %v", data, err)
	}
	busy, _ := r.of("busy", "texts")
	if busy.CPU < .1 || busy.Wall < .1 || busy.Found != 0 {
		t.Errorf("a program that works for .1 s and finds nothing: got %+v", busy)
	}
	if !regexp.MustCompile(`(?m)^known +\d+ .*, \.25, 1$`).MatchString(page) {
		t.Errorf("the page has not precision .25 and recall 1:\n%s", page)
	}
}

// What goes wrong with one program is said, and others are measured.
func TestWrong(t *testing.T) {
	t.Parallel()
	absent := faked("absent", "say")
	absent.Check, absent.Install = []string{"false"}, "apt-get install absent"
	unbuilt := faked("unbuilt", "say")
	unbuilt.Build = [][]string{{"sh", "-c", "echo no compiler; exit 1"}}
	b := newBench(
		t, absent, unbuilt, faked("crash", "crash"),
		faked("rubbish", "say", "hello"), faked("unknown", "say", `{"pair": ["a", "z"]}`),
		faked("same", "say", `{"pair": ["a", "a"]}`), faked("three", "say", `{"pair": ["a", "b", "c"]}`),
		faked("both", "say", `{"group": ["a", "b"], "pair": ["a", "b"]}`), faked("two", "say", `{"pair": ["a", "b"]}{"pair": ["a", "c"]}`),
		program{Name: "nowhere", Command: []string{"no-such-program"}}, faked("good", "say", `{"pair": ["a", "b"]}`),
	)
	r, page := b.run()
	for name, want := range map[string]string{
		"crash":   "failed: exit status 3: no more memory exit status 3",
		"rubbish": `failed: line 1 of its output: wanted {"pair": [...]} or {"group": [...]}, got "hello"`,
		"unknown": `failed: line 1 of its output: wanted the id of a document, got "z"`,
		"same":    `failed: line 1 of its output: wanted each document once, got "a" twice`,
		"three":   "failed: line 1 of its output: wanted a pair of 2 ids, got 3",
		"both":    `failed: line 1 of its output: wanted either "pair" or "group"`,
		"two":     `failed: line 1 of its output: wanted {"pair": [...]} or {"group": [...]}, got "{`,
		"nowhere": "failed: exit status 127: exec: \"no-such-program\": executable file not found in $PATH",
	} {
		x, ok := r.of(name, "texts")
		if got := fmt.Sprintf("%s: %s", x.Status, x.Reason); !ok || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if !strings.Contains(page, "\n- "+name+", texts: ") {
			t.Errorf("%s is not on the page", name)
		}
	}
	if x, ok := r.of("good", "texts"); !ok || x.Status != done || x.Right != 1 {
		t.Errorf("the good one: got %+v", x)
	}
	for _, want := range []string{"not installed: apt-get install absent", "cannot be built: sh: exit status 1: no compiler"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A program that hangs is stopped, with what it started; and if that holds on to the output, the run goes on.
func TestHang(t *testing.T) {
	t.Parallel()
	b := newBench(t, faked("hang", "hang"), faked("good", "say", `{"pair": ["a", "b"]}`))
	r, page := b.run("--deadline", "700ms")
	if x, _ := r.of("hang", "texts"); x.Status != overdue || !strings.Contains(page, "- hang, texts: overdue: more than 700ms") || !regexp.MustCompile(`(?m)^hang +- +-$`).MatchString(page) {
		t.Errorf("got %+v", x)
	}
	if x, ok := r.of("good", "texts"); !ok || x.Status != done && x.Status != overdue { // which a slow machine might be, too
		t.Errorf("got %+v", x)
	}
}

// ballast makes this process larger than its children.
var ballast []byte

// The memory of a program is its own, not that of the process that starts it.
func TestPeak(t *testing.T) {
	ballast = bytes.Repeat([]byte{1}, 250<<20)
	b := newBench(t, faked("small", "say"))
	r, _ := b.run()
	ballast = nil
	if x, _ := r.of("small", "texts"); x.Peak < 1<<20 || x.Peak > 150<<20 {
		t.Errorf("a program that does nothing has %d MB", x.Peak>>20)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, faked("one", "say"))
	list := filepath.Join(b.dir, "programs.json")
	twice := newBench(t, faked("one", "say"), faked("one", "say"))
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--rounds: wanted 1 or more, got 0", []string{"--rounds", "0"}},
		{2, "--threshold: wanted 0.5 to 1, got 0.4", []string{"--threshold", ".4"}},
		{2, "--deadline: wanted more than 0, got 0s", []string{"--deadline", "0"}},
		{2, `wanted flags alone, got ["x"]`, []string{"x"}},
		{1, "wanted a corpus, got none", []string{"--corpus", "", "--programs", list}},
		{1, `--corpus: wanted one of manuals, edits, pages, short, got "x"`, []string{"--corpus", "x", "--programs", list}},
		{1, "wanted a file or a directory, got none", []string{"--programs", list, "--corpus", "", "--data", b.dir + "/none"}},
		{1, `wanted a new name, got a second "texts"`, []string{"--programs", list, "--corpus", "", "--data", b.dir + "/texts.jsonl", "--data", b.dir + "/texts.jsonl"}},
		{1, "--programs: wanted a file, got none at ", []string{"--corpus", "", "--programs", b.dir + "/none"}},
		{1, `--program: wanted one of one, got "x"`, []string{"--corpus", "", "--programs", list, "--program", "x"}},
		{1, "each with a name of its own", []string{"--corpus", "", "--programs", filepath.Join(twice.dir, "programs.json")}},
		{2, "--docs: wanted 100 or more, got 5", []string{"latency", "--docs", "5"}},
		{2, "--time: wanted more than 0, got 0s", []string{"latency", "--time", "0"}},
	} {
		if _, stderr := call(t, tt.code, append(tt.args, "--out", t.TempDir())...); tt.args[0] != "latency" && !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: stderr %q, want %q", tt.args, stderr, tt.want)
		}
	}
	for _, args := range [][]string{{"--help"}, {"latency", "--help"}} {
		if stdout, _ := call(t, 0, args...); !strings.Contains(stdout, "go -C examples run ./bench") {
			t.Errorf("help is %s", stdout)
		}
	}
}
