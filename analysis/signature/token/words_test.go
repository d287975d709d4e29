package token

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// read returns what w finds in text, and the text at the places it reports.
func read(w *Words, text []byte) (all, places []string) {
	w.Reset(text)
	last := 0
	for word := w.Next(); word != nil; word = w.Next() {
		start, end := w.Place()
		if start < last {
			places = append(places, "is before the one before it")
			continue
		}
		all, places, last = append(all, string(word)), append(places, string(text[start:end])), start
	}
	return all, places
}

// checkWords compares Words with the oracle.
func checkWords(t *testing.T, w *Words, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	got, places := read(w, text)
	if want := tokens(text); !slices.Equal(got, want) {
		t.Fatalf("%q: got %q, want %q", text, got, want)
	}
	for i, place := range places {
		// Where runes change together, the place of a token is that of all of them.
		if one := tokens([]byte(place)); len(one) != 1 && !strings.ContainsFunc(string(text), func(r rune) bool { return class.At(class.Table(), r)&(class.Rewritten|class.Ordered) != 0 }) || !slices.Contains(one, got[i]) {
			t.Fatalf("%q: %q is found at %q, which has %q", text, got[i], place, one)
		}
	}
	if !bytes.Equal(text, before) {
		t.Fatalf("%q was changed to %q", before, text)
	}
}

func TestWordsNoAllocations(t *testing.T) {
	var w Words
	text := []byte(strings.Repeat("Some plain words, a few naïve ones and 日本語; ", 100))
	if n := testing.AllocsPerRun(10, func() {
		w.Reset(text)
		for w.Next() != nil {
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
