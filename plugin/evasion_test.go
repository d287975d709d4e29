package plugin_test

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/char/regexp"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

const advert = `Dear friend, our pharmacy offers cheap medicine without prescription, delivered to your
door within two days. Click the link below to see all prices and order now; satisfaction is guaranteed
or you get your money back. This offer ends on Sunday, and only the first hundred customers receive
the discount, so do not wait until it is too late for you and your family.`

// letters replaces letters of every word.
func letters(pairs ...string) func(string) string {
	return strings.NewReplacer(pairs...).Replace
}

// within puts something after the first letter of every word.
func within(what string) func(string) string {
	return func(text string) string {
		words := strings.Fields(text)
		for i, w := range words {
			words[i] = w[:1] + what + w[1:]
		}
		return strings.Join(words, " ")
	}
}

func fullwidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'ａ'
		}
		return r
	}, text)
}

// What is done to every word of a text so that its copies are not found, and whether
// they are: as plain text, after the HTML filter, after bleve's filters "regexp",
// which leaves out combining marks, and "asciifolding" as well, and after the HTML and
// the skeleton filter.
// A false here is an evasion that works.
func TestEvasion(t *testing.T) {
	t.Parallel()
	analyzers := map[string]*neardup.Analyzer{}
	for name, filters := range map[string][]any{
		"plain": nil, "html": {char.HTML}, "folded": {char.HTML, "marks", asciifolding.Name}, "skeleton": {char.HTML, char.Skeleton},
	} {
		cache := registry.NewCache()
		if _, err := cache.DefineCharFilter("marks", map[string]any{"type": regexp.Name, "regexp": `\p{Mn}`, "replace": ""}); err != nil {
			t.Fatal(err)
		}
		a, err := neardup.AnalyzerConstructor(map[string]any{"char_filters": filters}, cache)
		if err != nil {
			t.Fatal(err)
		}
		analyzers[name] = a.(*neardup.Analyzer)
	}
	for _, tt := range []struct {
		name                          string
		disguise                      func(string) string
		plain, html, folded, skeleton bool
	}{
		{"letter case", strings.ToUpper, true, true, true, true},
		{"punctuation and white space", letters(" ", " \n* ", ".", " !!! "), true, true, true, true},
		{"zero-width space in words", within("\u200b"), true, true, true, true},
		{"zero-width joiner in words", within("\u200d"), true, true, true, true},
		{"word joiner in words", within("\u2060"), true, true, true, true},
		{"soft hyphen in words", within("\u00ad"), true, true, true, true},
		{"direction marks in words", within("\u202e"), true, true, true, true},
		{"variation selector in words", within("\ufe0f"), false, false, true, true},
		{"combining marks on letters", within("\u0301"), false, false, true, true},
		{"precomposed accents", letters("e", "é", "o", "ö"), false, false, true, true},
		{"full-width letters", fullwidth, true, true, true, true},
		{"Cyrillic look-alikes", letters("a", "а", "e", "е", "o", "о", "p", "р", "c", "с"), false, false, false, true},
		{"digits for letters", letters("o", "0", "i", "1"), false, false, false, false},
		{"Greek look-alikes", letters("o", "ο", "a", "α", "i", "ι"), false, false, false, true},
		{"letters with strokes", letters("o", "ø", "l", "ł", "d", "đ"), false, false, true, true},
		{"Hangul fillers in words", within("\u3164"), false, false, false, true},
		{"mathematical letters", letters("a", "𝐚", "e", "𝐞"), true, true, true, true},
		{"spaces in words", within(" "), false, false, false, false},
		{"hyphens in words", within("-"), false, false, false, false},
		{"inline tags in words", within("<b></b>"), false, true, true, true},
		{"comments in words", within("<!-- x -->"), false, true, true, true},
		{"character references", letters("e", "&#101;", "a", "&#x61;"), false, true, true, true},
		{"hidden text after words", letters(" ", ` <span style="display:none">xyzzy</span> `), false, true, true, true},
		{"script after words", letters(" ", ` <script>var x = 1</script> `), false, true, true, true},
	} {
		for name, want := range map[string]bool{"plain": tt.plain, "html": tt.html, "folded": tt.folded, "skeleton": tt.skeleton} {
			a, _ := analyzers[name].Sign([]byte(advert))
			b, _ := analyzers[name].Sign([]byte(tt.disguise(advert)))
			match, found := signature.Rule{}.Match(&a, &b)
			if found != want {
				t.Errorf("%s, %s: found %v (%d lanes), want %v", tt.name, name, found, match.Agree, want)
			}
		}
	}
}
