package neardup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var (
	inline = []string{
		"<b>", "</b>", "<em>", "<I>", "<span class=\"a > b\">", "</span>", "<a href='x.html?a=b&c' title=\"not text\">", "</a >",
		"<code>", "<font color=red>", "<!-- not text <p> -->", "<wbr>", "<my-element>", "<script>if (a < b) '<p>not text'</script>",
		"<style>p > b { color: red }</style>", "<template><p>not text</p></template>", "<noscript>not text</noscript>", "<?php not text ?>",
	}
	blocks = []string{
		"<p>", "</p>\n", "<br/>", "<BR>", "<td class=x>", "</tr><tr><td>", "<li>", "</ul>", "<div id=\"a\" hidden>", "</div>", "<h1>", "<hr />",
		"<img src=x.png alt='not text'>", "&nbsp;", "&#160;", "&#x2003;", "\r\n\t", "\u3000",
	}
)

// pick returns one of list.
func pick(rnd *rand.Rand, list []string) string { return list[rnd.IntN(len(list))] }

// markUp returns HTML whose text is text: inline tags anywhere, other tags and other white
// space in place of white space, references for characters.
func markUp(rnd *rand.Rand, text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html><head><meta name=description content='not text'></head>\n<body>")
	for _, r := range text {
		if rnd.IntN(30) == 0 {
			b.WriteString(pick(rnd, inline))
		}
		switch {
		case unicode.IsSpace(r) && rnd.IntN(8) == 0:
			b.WriteString(pick(rnd, blocks))
		case r == '<':
			b.WriteString(pick(rnd, []string{"&lt;", "&#60;", "&LT;", "&#x3C;"}))
		case r == '&':
			b.WriteString(pick(rnd, []string{"&amp;", "&#38;", "&#x26;"}))
		case unicode.IsPrint(r) && rnd.IntN(40) == 0:
			fmt.Fprintf(&b, pick(rnd, []string{"&#%d;", "&#x%x;", "&#X%X;"}), r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("</body></html>")
	return b.String()
}

// restyle returns text with other white space and letter case.
func restyle(rnd *rand.Rand, text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return []rune(" \n\t\u00a0\u2003")[rnd.IntN(5)]
		case rnd.IntN(2) == 0:
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, text)
}

func sameSignature(t *testing.T, what string, got, want signature.Signature) {
	t.Helper()
	a, err := got.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s: got signature %v, want %v", what, got, want)
	}
}

// whole returns an analyzer of all text of a page: tags at random might hide some.
func whole(t *testing.T) *Analyzer {
	t.Helper()
	cache := registry.NewCache()
	if _, err := cache.DefineCharFilter("whole", map[string]any{"type": "neardup_html", "leave_out": "nothing"}); err != nil {
		t.Fatal(err)
	}
	a, err := AnalyzerConstructor(map[string]any{"char_filters": []any{"whole"}}, cache)
	if err != nil {
		t.Fatal(err)
	}
	return a.(*Analyzer)
}

// By default the signature of a page is that of its content.
func TestTemplateMarkup(t *testing.T) {
	t.Parallel()
	const content = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall, and nobody in the house minds."
	want, _ := build(t, nil).Sign([]byte(content))
	pages := build(t, map[string]any{"char_filters": []any{"neardup_html"}})
	for _, page := range []string{
		"<nav>Home News</nav><p>" + content + "<footer>Imprint</footer>",
		"<header>The Journal</header><article>" + content + "</article><aside>Ads</aside>",
		"<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div hidden>x</div>" + content,
	} {
		got, _ := pages.Sign([]byte(page))
		sameSignature(t, page, got, want)
	}
	all, _ := whole(t).Sign([]byte("<nav>Home News</nav><p>" + content))
	menu, _ := build(t, nil).Sign([]byte("Home News " + content))
	sameSignature(t, "with all text kept", all, menu)
}

// The same text with and without markup, with other white space, in other case.
func TestMarkup(t *testing.T) {
	t.Parallel()
	pages := whole(t)
	plain := build(t, nil)
	const most = 20
	test := func(t *testing.T, docs []neartest.Doc) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for _, d := range docs[:min(len(docs), most)] {
			want, _ := plain.Sign([]byte(d.Text))
			marked, _ := pages.Sign([]byte(markUp(rnd, d.Text)))
			sameSignature(t, d.ID+" with markup", marked, want)
			both, _ := pages.Sign([]byte(markUp(rnd, restyle(rnd, d.Text))))
			sameSignature(t, d.ID+" with markup, restyled", both, want)
			restyled, _ := plain.Sign([]byte(restyle(rnd, d.Text)))
			sameSignature(t, d.ID+" restyled", restyled, want)
		}
	}
	t.Run("shipped", func(t *testing.T) { test(t, neartest.Shipped(t)) })
	for _, set := range []string{"en", "ja", "zh_CN"} {
		t.Run(set, func(t *testing.T) { test(t, neartest.Docs(t, "manpages-cjk/docs_"+set+".jsonl.gz")) })
	}
}

func TestOnlyMarkup(t *testing.T) {
	t.Parallel()
	pages := build(t, map[string]any{"char_filters": []any{"neardup_html"}})
	rnd := rand.New(rand.NewPCG(3, 4))
	empty, _ := build(t, nil).Sign()
	for _, page := range []string{"", "<p>", "<!-- a comment -->", "<script>", "<a href='never closed", "&nbsp;&#32;", markUp(rnd, strings.Repeat(" ", 500))} {
		sig, terms := pages.Sign([]byte(page))
		sameSignature(t, page, sig, empty)
		if sig.Tokens != 0 || len(terms) != 0 {
			t.Errorf("%q: got %d tokens and %d terms, want none", page, sig.Tokens, len(terms))
		}
		if _, ok := (signature.Rule{}).Match(&sig, &empty); ok {
			t.Errorf("%q matches an empty text", page)
		}
	}
}

// bleve's own filter can still be named; it leaves comments and references.
func TestBleveFilter(t *testing.T) {
	t.Parallel()
	a := build(t, map[string]any{"char_filters": []any{"html"}})
	marked, _ := a.Sign([]byte(`<p class="x">The quick <b>brown</b> fox`))
	plain, _ := a.Sign([]byte("The quick brown fox"))
	sameSignature(t, "html", marked, plain)
}
