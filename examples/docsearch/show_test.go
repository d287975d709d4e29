package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// example has one head that hides n copies.
func example(n int) *answer {
	a := &answer{Query: "q", Page: 1, Size: 10, TotalHits: uint64(n + 1), TotalGroups: 1, TotalGroupsRelation: "eq", Hidden: n, HitsWalked: n + 1}
	a.Plain = []hit{{ID: "head", Title: "检索结果"}}
	a.Groups = []group{{hit: a.Plain[0]}}
	for range n {
		a.Plain = append(a.Plain, hit{ID: "copy", CopyOf: "head"})
		a.Groups[0].Copies = append(a.Groups[0].Copies, copied{ID: "copy", Match: signature.Match{Agree: 97, Hamming: 5, By: signature.BySketch}})
	}
	return a
}

func TestColours(t *testing.T) {
	var coloured, plain bytes.Buffer
	(&printer{w: &coloured, width: 120, styles: newStyles(true)}).answer(example(2))
	(&printer{w: &plain, width: 120, styles: newStyles(false)}).answer(example(2))
	if !strings.Contains(coloured.String(), "\x1b[33m  copy of 1\x1b[0m") {
		t.Errorf("no yellow in %q", coloured.String())
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("escapes in %q", plain.String())
	}
}

func TestManyCopies(t *testing.T) {
	var b bytes.Buffer
	(&printer{w: &b, width: 60, styles: newStyles(false)}).answer(example(1234 + maxCopies))
	for _, want := range []string{"hides 1,242\n", " 97/100        5  sketch                copy\n", "    and 1,234 more, see --json\n", ": 1 group, 1,242 hidden."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

func TestFit(t *testing.T) {
	r := row{{nil, "one "}, {nil, "检索结果 two"}}
	for n := range 40 {
		if got := r.fit(n).cells(); got != n {
			t.Errorf("fit(%d) has %d cells", n, got)
		}
	}
	if got, want := r.fit(9).String(), "one 检索…"; got != want {
		t.Errorf("got %q of %d cells, want %q", got, runewidth.StringWidth(got), want)
	}
}

func TestComma(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := comma(n); got != want {
			t.Errorf("comma(%d) = %q, want %q", n, got, want)
		}
	}
}
