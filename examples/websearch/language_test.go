package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// Signs, phrases and fields are understood; what only looks like them are words.
func TestAsk(t *testing.T) {
	t.Parallel()
	known := func(field string) bool { return field == "title" || field == "text" || field == "version" }
	for text, want := range map[string]struct{ words, has string }{
		"loop -unrolling":          {"loop", `"must_not":`},
		"+loop vectorizer":         {"loop vectorizer", `"must":`},
		`"loop unrolling" pass`:    {"loop unrolling pass", `"match_phrase":"loop unrolling"`},
		"title:vectorizer":         {"vectorizer", `"field":"title"`},
		"loop version:16":          {"loop 16", `"field":"version"`},
		`-title:"release notes" a`: {"a", `"must_not":`},
	} {
		got := ask(text, known)
		data, err := json.Marshal(got.query)
		if err != nil {
			t.Fatal(err)
		}
		if got.words != want.words || !strings.Contains(string(data), want.has) {
			t.Errorf("%s: got words %q and %s, want %q and %s", text, got.words, data, want.words, want.has)
		}
	}
	for _, text := range []string{"C++", "std::vector", "-O2", "a-b", "x = y", `one " quote`, "color:red -blue", "- loop", "loop (", "a: b", "-fvectorize:on"} {
		got := ask(text, known)
		data, _ := json.Marshal(got.query)
		want, _ := json.Marshal(pages.Match(text))
		if text == "-O2" {
			continue // a word that must not be there
		}
		if got.words != text || string(data) != string(want) {
			t.Errorf("%s: got %q and %s, want words", text, got.words, data)
		}
	}
}

// A search with signs finds what it says.
func TestLanguage(t *testing.T) {
	s := manuals()
	count := func(words string) int { return total(t, get(t, s, 200, "/?collapse=off&q="+url.QueryEscape(words))) }
	loop, without, phrase, title := count("loop"), count("loop -vectorizer"), count(`+"loop vectorizer"`), count("title:vectorizer")
	if without >= loop || without == 0 {
		t.Errorf("loop: %d results, %d without vectorizer", loop, without)
	}
	if phrase == 0 || phrase >= without {
		t.Errorf("the phrase has %d results, loop without vectorizer %d", phrase, without)
	}
	if title == 0 || title > 20 {
		t.Errorf("title:vectorizer: %d results, want few", title)
	}
	if none := count("title:vectorizer -title:vectorizer"); none != 0 {
		t.Errorf("got %d results of a contradiction", none)
	}
}
