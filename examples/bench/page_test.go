package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the page of results anew")

// The page that is checked in is what its results draw: at least eight programs on at least three corpora, all of
// one run. No figure was changed by hand.
func TestPage(t *testing.T) {
	t.Parallel()
	var r results
	data, err := os.ReadFile("results/results.json")
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := "results"
	if *update {
		if err := r.save(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != r.markdown() {
		t.Error("results/README.md is not what its results draw: run go -C examples run ./bench --out bench/results, or go test -update")
	}
	if len(r.Corpora) < 3 {
		t.Errorf("%d corpora", len(r.Corpora))
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

// In brackets stands the precision without pairs that nearly are near-duplicates.
func TestPrecision(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]score{
		"none": {Bins: make([]int, 8)}, ".5": {Found: 4, Right: 2, Bins: []int{2, 0, 0, 0, 0, 1, 1, 0}}, ".4 (.5)": {Found: 5, Right: 2, Bins: []int{1, 0, 0, 1, 1, 2, 0, 0}},
	} {
		if got := (result{score: x}).precision(.9); got != want {
			t.Errorf("%+v: got %s, want %s", x, got, want)
		}
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
		if p.About == "" || p.Check != nil && p.Install == "" {
			t.Errorf("%s lacks what it does or how it is installed", p.Name)
		}
	}
}
