package main

import (
	"strings"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/examples/internal/diff"
)

const (
	pairBytes    = 32 << 10 // of a text that is compared
	pairPatience = 20 * time.Millisecond
	pairAround   = 10 // equal words around a difference
	pairRows     = 4
	pairWords    = 60 // of a side of a row
)

// pair is a document that came and the text that it is like, side by side.
type pair struct {
	Other   string       // what the other text is
	Missing string       // why it is not there
	Rows    []diff.Shown // each in the order of the other text
	More    int          // differences that are not shown
	Same    bool         // no word differs
}

// pair compares a document that came with what its verdict names; nil if it names nothing.
func (g *gate) pair(j *judged) (*pair, error) {
	p, text, err := new(pair), "", error(nil)
	switch {
	case j.Of != "":
		p.Other, p.Missing = "near "+j.Of, "It is not in the index any more."
		text, err = g.textOf(key(j.document.Tenant, j.Of))
	case j.Mark != "":
		p.Other, p.Missing = "marked "+j.Mark, "Its text was not kept: a mark keeps a signature alone."
		text = g.markedText(j.Mark)
	default:
		return nil, nil
	}
	if text == "" || err != nil {
		return p, err
	}
	p.Missing = ""
	p.compare(words(text), words(*j.document.Text))
	return p, nil
}

func words(text string) []string {
	return strings.Fields(strings.ToValidUTF8(text[:min(len(text), pairBytes)], ""))
}

func (p *pair) compare(a, b []string) {
	hunks := diff.Words(a, b, pairAround, pairPatience)
	if p.Same = len(hunks) == 0; p.Same {
		hunks = []diff.Hunk{{Runs: []diff.Run{{Op: diff.Equal, End: len(a)}}}}
	}
	p.Rows, p.More = diff.Show(hunks, a, b, pairRows, pairWords)
}

// textOf is the text of the document of a key, "" if there is none.
func (g *gate) textOf(id string) (text string, err error) {
	doc, err := g.index.Document(id)
	if err != nil || doc == nil {
		return "", err
	}
	doc.VisitFields(func(f index.Field) {
		if f.Name() == "text" {
			text = string(f.Value())
		}
	})
	return text, nil
}

// mostTexts is of how many marks the texts are in memory.
const mostTexts = 1000

// keepText keeps the text of a mark for the status page, in memory: the index keeps its signature.
func (g *gate) keepText(mark, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.texts) >= mostTexts {
		clear(g.texts)
	}
	g.texts[mark] = strings.Clone(text[:min(len(text), pairBytes)])
}

// markedText is the text of a mark, "" if it was set before the start, or too many after it.
func (g *gate) markedText(mark string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.texts[mark]
}
