package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	docsearch "github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groupsOf reads the groups of a file, as lines.
func groupsOf(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var g ondisk.Group
		if err := d.Decode(&g); err == io.EOF {
			slices.Sort(all)
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Join(append([]string{g.Head}, g.Members...), " "))
	}
}

// TestDedupe checks that the groups are those that groups lists of an index, here of Clang's manuals in four versions.
func TestDedupe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	z, err := gzip.NewReader(bytes.NewReader(docsearch.Lines))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(string(all), `{"id":"llvm-`)
	clang, index := write(t, dir, "clang.jsonl", lines), filepath.Join(dir, "index")
	call(t, 0, "index", index, clang)
	for _, by := range []string{"leaders", "components"} {
		stdout, _ := call(t, 0, "groups", index, "--by", by, "--json")
		var want []string
		for d := json.NewDecoder(strings.NewReader(stdout)); d.More(); {
			var c near.Group
			if err := d.Decode(&c); err != nil {
				t.Fatal(err)
			}
			ids := []string{c.Head.ID}
			for _, m := range c.Members {
				ids = append(ids, m.ID)
			}
			want = append(want, strings.Join(ids, " "))
		}
		slices.Sort(want)
		groups := filepath.Join(dir, by)
		var r ondisk.Result
		read(t, 0, &r, "dedupe", clang, "--by", by, "--memory", "32", "--groups", groups)
		if got := groupsOf(t, groups); !slices.Equal(got, want) || int(r.Groups) != len(want) {
			t.Errorf("%s: got %d groups, want %d, or other ones", by, len(got), len(want))
		}
		keep, stderr := call(t, 0, "dedupe", clang, "--by", by)
		if n := strings.Count(keep, "\n"); n != int(r.Documents-r.Dropped) {
			t.Errorf("%s: got %d ids to keep, want %d", by, n, r.Documents-r.Dropped)
		}
		if want := fmt.Sprintf("%d documents: %d groups, %d to keep, %d dropped\n", r.Documents, r.Groups, r.Documents-r.Dropped, r.Dropped); stderr != want {
			t.Errorf("got %q, want %q", stderr, want)
		}
	}
}

// TestDedupeInterrupted checks that the same command goes on after an interrupt.
func TestDedupeInterrupted(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	const all, first = 300, 100
	for i := range all {
		fmt.Fprintf(&lines, "{\"id\": \"%d\", \"text\": \"note of %s\"}\n", i, fox)
	}
	half := strings.Index(lines.String(), fmt.Sprintf("{\"id\": \"%d\"", first))
	ctx, cancel := context.WithCancel(context.Background())
	in := io.MultiReader(strings.NewReader(lines.String()[:half]), hook(cancel), strings.NewReader(lines.String()[half:]))
	var stderr bytes.Buffer
	if code := run(ctx, []string{"dedupe", "--dir", dir}, in, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Fatalf("exit code %d, stderr %q", code, stderr.String())
	}
	job, err := ondisk.Open(dir, ondisk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := job.Len(); n == 0 || n >= all {
		t.Errorf("%d documents are there after the interrupt", n)
	}
	job.Close()
	for range 2 { // also after it is through
		if keep, _ := callIn(t, 0, lines.String(), "dedupe", "--dir", dir); keep != "0\n" {
			t.Errorf("got %q", keep)
		}
	}
	if _, stderr := callIn(t, 2, lines.String(), "dedupe", "--dir", dir, "--lanes", "80"); !strings.Contains(stderr, ", the rule of ") {
		t.Errorf("got %q", stderr)
	}
}

func TestDedupeUsage(t *testing.T) {
	for _, tt := range []struct {
		code int
		says string
		args []string
	}{
		{2, "--memory: wanted 1 to 1073741824 MiB, got 0", []string{"--memory", "0"}},
		{2, `by: wanted "leaders" or "components", got "x"`, []string{"--by", "x"}},
		{1, "memory: wanted 16777220 bytes or more for 1 documents, got 2097152", []string{"--memory", "2"}},
	} {
		if _, stderr := callIn(t, tt.code, `{"id": "a", "text": "b"}`, append([]string{"dedupe"}, tt.args...)...); !strings.Contains(stderr, tt.says) {
			t.Errorf("%q: got %q", tt.args, stderr)
		}
	}
}
