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
	d := differ("One  two three\nfour", "One two 3 four five", maxHunks)
	var shown []string
	for _, p := range d.Hunks[0].Parts {
		shown = append(shown, fmt.Sprint(p.Op, " ", p.Text))
	}
	want := []string{"equal One two", "delete three", "insert 3", "equal four", "insert five"}
	if len(d.Hunks) != 1 || !slices.Equal(shown, want) || d.Same != 3 || d.Removed != 1 || d.Added != 2 || d.Equal {
		t.Errorf("got %q of %+v, want %q", shown, d, want)
	}
	if d := differ("one two", " one\ntwo ", maxHunks); !d.Equal || d.Same != 2 || d.Hunks != nil {
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
	d := differ(text(1), text(2), maxHunks)
	if len(d.Hunks) > maxHunks || d.Removed == 0 || d.Same+d.Removed != 50_000 || d.Same+d.Added != 50_000 {
		t.Errorf("%d hunks, %d same, %d removed, %d added", len(d.Hunks), d.Same, d.Removed, d.Added)
	}
}

// A snippet has neither the markup of its text nor what a browser would take for its own.
func TestSnippet(t *testing.T) {
	t.Parallel()
	got := snippet([]string{"…half \n=========\n.. code-block:: c\n\nThe ``llvm.loop`` **metadata**, see :ref:`<mark>loops</mark> &lt;a&gt;`. .. _loop-x: End hal…"})
	if want := "c\n\nThe llvm.loop metadata, see <mark>loops</mark> &lt;a&gt;. loop-x: End"; strings.TrimSpace(string(got)) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	page := get(t, manuals(), 200, "/?q=vectorizer")
	if !strings.Contains(page, "<mark>") {
		t.Error("no word is marked")
	}
}
