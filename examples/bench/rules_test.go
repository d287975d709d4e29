//go:build unix

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/join"
)

// The table of a corpus whose answer is known: of four documents a and b resemble each other by .94, a and c by .62,
// b and c by .57.
func TestRules(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	data := []string{"rules", "--corpus", "", "--data", filepath.Join(b.dir, "texts.jsonl")}
	stdout, _ := call(t, 0, append(data, "--setting", `{"rule": {"lanes": 85, "hamming": -1}}`, "--setting", `{"rule": {"lanes": 30}}`)...)
	want := []string{
		"texts: 4 documents; 1 pairs with r ≥ .8, 1 with r ≥ .9, 3 with one label.",
		"`{\"rule\": {\"lanes\": 85, \"hamming\": -1}}` | 1 | 1 | .333 | 0 | 1 | 0 | 0 |",
		"`{\"rule\": {\"lanes\": 30}}` | 1 | 1 | 1 | 0 | 1 | 0 | 2 |",
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), w) {
			t.Errorf("got %s, want %s", stdout, w)
		}
	}
	if stdout, _ = call(t, 0, append(data, "--words", "19")...); !strings.Contains(stdout, "texts, 19 words: 6 documents") {
		t.Errorf("got %s", stdout) // a and b begin alike; the others do not
	}
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{1, `--setting {"lanes": "x"}: neardup: lanes: wanted`, []string{"--setting", `{"lanes": "x"}`}},
		{1, "--setting {: ", []string{"--setting", "{"}},
		{1, "wanted documents of 100 words, got none", []string{"--words", "100"}},
		{2, "--most: wanted 0 or more, got -1", []string{"--most", "-1"}},
		{2, "--words: wanted 0 or more, got -1", []string{"--words", "-1"}},
	} {
		if _, stderr := call(t, tt.code, append(data, tt.args...)...); !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: stderr %q, want %q", tt.args, stderr, tt.want)
		}
	}
}

// What a rule takes is what comparing all pairs says.
func TestTaken(t *testing.T) {
	t.Parallel()
	_, newest, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	c := short(newest[:40]).sample(300)
	for _, setting := range usualSettings {
		a, err := analyzer(setting)
		if err != nil {
			t.Fatal(err)
		}
		want, signed := map[join.Pair]struct{}{}, []signature.Signature{}
		for i, d := range c.docs {
			signed = append(signed, a.SignText([]byte(d.Text)))
			for j := range i {
				if a.Rule().Duplicates(&signed[i], &signed[j]) {
					want[join.Of(int32(i), int32(j))] = struct{}{}
				}
			}
		}
		if got := taken(a, c); len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %d pairs, want %d", setting, len(got), len(want))
		}
	}
}

// Of the first words of different manuals the preset for short texts takes no more than a thousandth of the pairs that
// are not one text with one word changed, and finds what presets.md says.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	_, newest, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	c := corpus{name: "newest"}
	for i, text := range newest {
		c.add(i, 0, text)
	}
	a, err := analyzer(`{"preset": "short"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		words int
		least float64
	}{{10, .75}, {15, .95}, {20, 1}} {
		c := c.changed(tt.words)
		s := newTruth(c, .8, io.Discard).score(taken(a, c))
		if found := float64(s.Labelled) / float64(c.labelled()); found < tt.least || s.Found-s.Labelled > len(c.docs)*len(c.docs)/2000 || c.labelled() < 200 {
			t.Errorf("%d words: found %.3f of %d texts, and %d other pairs", tt.words, found, c.labelled(), s.Found-s.Labelled)
		}
	}
	if all := c.sample(50); len(all.docs) != 50 || !slices.Equal(all.docs, c.sample(50).docs) {
		t.Error("a sample is another one each time")
	}
}
