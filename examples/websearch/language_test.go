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
	fields := []string{"title", "text", "version"}
	for text, want := range map[string]string{
		"loop -unrolling": `"must_not":`, "+loop vectorizer": `"must":`, `"loop unrolling" pass`: `"match_phrase":"loop unrolling"`,
		"title:vectorizer": `"field":"title"`, "loop version:16": `"field":"version"`, `-title:"release notes" a`: `"must_not":`, "-O2": `"must_not":`,
	} {
		if data, err := json.Marshal(ask(text, fields)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: got %s, %v, want %q", text, data, err, want)
		}
	}
	for _, text := range []string{"C++", "std::vector", "a-b", "x = y", `one " quote`, "color:red -blue", "- loop", "loop (", "a: b", "-fvectorize:on"} {
		got, _ := json.Marshal(ask(text, fields))
		if want, _ := json.Marshal(pages.Match(text)); string(got) != string(want) {
			t.Errorf("%s: got %s, want words", text, got)
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
