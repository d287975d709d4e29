package main

import (
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
)

// BenchmarkPage signs pages with all of their text, and without their template, in turns of 20
// pages, and reports the least time of a page with each, and their ratio: -benchtime 500x is
// enough on a quiet machine.
func BenchmarkPage(b *testing.B) {
	words := sites.Words("the menu of a site and what else stands around the text of every page that it has")
	text := strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is the cat.\n", 25)
	menu := strings.Repeat("<li class=\"item\" id=\"i7\"><a href=\"/a/b/c.html\" title=\"x\"><span>three words here</span></a>: a note</li>\n", 80)
	article := strings.Repeat("<p class=\"body\">"+strings.Repeat(strings.TrimSpace(text[:86])+" ", 4)+"<a href=\"https://example.org/page\">The <em>link</em></a> &amp; don&rsquo;t.</p>\n", 20)
	for _, bb := range []struct{ name, page string }{
		{"template 100", sites.New(1, sites.Elements, words, 100).HTML(text)},
		{"template 500", sites.New(1, sites.Elements, words, 500).HTML(text)},
		{"template 2000", sites.New(1, sites.Elements, words, 2000).HTML(text)},
		{"roles 500", sites.New(1, sites.Roles, words, 500).HTML(text)},
		{"links 500", sites.New(1, sites.Unmarked, words, 500).HTML(text)},
		{"links 2000", sites.New(1, sites.Unmarked, words, 2000).HTML(text)},
		{"list", "<ul>" + menu + "</ul>"}, // of which nothing is left out
		{"bare", sites.New(1, sites.Elements, words, 0).HTML(text)},
		{"article", article},
		{"template alone", sites.New(1, sites.Elements, words, 500).HTML("")}, // all of it is kept
	} {
		b.Run(bb.name, func(b *testing.B) {
			page := []byte(bb.page)
			whole, content := pagesLeaving(b, "nothing"), pagesLeaving(b, "template")
			inTurns(b, "nothing", "template", func() { whole.Sign(page) }, func() { content.Sign(page) })
		})
	}
}

// pagesLeaving returns an analyzer of pages.
func pagesLeaving(tb testing.TB, what string) *neardup.Analyzer {
	tb.Helper()
	cache := registry.NewCache()
	if _, err := cache.DefineCharFilter("own", map[string]any{"type": "neardup_html", "leave_out": what}); err != nil {
		tb.Fatal(err)
	}
	a, err := neardup.AnalyzerConstructor(map[string]any{"char_filters": []any{"own"}}, cache)
	if err != nil {
		tb.Fatal(err)
	}
	return a.(*neardup.Analyzer)
}

// BenchmarkHidden signs a page without counting hidden words, and counting them, in turns.
func BenchmarkHidden(b *testing.B) {
	words := sites.Words("the menu of a site and what else stands around the text of every page that it has")
	page := []byte(sites.New(1, sites.Elements, words, 500).HTML(strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is the cat.\n", 25)))
	a := pagesLeaving(b, "template")
	inTurns(b, "off", "counted", func() { a.Sign(page) }, func() {
		if _, err := a.SignWith(neardup.Figures{Hidden: true}, nil, page); err != nil {
			b.Fatal(err)
		}
	})
}

// inTurns does one thing and another, and reports the least time of each.
func inTurns(b *testing.B, first, second string, do ...func()) {
	const turn = 20
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, do := range do {
			start := time.Now()
			for range turn {
				do()
			}
			least[i] = min(least[i], time.Since(start)/turn)
		}
	}
	b.ReportMetric(float64(least[0].Nanoseconds()), first+"-ns")
	b.ReportMetric(float64(least[1].Nanoseconds()), second+"-ns")
	b.ReportMetric(float64(least[1])/float64(least[0]), "times")
	b.ReportMetric(0, "ns/op")
}
