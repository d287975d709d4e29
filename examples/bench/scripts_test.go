//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The programs in Python find equal texts where they are installed, and none that has nothing in common with another.
var rust = flag.Bool("rust", false, "TestScripts builds the program in Rust, too")

func TestScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(20, 6))
	var file bytes.Buffer
	for i := range 6 {
		var words []string
		for range 200 {
			words = append(words, fmt.Sprintf("%x", rnd.Uint32()))
		}
		for _, copied := range "ab" {
			if err := json.NewEncoder(&file).Encode(document{ID: fmt.Sprintf("%d%c", i, copied), Text: strings.Join(words, " ")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	texts := filepath.Join(dir, "texts.jsonl")
	if err := os.WriteFile(texts, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	call(
		t, 0, "--corpus", "", "--data", texts, "--programs", "adapters/programs.json", "--out", dir, "--rounds", "1",
		"--program", "MinHash in Python,ssdeep,TLSH"+map[bool]string{true: ",R-MinHash in Rust"}[*rust],
	)
	var r results
	if data, err := os.ReadFile(filepath.Join(dir, "results.json")); err != nil || json.Unmarshal(data, &r) != nil {
		t.Fatal(err)
	}
	for _, x := range r.Runs {
		if x.Status != done || x.Found != 6 || x.Right != 6 {
			t.Errorf("%s: got %+v, want the 6 pairs", x.Program, x)
		}
	}
}

// What it took to write, first answers, and answers while documents are written are measured, and checked.
func TestLatency(t *testing.T) {
	t.Parallel()
	stdout, _ := call(t, 0, "latency", "--docs", "300", "--time", "50ms", "--dir", t.TempDir())
	for _, want := range []string{
		"300 documents. ", "| bleve ", "| neardup ", "| opening ", "| first: whole sets ", "| pages of 10 ",
		"| near-duplicates by id, while documents are written ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("wanted %q, got %s", want, stdout)
		}
	}
}
