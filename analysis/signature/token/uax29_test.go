package token

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	segments "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// segmented returns the words that bleve's tokenizer finds, which implements UAX #29 by
// Unicode 8, folded like ours.
func segmented(text string) (words []string) {
	for _, t := range segments.NewUnicodeTokenizer().Tokenize([]byte(text)) {
		words = append(words, folded(t))
	}
	return words
}

func folded(t *analysis.Token) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return class.FoldMid(class.Fold(r))
	}, string(t.Term))
}

// In scripts with spaces, and Han and Hiragana by character, words are those of
// UAX #29.
func TestWordsOfUAX29(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Don't stop; can't, won’t, O'Neill's rock 'n' roll, 'quoted'.",
		"L'été, aujourd'hui, Straße STRASSE ÇA naïve façade, l’œuvre",
		"3.14 1,000 1,000.50 v1.2.3 10:30 e.g. U.S.A. a.b. 2,a a,2 x1y2 50% $3.50",
		"snake_case __init__ a_1 foo.bar foo:bar foo;bar foo-bar a/b mail@example.org",
		"ΟΔΥΣΣΕΥΣ Ὀδυσσεύς τοῦ ’λα ἀλλ’ ἐγώ",
		"Съешь же ещё этих мягких французских булок, да выпей чаю. ЁЖ",
		"مُحَمَّد كتب الكِتَاب، ١٢٣ ٣٫١٤ ١٬٠٠٠ العربيّة",
		`צה"ל אמר: שלום, ד"ר כהן צ׳יפס חז״ל עִבְרִית`,
		"हिन्दी में क्ष और ज्ञ हैं। श्री कृष्ण १२३",
		"தமிழ் வாழ்க வணக்கம்; తెలుగు, বাংলা ভাষা",
		"한국어 문서를 찾습니다, 3월 1일. 조선말",
		"e\u0301te\u0301 a\u0308b\u0327c x\u20dd 1\u20e3 \u0301x ",
		"日本語の文書 漢字かな",
		"ትግርኛ ኣማርኛ። ქართული ენა",
		"soft\u00adhyphen zero\u200djoin a\u2060b",
		"ⓐⓑⓒ ⅷ ªº ŉ ʻokina",
	} {
		if got, want := tokens([]byte(text)), segmented(string(normalised([]byte(text)))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, UAX #29 has %q", text, got, want)
		}
		check(t, []byte(text))
	}
}

// Where tokens differ from the words of UAX #29, or of its version 8, it is on purpose.
func TestNotUAX29(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ why, text, want, uax string }{
		{"Katakana by character", "カタカナ コーヒー", "カ|タ|カ|ナ|コ|ー|ヒ|ー", "カタカナ|コーヒー"},
		{"Thai by character with its marks; UAX #29 leaves it to dictionaries", "ที่นี่", "ที่|นี่", ""},
		{"so the scripts of its family", "ᥖᥭᥰ ᦎᦱ", "ᥖ|ᥭ|ᥰ|ᦎ|ᦱ", ""},
		{"no word across ideographs", "_日_", "日", "_|日|_"},
		{"superscripts and fractions are numbers", "x² 5½", "x2|51⁄2", "x|5"},
		{"full-width digits are digits", "Ａ１", "a1", "ａ"},
		{"a zero-width space hides in words", "via\u200bgra", "viagra", "via|gra"},
		{"a narrow no-break space separates", "1\u202f000 ah\u202f!", "1|000|ah", "1|000|ah"},
		{"a quotation mark after a Hebrew word is none of it", "'שלום'", "שלום", "שלום'"},
		{"connectors alone are no word", "a __ b", "a|b", "a|__|b"},
		{"signs inside Armenian words, since Unicode 11", "ինչո՞ւ", "ինչո՞ւ", "ինչո|ւ"},
		{"the sound mark of a half-width kana belongs to it, but kana do not join", "ｶﾞｷ", "ガ|キ", "ｶﾞｷ"},
		{"a mark on what joins ends the word", "a.\u0308b", "a|b", "a.\u0308b"},
	} {
		if got := strings.Join(tokens([]byte(tt.text)), "|"); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.why, tt.text, got, tt.want)
		}
		if got := strings.Join(segmented(tt.text), "|"); got != tt.uax {
			t.Errorf("%s: %q: UAX #29 has %q, the test %q", tt.why, tt.text, got, tt.uax)
		}
		check(t, []byte(tt.text))
	}
}
