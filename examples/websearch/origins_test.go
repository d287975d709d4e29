package main

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestOrigins pastes words of two manuals between words of its own: each passage is traced to the documents that
// have it, and to no other.
func TestOrigins(t *testing.T) {
	s := manuals()
	words := func(id string, from, to int) string {
		d, err := s.stored(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(d.Text)[from:to], " ")
	}
	loop, vector := words("llvm-14/LoopTerminology", 200, 320), words("llvm-16/Vectorizers", 300, 360)
	text := strings.Join([]string{"I wrote this myself.", loop, "So did I write these words, to keep the two apart.", vector}, " ")
	o, err := s.origins(t.Context(), text, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.All) != 2 || o.More != 0 || o.Least != passageWords || o.From < 150 || o.From >= o.Words {
		t.Fatalf("%+v, want two passages", o)
	}
	for i, want := range []struct{ id, title, text, also string }{
		{"llvm-16/LoopTerminology", "LLVM Loop Terminology (and Canonical Forms)", loop, "llvm-15, 14, 13"},
		{"llvm-16/Vectorizers", "Auto-Vectorization in LLVM", vector, "llvm-15, 14, 13"},
	} {
		got := o.All[i]
		if got.ID != want.id || got.Title != want.title || got.Also() != want.also {
			t.Errorf("passage %d: %s %q, also in %s; want %+v", i, got.ID, got.Title, got.Also(), want)
		}
		// What is said to be common stands in both texts, and makes up nearly all that was taken.
		d, err := s.stored(t.Context(), got.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, got.Given.all) || !strings.Contains(d.Text, got.Own.all) || 10*len(got.Given.all) < 9*len(want.text) {
			t.Errorf("passage %d: %q and %q", i, got.Given.all, got.Own.all)
		}
		if u, err := url.Parse(got.URL()); err != nil || u.Path != "/doc" || u.Query().Get("id") != got.ID || !strings.HasPrefix(u.Fragment, ":~:text=") {
			t.Errorf("passage %d: %s, error %v", i, got.URL(), err)
		}
	}
	page := post(t, s, 200, "/paste", url.Values{"text": {text}})
	for _, want := range []string{"Where its passages come from", html.EscapeString(o.All[0].URL()), "also in llvm-15, 14, 13"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	// Another text has its own.
	none, err := s.origins(t.Context(), "I wrote this myself, too, every single word of it, and there are more than twenty of them in this one sentence of mine.", "")
	if err != nil || len(none.All) != 0 || none.Docs != 0 || none.Words != 24 {
		t.Errorf("%+v, error %v; want none", none, err)
	}
	// A document's own text is traced to others.
	own, err := s.origins(t.Context(), "", "llvm-14/LoopTerminology")
	if err != nil || len(own.All) == 0 || slices.ContainsFunc(own.All, func(o origin) bool { return o.ID == "llvm-14/LoopTerminology" }) {
		t.Errorf("%+v, error %v; want other documents", own, err)
	}
}

// TestExcerpt cuts between words and letters.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörter über ", 100)
	for _, n := range []int{1, 7, 90, 91, 180, 5000} {
		for _, got := range []string{cutWords(long, n), tail(long, n)} {
			if len(got) > n && n < len(long) || !strings.Contains(long, got) || strings.ContainsRune(got, '\uFFFD') {
				t.Errorf("%d bytes: got %q", n, got)
			}
		}
	}
	for _, text := range []string{"", "a", strings.Repeat("x", 500), strings.Repeat("ü", 300)} {
		if got := tail(text, beside) + cutWords(text, beside); len(got) > 2*beside || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("got %q of %q", got, text)
		}
	}
}
