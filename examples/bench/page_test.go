package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The page that is checked in is what its results draw: at least eight programs on at least three corpora, all of
// one run. No figure was changed by hand.
func TestPage(t *testing.T) {
	t.Parallel()
	r, err := openResults("results")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := r.page(dir); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Corpora) < 3 || len(drawn) != len(r.Corpora)+1 {
		t.Errorf("%d corpora in %d files", len(r.Corpora), len(drawn))
	}
	for _, f := range drawn {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("results", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("results/%s is not what its results draw: run go -C examples run ./bench --out bench/results", f.Name())
		}
	}
	for _, c := range r.Corpora {
		ended := 0
		for _, p := range r.Programs {
			if x, ok := r.of(p.Name, c.Name); ok && x.Status == done {
				ended++
			}
		}
		if ended < 8 {
			t.Errorf("%s: %d programs, want 8", c.Name, ended)
		}
		// The naive program finds what the join in truth.go finds.
		if x, _ := r.of("naive exact", c.Name); x.Found != c.Near || x.Right != c.Near {
			t.Errorf("%s: naive exact has %+v of %d pairs", c.Name, x.score, c.Near)
		}
	}
}

// A picture is well-formed, and has a row for each program that ended.
func TestPicture(t *testing.T) {
	t.Parallel()
	r := results{
		Programs: []programRow{{Name: "a<b"}, {Name: "neardup x"}, {Name: "failed"}, {Name: "nothing"}},
		Corpora:  []corpusRow{{Name: "made", Near: 4, Bins: make([]int, len(edges))}},
		Runs: []result{
			{Program: "a<b", Corpus: "made", Status: done, spent: spent{CPU: .02, Peak: 20e6}, score: score{Found: 4, Right: 1, Bins: make([]int, len(edges))}},
			{Program: "neardup x", Corpus: "made", Status: done, spent: spent{CPU: 1.5, Peak: 900e6}, score: score{Found: 4, Right: 4, Bins: make([]int, len(edges))}},
			{Program: "failed", Corpus: "made", Status: failed, Reason: "it broke"},
			{Program: "nothing", Corpus: "made", Status: done, score: score{Bins: make([]int, len(edges))}},
		},
	}
	svg := r.picture(r.Corpora[0])
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">a&lt;b<", `class="own"`, ">nothing<", "<title>precision .25</title>", "<title>recall 1</title>", "prefers-color-scheme:dark", ">.01<", ">1000<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Contains(svg, ">failed<") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("got %s", svg)
	}
	if page := r.markdown(); !strings.Contains(page, "- failed: failed: it broke\n") {
		t.Errorf("got %s", page)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0", 1: "1", .5: ".5", .12345: ".123", .9999: ".999+", .0001: "<.001", .9: ".9", .999: ".999", .001: ".001"} {
		if got := number(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}

// A program that is measured is a page of code: 60 lines at most. Those in scripts run where Python is, and find what is equal.
func TestAdapters(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"library/*.go", "peers/*.go", "scripts/*"} {
		found, err := filepath.Glob(filepath.Join("adapters", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, "_test.go") || filepath.Ext(f) == "" })...)
	}
	if len(files) < 12 {
		t.Fatalf("%d adapters: %q", len(files), files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > 60 {
			t.Errorf("%s has %d lines, want 60 or fewer", file, n)
		}
	}
	all, err := readPrograms("adapters/programs.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.About == "" || p.Files == nil || p.Check != nil && p.Install == "" {
			t.Errorf("%s lacks what it does, its files or how it is installed", p.Name)
		}
	}
}
