package main

import (
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
)

func newMeasure(t *testing.T, out *strings.Builder, pages, mirrors int) measure {
	t.Helper()
	texts, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	return measure{out: out, texts: texts, words: sites.Words(corpus.Licence), pages: pages, mirrors: mirrors}
}

// What the page templates.md promises of 1,000 pages from 50 words on, where markup marks
// the template, and that without it the pages hide each other.
func TestHidden(t *testing.T) {
	if testing.Short() {
		t.Skip("signs 5,000 pages of 2,000 words")
	}
	t.Parallel()
	m := newMeasure(t, nil, 1000, 0)
	for _, w := range []way{ways[0], ways[1], ways[2], ways[4], ways[6]} {
		for _, template := range []int{2000} {
			hidden := m.hidden(w, sites.New(1, w.mark, m.words, template), sites.Bodies(m.texts, 50, m.pages))
			if marked := w.name != ways[0].name; marked != (hidden == 0) {
				t.Errorf("%s, template of %d words: %d of 1,000 pages of 50 words are hidden", w.name, template, hidden)
			}
		}
	}
}

// The same of an index, from end to end: no page is hidden, unless all text counts.
func TestIndex(t *testing.T) {
	t.Parallel()
	m := newMeasure(t, nil, 100, 0)
	for _, w := range indexings {
		for _, body := range []int{50} {
			hidden, err := m.search(w, body)
			if err != nil {
				t.Fatal(err)
			}
			if all := w.name == indexings[0].name || w.name == indexings[3].name; all != (hidden > 0) {
				t.Errorf("%s: %d of 100 pages of %d words are hidden", w.name, hidden, body)
			}
		}
	}
}

func TestLearn(t *testing.T) {
	var out strings.Builder
	m := newMeasure(t, &out, 0, 0)
	if err := m.learn(200); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Learned from 200 pages of 1000 words on 10 sites") || !strings.Contains(out.String(), "; 10 templates, of at most ") {
		t.Errorf("got %s", out.String())
	}
}

func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("signs all pages of all ways")
	}
	t.Parallel()
	var out strings.Builder
	m := newMeasure(t, &out, 12, 12)
	m.run()
	if n := strings.Count(out.String(), "| words of the text |"); n != 2*len(ways) {
		t.Errorf("got %d tables, want %d", n, 2*len(ways))
	}
	if !strings.Contains(out.String(), "| 100 | 1.00, 1.00 | 1.00, 1.00 | 1.00, 1.00 | 1.00, 1.00 | 1.00, 1.00 |") {
		t.Errorf("no text of 100 words is found under each template: %s", out.String())
	}
}
