//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The programs in Python find equal texts where they are installed, and none that has nothing in common with another.
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
		"--program", "MinHash in Python,ssdeep,TLSH",
	)
	r, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Runs {
		if x.Status != done || x.Found != 6 || x.Right != 6 {
			t.Errorf("%s: got %+v, want the 6 pairs", x.Program, x)
		}
	}
}

// Answers while documents are written are measured, and checked.
func TestLatency(t *testing.T) {
	t.Parallel()
	stdout, _ := call(t, 0, "latency", "--docs", "100", "--time", "50ms", "--dir", t.TempDir(), "--json")
	var got waits
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Documents != 100 || got.Before <= 0 || len(got.Waits) != 6 {
		t.Errorf("got %+v", got)
	}
	for i, w := range got.Waits {
		if w.Writing != (i >= 3) || w.Answers < 1 || w.P50 <= 0 || w.P99 < w.P50 || w.P999 < w.P99 || w.Longest < w.P999 {
			t.Errorf("got %+v", w)
		}
	}
	if stdout, _ = call(t, 0, "latency", "--docs", "100", "--time", "1ms"); !strings.Contains(stdout, "| whole sets, while documents are written ") {
		t.Errorf("got %s", stdout)
	}
}
