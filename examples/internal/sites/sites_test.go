package sites

import (
	"strings"
	"testing"
)

func TestSite(t *testing.T) {
	t.Parallel()
	words := Words("Permission is hereby granted, free of charge, to any person", "charge person copy")
	if got := strings.Join(words, " "); got != "permission is hereby granted free of charge to any person copy" {
		t.Errorf("got words %q", got)
	}
	for _, size := range []int{100, 200, 500, 900, 2000} {
		s := New(1, Elements, words, size)
		plain := s.Plain("")
		if n := len(strings.Fields(plain)); n < size || n > size+3 { // lone full stops
			t.Errorf("a template of %d words has %d", size, n)
		}
		if New(1, Elements, words, size).Plain("x") != s.Plain("x") || New(2, Elements, words, size).Plain("") == plain {
			t.Errorf("size %d: wanted one site for one number, and another for another", size)
		}
		for _, m := range []Markup{Elements, Roles, Unmarked} {
			page := New(1, m, words, size).HTML("one & two\nthree")
			if !strings.Contains(page, "<p>one &amp; two</p>\n<p>three</p>") {
				t.Errorf("markup %d: got %s", m, page)
			}
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	got := Bodies([]string{"a b c d e", "f", "g h i j"}, 2, 3)
	if strings.Join(got, "|") != "a b|c d|g h" {
		t.Errorf("got %q", got)
	}
}
