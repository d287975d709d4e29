package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// found is the pairs that one way finds, sorted.
func found(t *testing.T, name, threshold string, docs []lines.Document) (all []string) {
	t.Helper()
	var in, out bytes.Buffer
	for _, d := range docs {
		if err := json.NewEncoder(&in).Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Answer(ways[name], threshold, &in, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for line := range strings.Lines(out.String()) {
		var l struct{ Pair, Group []string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		ids := append(l.Pair, l.Group...)
		slices.Sort(ids)
		for i, b := range ids {
			for _, a := range ids[:i] {
				all = append(all, a+" "+b)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// made is documents of 50 words, some of them copies of others with up to 12 words changed.
func made() (docs []lines.Document) {
	rnd := rand.New(rand.NewPCG(20, 5))
	var words []string
	for i := range 60 {
		if i%4 == 0 {
			words = nil
			for range 50 {
				words = append(words, fmt.Sprint("word", rnd.IntN(1000)))
			}
		}
		docs = append(docs, lines.Document{ID: fmt.Sprintf("%02d", i), Text: strings.Join(words, " ")})
		for range i % 4 * 2 {
			words[rnd.IntN(len(words))] = fmt.Sprint("other", rnd.IntN(1000))
		}
	}
	return append(docs, lines.Document{ID: "60"}, lines.Document{ID: "61"}, lines.Document{ID: "62", Text: "two words"}, lines.Document{ID: "63", Text: "Two, words!"})
}

// shingles are the different runs of four words, as strings.
func shingles(text string) (all []string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for i := range max(min(1, len(words)), len(words)-3) {
		all = append(all, strings.Join(words[i:min(i+4, len(words))], " "))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The buffer has the words of the text, and its runs are the shingles.
func TestText(t *testing.T) {
	t.Parallel()
	var text lines.Text
	for _, tt := range []string{"", "...", "one", "One, two!", "one two three four", "Ünë  twö-three (four) 5five ÉCOLE e\u0301 six", "\xff bad \xfe bytes and more of them"} {
		text.Read(tt)
		var got []string
		text.Runs(4, func(run []byte) { got = append(got, string(run)) })
		slices.Sort(got)
		if want := shingles(tt); !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%q: got %q, want %q", tt, got, want)
		}
	}
}

// The naive way finds what sets of strings say, at any threshold.
func TestNaive(t *testing.T) {
	t.Parallel()
	docs := made()
	for threshold, text := range map[float64]string{.5: "0.5", .8: "0.8", 1: "1"} {
		var want []string
		for i, a := range docs {
			for _, b := range docs[i+1:] {
				x, y := shingles(a.Text), shingles(b.Text)
				both := 0
				for _, s := range x {
					if slices.Contains(y, s) {
						both++
					}
				}
				if union := len(x) + len(y) - both; union > 0 && float64(both)/float64(union) >= threshold {
					want = append(want, a.ID+" "+b.ID)
				}
			}
		}
		if got := found(t, "naive", text, docs); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("at %s: got %q, want %q", text, got, want)
		}
	}
}

// All find equal texts, the sketches most of what is near, and none what has nothing in common.
func TestWays(t *testing.T) {
	t.Parallel()
	docs := made()[:60]
	for i := range docs { // TextProfile knows no word that stands once
		docs[i].Text += " " + docs[i].Text
	}
	for i := range 20 {
		docs = append(docs, lines.Document{ID: fmt.Sprint(60 + i), Text: docs[i*3].Text})
	}
	want := found(t, "naive", "0.9", docs)
	for name := range ways {
		got := found(t, name, "0.9", docs)
		if name == "reading" || name == "splitting" {
			continue
		}
		for i := range 20 {
			if pair := fmt.Sprintf("%02d %d", i*3, 60+i); !slices.Contains(got, pair) {
				t.Errorf("%s does not find the equal texts %s", name, pair)
			}
		}
		if name == "ekzhu" || name == "go-minhash" {
			both := 0
			for _, p := range got {
				if slices.Contains(want, p) {
					both++
				}
			}
			if both < len(want)*8/10 || both < len(got)*8/10 {
				t.Errorf("%s: got %q, want about %q", name, got, want)
			}
		}
		for _, p := range got {
			var a, b int
			fmt.Sscanf(p, "%d %d", &a, &b)
			of := func(i int) int {
				if i >= 60 {
					i = (i - 60) * 3
				}
				return i / 4
			}
			if of(a) != of(b) {
				t.Errorf("%s: takes %s, which have nothing in common", name, p)
			}
		}
	}
}

// The profile is that of Solr's documentation, computed here step by step for one text.
func TestProfile(t *testing.T) {
	t.Parallel()
	// The word is of 3 letters or more; at most 3 times, so the quantum is 2: "fox" 3 -> 2, "dog" 2, and "cat" 1 goes.
	if profile("Fox fox, FOX! dog cat dog of of of of") != profile("dog dog fox fox of") {
		t.Error("counts are not rounded down to 2, or short words count")
	}
	if profile("fox dog") == profile("fox cat") || profile("fox dog") != profile("dog, Fox") {
		t.Error("words that stand once must count where none stands twice")
	}
	if profile("fox fox fox fox dog dog") == profile("fox fox dog dog") {
		t.Error("4 and 2 are different counts")
	}
}

func TestAnswerErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ threshold, in, want string }{
		{"x", "", `wanted a threshold, got "x"`},
		{"0.9", `{"id": "a"}` + "\n{", "document 2: "},
	} {
		if err := lines.Answer(naive, tt.threshold, strings.NewReader(tt.in), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
