package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != want {
		t.Fatalf("peerbench %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// data writes a file of two lines of random words.
func data(t *testing.T) string {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	var file bytes.Buffer
	for range 2 {
		var text strings.Builder
		for range 3000 {
			fmt.Fprintf(&text, "Word%d ", rnd.IntN(3000))
		}
		if err := json.NewEncoder(&file).Encode(map[string]string{"id": "x", "text": text.String()}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "made.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRun runs everything that is installed, on little.
func TestRun(t *testing.T) {
	stdout, _ := call(t, 0, "--data", data(t), "--docs", "5", "--size", "1000", "--rounds", "1", "--pairs", "20", "--json")
	var got report
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	// Words have 8 bytes or less, with the space.
	if got.Docs != 5 || got.Bytes < 5000 || got.Bytes > 5100 || got.Shingles < 5*100 || got.Shingles > 5*200 {
		t.Errorf("got %+v", got)
	}
	if r := got.Rows[0]; r.Ratio != 1 || math.Abs(r.Bytes-230) > 3 {
		t.Errorf("this library has %+v, want ratio 1, 230 bytes", r)
	}
	sketches := 0
	for _, r := range got.Rows {
		if r.Missing != "" {
			continue
		}
		if r.MBs <= 0 || r.NS <= 0 || r.Ratio <= 0 {
			t.Errorf("%s: %+v", r.Name, r)
		}
		if len(r.Accuracy) > 0 {
			sketches++
		}
		for _, a := range r.Accuracy {
			if a.Duplicates < 0 || a.Duplicates > 1 || a.Union == 200 && (a.Duplicates > .5) != (a.Resemblance > .9) {
				t.Errorf("%s: %+v", r.Name, a)
			}
		}
	}
	if len(got.Rows) < 9 || sketches < 3 {
		t.Errorf("%d rows, %d of them with accuracy", len(got.Rows), sketches)
	}
}

// TestMissing hides all programs: what is not there must be listed.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	stdout, _ := call(t, 0, "--data", data(t), "--docs", "2", "--size", "500", "--rounds", "1", "--pairs", "0")
	for _, want := range []string{
		"| Lucene's MinHashFilter: not installed: " + luceneInstall + " |",
		"| simhash (C), 8-byte shingles: not installed: apt-get install simhash ",
		"| this library: ", "| ekzhu/minhash-lsh", "| dgryski/go-minhash MinWise", "| xxHash64 ", "| bleve's unicode tokenizer", "| bleve: unicode, to_lower, shingle",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "P(r)") {
		t.Errorf("accuracy with --pairs 0:\n%s", stdout)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.jsonl")
	if err := os.WriteFile(broken, []byte("{\"text\": 3}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--rounds: wanted 1 or more, got 0", []string{"--rounds", "0"}},
		{2, `wanted flags, got ["x"]`, []string{"x"}},
		{1, "no such file", []string{"--data", broken + ".none"}},
		{1, "broken.jsonl: json: cannot unmarshal number", []string{"--data", broken}},
		{1, "wanted 9000000 bytes of text or more, got ", []string{"--data", data(t), "--size", "9000000"}},
	} {
		if _, stderr := call(t, tt.code, tt.args...); !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: stderr %q, want %q", tt.args, stderr, tt.want)
		}
	}
	if stdout, _ := call(t, 0, "--help"); !strings.Contains(stdout, "--rounds int") {
		t.Errorf("help is %s", stdout)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	var got []string
	for _, d := range cut([]byte("one two three four five six"), 3, 6) {
		got = append(got, string(d))
	}
	if want := []string{"one two", " three", " four five"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	var w words
	for _, text := range []string{"", "One", "a b c", "A\nb  c D", " The QUICK brown\tfox jumps  over. "} {
		var got, want []string
		w.read([]byte(text))
		w.shingles(func(s []byte) { got = append(got, string(s)) })
		fields := strings.Fields(strings.ToLower(text))
		for i := 0; i+4 <= len(fields); i++ {
			want = append(want, strings.Join(fields[i:i+4], " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestAgreeing counts agreements of a sketch whose lanes are known.
func TestAgreeing(t *testing.T) {
	t.Parallel()
	agree := agreeing(func(push func(func([]byte))) []uint64 {
		lanes := []uint64{math.MaxUint64, math.MaxUint64}
		push(func(e []byte) {
			lanes[0] = min(lanes[0], xxhash.Sum64(e))
			lanes[1] = min(lanes[1], uint64(e[0]))
		})
		return lanes
	})
	for _, tt := range []struct {
		a, b []uint64
		want int
	}{
		{[]uint64{1, 2}, []uint64{2, 1}, 2},
		{[]uint64{1, 2}, []uint64{3, 4}, 0},
		{[]uint64{1}, []uint64{257}, 1}, // the same low byte
	} {
		if got := agree(tt.a, tt.b); got != tt.want {
			t.Errorf("%v and %v: %d lanes agree, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestLanes checks that the lanes of every sketch in Go agree with a probability
// equal to the resemblance.
func TestLanes(t *testing.T) {
	t.Parallel()
	for _, p := range inProcess([][]byte{[]byte("some words for a document")}) {
		if p.agree == nil {
			continue
		}
		rnd := rand.New(rand.NewPCG(8, 9))
		sum, n := 0, 300
		for range n {
			a, b := pair(rnd, nil, nil, 160, 200)
			sum += p.agree(a, b)
		}
		// The standard error of the mean is .04/√300.
		if mean := float64(sum) / float64(n) / lanes; math.Abs(mean-.8) > .012 {
			t.Errorf("%s: lanes agree with probability %v, want .8", p.name, mean)
		}
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	w := row{seconds: []float64{.2, .9, .4}}
	w.finish(&report{Bytes: 8_000_000, Shingles: 1_000_000}, []float64{.1, .1, .4})
	if w.MBs != 20 || w.NS != 400 || w.Ratio != 2 {
		t.Errorf("got %+v, want 20 MB/s, 400 ns, ratio 2", w)
	}
}
