package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDiffer counts words, and shows them as they stand in the texts.
func TestDiffer(t *testing.T) {
	t.Parallel()
	d := differ("One  two three\nfour", "One two 3 four five")
	var shown []string
	for _, p := range d.Hunks[0].Parts {
		shown = append(shown, fmt.Sprint(p.Op, " ", p.Text))
	}
	want := []string{"equal One two", "delete three", "insert 3", "equal four", "insert five"}
	if len(d.Hunks) != 1 || !slices.Equal(shown, want) || d.Same != 3 || d.Removed != 1 || d.Added != 2 || d.Equal {
		t.Errorf("got %q of %+v, want %q", shown, d, want)
	}
	if d := differ("one two", " one\ntwo "); !d.Equal || d.Same != 2 || d.Hunks != nil {
		t.Errorf("equal words: got %+v", d)
	}
}

// TestLongDiff bounds what a comparison of unrelated long texts takes and shows.
func TestLongDiff(t *testing.T) {
	t.Parallel()
	text := func(seed uint64) string {
		r := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		for range 50_000 {
			fmt.Fprint(&b, "w", r.IntN(70_000), " ") // numbers beyond the surrogates
		}
		return b.String()
	}
	d := differ(text(1), text(2))
	if len(d.Hunks) > maxHunks || d.Removed == 0 || d.Same+d.Removed != 50_000 || d.Same+d.Added != 50_000 {
		t.Errorf("%d hunks, %d same, %d removed, %d added", len(d.Hunks), d.Same, d.Removed, d.Added)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	s := newSnippets(manuals().words, "Loop VECTORIZER")
	text := strings.Repeat("nothing here ", 50) + "\n=========\nTwo vectorizers vectorize über loops, but not loopholes.\n" + strings.Repeat("é", 400)
	var marked []string
	whole := ""
	for _, p := range s.of(text) {
		whole += p.Text
		if p.Mark {
			marked = append(marked, p.Text)
		}
	}
	if want := []string{"vectorizers", "vectorize", "loops"}; !slices.Equal(marked, want) {
		t.Errorf("marked %q, want %q, in %q", marked, want, whole)
	}
	if len(whole) > snippetSize || strings.Contains(whole, "==") || !strings.Contains(whole, "über") {
		t.Errorf("got %q", whole)
	}
	whole = ""
	for _, p := range s.of(".. contents::\n   :local:\n\n.. code-block:: c\n\nThe ``llvm.loop`` **metadata**, see :ref:`loops <a>`. .. _loop-x: End ") {
		whole += p.Text
	}
	if want := " c\n\nThe llvm.loop metadata, see loops <a>. loop-x: End"; strings.TrimSpace(whole) != strings.TrimSpace(want) {
		t.Errorf("got %q, want %q", whole, want)
	}
	for _, short := range []string{"", "é", "loop"} {
		if got := s.of(short); short != "" && got[0].Text != short {
			t.Errorf("of %q: %v", short, got)
		}
	}
}
