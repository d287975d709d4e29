package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// zipped writes a gzipped file of lines.
func zipped(t *testing.T, path string, lines ...string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, strings.Join(lines, "\n")+"\n")
	z.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// data makes a directory with one corpus, and a pair that is known of it.
func data(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "made")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range family(rand.New(rand.NewPCG(9, 9)), 40) {
		line, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	zipped(t, filepath.Join(dir, "docs_7.jsonl.gz"), lines...)
	zipped(t, filepath.Join(dir, "pairs_7.j4.tsv.gz"), "d0\td1\tedited\t.9\t0\t0")
	return dir
}

func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != want {
		t.Fatalf("accuracy %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pictures")
	stdout, _ := call(t, 0, "--data", data(t), "--pairs", "5", "--out", dir)
	for _, want := range []string{
		"of resemblance 0.8 taken for duplicates; of independent lanes, 0.0057:", "| fast similarity sketching | 2 of 6 supershingles |", "| bottom-100  ", "| 1,000 | 10,000 |", "made/docs_7: 41 documents (and 3 without a shingle, left out).",
		"| both, words ", "| 0.95 to 1 ", "| edited |", "acceptance.svg",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
	for _, name := range []string{"acceptance", "methods", "variance", "rules"} {
		checkPicture(t, filepath.Join(dir, name+".svg"))
	}
}

// TestPictures checks those that the documentation shows.
func TestPictures(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("pictures/*.svg")
	if err != nil || len(paths) != 5 {
		t.Fatalf("got %q, %v; want 5 pictures", paths, err)
	}
	for _, path := range paths {
		checkPicture(t, path)
	}
}

// checkPicture wants well-formed XML, small, of colours that all have one for the
// dark.
func checkPicture(t *testing.T, path string) {
	t.Helper()
	svg, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(svg) > 60_000 {
		t.Errorf("%s has %d bytes", path, len(svg))
	}
	dark := make(map[string]bool)
	for _, i := range inks {
		dark[i.hex()] = true
	}
	elements := make(map[string]int)
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements[start.Name.Local]++
		for _, a := range start.Attr {
			for _, property := range strings.Split(a.Value, ";") {
				if _, colour, ok := strings.Cut(property, ":#"); ok && a.Name.Local == "style" && !dark["#"+colour] {
					t.Errorf("%s: #%s has no dark counterpart", path, colour)
				}
			}
		}
	}
	if elements["title"] != 1 || elements["text"] < 8 || elements["path"] < 8 {
		t.Errorf("%s has the elements %v", path, elements)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	stdout, _ := call(t, 0, "--json", "--data", data(t), "--pairs", "5", "--out", t.TempDir())
	var got struct {
		Simulated []struct {
			Method, Kind          string
			Union, Pairs          int
			Resemblance, Binomial float64
		}
		Corpora []struct {
			Corpus     string
			Documents  int
			Duplicates map[string][]int
		}
		Pictures []string
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Simulated) == 0 || got.Simulated[0].Pairs != 5 || got.Simulated[0].Union != 5 || len(got.Pictures) != 4 {
		t.Errorf("got %+v", got)
	}
	if len(got.Corpora) != 1 || got.Corpora[0].Documents != 41 || len(got.Corpora[0].Duplicates["sketch"]) != len(edges) {
		t.Errorf("got %+v", got.Corpora)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	empty, broken := t.TempDir(), filepath.Join(t.TempDir(), "broken.jsonl")
	if err := os.WriteFile(broken, []byte("{\"id\": \"a\", \"text\": \"b\"}\n{\"id\": 3}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--pairs: wanted 0 or more, got -1", []string{"--pairs", "-1"}},
		{2, `wanted flags, got ["x"]`, []string{"x"}},
		{2, "unknown flag: --nonsense", []string{"--nonsense"}},
		{1, "wanted files named *.jsonl or *.jsonl.gz, got none", []string{"--data", empty}},
		{1, "no such file", []string{"--data", filepath.Join(empty, "none")}},
		{1, "broken.jsonl: document 2: ", []string{"--data", broken}},
	} {
		stdout, stderr := call(t, tt.code, tt.args...)
		if !strings.Contains(stderr, tt.want) || stdout != "" {
			t.Errorf("%q: stdout %q, stderr %q, want %q", tt.args, stdout, stderr, tt.want)
		}
	}
	if stdout, _ := call(t, 0, "--help"); !strings.Contains(stdout, "--pairs int") || !strings.Contains(stdout, "(default 20000)") {
		t.Errorf("help is %s", stdout)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	markdown.Table(&b, [][]string{{"a", "count"}, {"long", "1"}}, 1)
	if want := "| a    | count |\n|------|------:|\n| long |     1 |\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := comma(n); got != want {
			t.Errorf("comma(%d) = %q, want %q", n, got, want)
		}
	}
}
