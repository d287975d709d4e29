package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// side returns the words of one side of a difference, "…n" for n that were skipped.
func side(d difference, kind string) (words []string) {
	for _, h := range d.Hunks {
		if h.Skipped > 0 {
			words = append(words, fmt.Sprint("…", h.Skipped))
		}
		for _, p := range h.Parts {
			if p.Kind == "same" || p.Kind == kind {
				words = append(words, strings.Fields(p.Text)...)
			}
		}
	}
	return words
}

// TestDiffer checks that a difference has the words of both texts, in order: those
// skipped are as many as it says, and the same in both.
func TestDiffer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var a, b []string
		for range r.IntN(200) {
			a = append(a, fmt.Sprint("w", r.IntN(40)))
		}
		for _, w := range a {
			switch r.IntN(20) {
			case 0:
			case 1:
				b = append(b, "new", w)
			default:
				b = append(b, w)
			}
		}
		d := differ(strings.Join(a, " "), strings.Join(b, "\n"))
		if d.Same+d.Removed != len(a) || d.Same+d.Added != len(b) {
			t.Fatalf("%d same, %d removed, %d added, of %d and %d words", d.Same, d.Removed, d.Added, len(a), len(b))
		}
		if d.Equal != slices.Equal(a, b) {
			t.Fatalf("equal %v of %q and %q", d.Equal, a, b)
		}
		for kind, want := range map[string][]string{"del": a, "ins": b} {
			for _, w := range side(d, kind) {
				n := 0
				if _, err := fmt.Sscanf(w, "…%d", &n); err == nil {
					want = want[n:]
				} else if w == want[0] {
					want = want[1:]
				} else {
					t.Fatalf("%s: got %q, want %q", kind, w, want[0])
				}
			}
			if d.More == 0 && !d.Equal && len(want) > len(a) {
				t.Fatalf("%s: %q left", kind, want)
			}
		}
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
	for _, short := range []string{"", "é", "loop"} {
		if got := s.of(short); short != "" && got[0].Text != short {
			t.Errorf("of %q: %v", short, got)
		}
	}
}
