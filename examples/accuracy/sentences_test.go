package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFirstSentence(t *testing.T) {
	t.Parallel()
	const text = "Too short. Version 3.5 of the\nmanual says: read it! Then read on\n\nThe next paragraph has six words"
	want := map[string]string{
		"mark before a space": "version 3.5 of the manual says read it",
		"line":                "too short version 3.5 of the",
		"mark or line":        "version 3.5 of the",
		"paragraph":           "too short version 3.5 of the manual says read it then read on",
		"any of .!?:;":        "5 of the manual says",
	}
	for _, c := range sentenceCuts {
		if got := strings.Join(c.first(text), " "); got != want[c.name] {
			t.Errorf("%s: got %q, want %q", c.name, got, want[c.name])
		}
		for _, none := range []string{"", "one two three", strings.Repeat("word ", mostWords+1), "\xff\xff."} {
			if got := c.first(none); got != nil {
				t.Errorf("%s: %q: got %q", c.name, none, got)
			}
		}
		if got := c.first("a \xff b c d"); strings.Join(got, " ") != "a b c d" {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
	if got := sentenceCuts[0].first("これは本です。四つの言葉がある。"); strings.Join(got, "") != "これは本です" {
		t.Errorf("got %q", got)
	}
	if got := sentenceCuts[0].firsts([]string{text, "x. " + text, "a b c d", ""}); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// oneEdit says what the distance of Levenshtein says, of words.
func TestOneEdit(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func() (words []string) {
		for range rnd.IntN(6) {
			words = append(words, string('a'+rune(rnd.IntN(2))))
		}
		return words
	}
	for range 20_000 {
		a, b := random(), random()
		if got, want := oneEdit(a, b), distance(a, b) <= 1; got != want {
			t.Fatalf("%q, %q: got %t, want %t", a, b, got, want)
		}
	}
}

// distance is the least number of words to change, add or leave out.
func distance(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return distance(a[1:], b[1:])
	}
	return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
}
