package skeleton_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// fold folds letters as tokens do.
func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

func text(s string) string { return string(skeleton.Text(nil, []byte(s))) }

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ what, of, want string }{
		{"ASCII", "I'm 1 of 0x10, M|l!", "I'm 1 of 0x10, M|l!"},
		{"full-width", "Ｆｒｅｅ　ｍｏｎｅｙ！", "Free money!"},
		{"mathematical", "𝐅𝓻𝕖𝖊 𝚖𝗼𝙣𝑒𝔶", "Free money"},
		{"Cyrillic look-alikes", "Frее mоnеу, СHЕАP", "Free money, CHEAP"},
		{"Greek look-alikes", "Ρhαrmαϲγ", "Pharmacy"},
		{"upper-case look-alikes of l", "ІNCOME Ιs", "INCOME Is"},
		{"zero width", "phar\u200bma\u200d\u2060\u00adcy\ufe0f \u202edrugs\u3164", "pharmacy drugs"},
		{"marks", "p\u0301h\u0336ármäcy", "pharmacy"},
		{"marks of the first letter", "\u0301\u0301free", "free"},
		{"strokes", "møney đrugs łow", "money drugs low"},
		{"ligatures", "oﬃce Ǆ œuvre", "office DZ oeuvre"},
		{"Korean stays composed", "한국어 \u1112\u1161\u11ab", "한국어 한"},
		{"half-width kana", "ｶﾞｷﾞ", "ガギ"},
		{"Japanese marks stay", "かがは\u3099ぱ", "かがばぱ"},
		{"Thai, Hindi, Arabic, Hebrew marks stay", "ที่ हिन्दी مُحَمَّد שָׁלוֹם", norm.NFC.String("ที่ हिन्दी مُحَمَّد שָׁלוֹם")},
		{"as many marks as spell", "ก" + strings.Repeat("\u0e31", 50), "ก" + strings.Repeat("\u0e31", 8)},
		{"not UTF-8", "a\xff\xfeб\xd0", "a\ufffd\ufffdb\ufffd"},
		{"what a later version of Unicode assigns", "a\u1acf\u0301\U00016d67\U00016d67\ua7cb", "a\ufffd\ufffd\ufffd\ufffd"},
		{"single letters", "v i a g r a, V.I.A.G.R.A! c - i - a - l - i - s", "viagra, VIAGRA! cialis"},
		{"disguised single letters", "“v\u200b і а g r а”", "“viagra”"},
		{"initials, and letters that are no row", "U S A, a b-c d, x y z1, a1 b c d, f     g     h     i", "U S A, a b-c d, x y z1, a1 b c d, f     g     h     i"},
		{"rows of lines", "a b c\nd e f", "a b c\nd e f"},
		{"a row after a row", "a b c d-e-f-g-h ä i j k l", "abcd-efgh aijkl"},
		{"not a Latin letter", "щюж 漢字", "щюж 漢字"},
	} {
		if got := text(tt.of); got != tt.want {
			t.Errorf("%s: %q becomes %+q, want %+q", tt.what, tt.of, got, tt.want)
		}
	}
}

// naive is the algorithm of the package comment, on the text as a whole.
func naive(s string) string {
	var out []rune
	bare, marks := true, 0
	s = strings.NewReplacer("ϲ", "c", "Ϲ", "C").Replace(s) // sigmas by compatibility
	s = strings.Map(func(r rune) rune {
		if !unicode.Is(class.Assigned, r) {
			return utf8.RuneError
		}
		return r
	}, s)
	for _, r := range norm.NFKD.String(s) {
		look := skeleton.LooksLike(r)
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		case unicode.In(r, unicode.M):
			if marks++; !bare && marks <= 8 {
				out = append(out, r)
			}
		case look != "":
			out = append(out, []rune(look)...)
			bare, marks = true, 0
		default:
			out = append(out, r)
			bare, marks = r >= 0x10000 || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common), 0
		}
	}
	return naiveRows(norm.NFC.String(string(out)))
}

var (
	word      = regexp.MustCompile(`[\pL\pN\pM]+`)
	single    = regexp.MustCompile(`^[A-Za-z]$`)
	separator = regexp.MustCompile(`^[^\pL\pN\pM\r\n\x{80}-\x{10ffff}]{1,3}$`)
)

// naiveRows makes words of rows of single letters, given as words and what separates them.
func naiveRows(s string) string {
	words, between := word.FindAllString(s, -1), word.Split(s, -1)
	out := between[0]
	for i := 0; i < len(words); i++ {
		end := i
		for end+1 < len(words) && single.MatchString(words[i]) && single.MatchString(words[end+1]) &&
			separator.MatchString(between[i+1]) && between[end+1] == between[i+1] {
			end++
		}
		if end-i < 3 {
			end = i
		}
		out += strings.Join(words[i:end+1], "") + between[end+1]
		i = end
	}
	return out
}

// manyMarks reports whether a letter has more marks than may stay, so that their order
// matters.
func manyMarks(s string) bool {
	n := 0
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.In(r, unicode.M):
			if n++; n > 8 {
				return true
			}
		case !unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			n = 0
		}
	}
	return false
}

func check(t *testing.T, src []byte) {
	got := skeleton.Text([]byte("before "), src)
	rest, ok := bytes.CutPrefix(got, []byte("before "))
	if !ok {
		t.Fatalf("%q: what was there became %q", src, got)
	}
	if skeleton.Plain(src) && !bytes.Equal(rest, src) {
		t.Fatalf("%q: got %q of ASCII", src, rest)
	}
	if len(rest) > 11*len(src) {
		t.Fatalf("%d bytes became %d", len(src), len(rest))
	}
	if again := skeleton.Text(nil, rest); !bytes.Equal(again, rest) && !manyMarks(string(src)) {
		t.Fatalf("%+q: got %+q, and of that %+q", src, rest, again)
	}
	if !utf8.Valid(src) || manyMarks(string(src)) {
		return
	}
	if want := naive(string(src)); string(rest) != want {
		t.Fatalf("%+q: got %+q, want %+q", src, rest, want)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"plain", "Frее mоnеу", "ｶﾞ\u200b한\u1112\u1161\u11ab", "a\u0301\u0323e\u0327\u0301", "\u0915\u093f\u093c\u0916\u093c", "\xff\u0301\xd0",
		"v i a g r a  c.i.a.l.i.s a, b, c, d1 “a-b-c-d” é f g h i\nj k l m", "\ufdfa ﬁ ½ Ǆ", "\U0001d400\u0301 \U000118a3", "ا\u0653\u0651\u064eب",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(check)
}

// Real text in three scripts, and every rune by itself and with others around it.
func TestAgainstNaive(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if testing.Short() && r > 0x3000 && r%37 != 0 {
			continue
		}
		if utf8.ValidRune(r) && (r < 0x20000 || r > 0xe0000 && r < 0xe0200) {
			check(t, []byte(string(r)))
			check(t, []byte("x"+string(r)+"\u0301"+string(r)+"\u3099"))
		}
	}
	for _, d := range neartest.Shipped(t)[:20] {
		check(t, []byte(d.Text))
	}
	if testing.Short() {
		return
	}
	for _, name := range []string{"ja", "zh_CN"} {
		for _, d := range neartest.FirstDocs(t, "manpages-cjk/docs_"+name+".jsonl.gz", 50) {
			check(t, []byte(d.Text))
		}
	}
}

// Letter case does not matter: letters that tokens fold to one rune have one skeleton,
// folded.
func TestCase(t *testing.T) {
	t.Parallel()
	folded := func(s string) string { return strings.Map(fold, text(s)) }
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if f := fold(r); f != r && !unicode.Is(unicode.M, r) && unicode.Is(class.Assigned, r) && folded(string(r)) != folded(string(f)) {
			t.Errorf("%c %U has %q, but folded, %c, %q", r, r, folded(string(r)), f, folded(string(f)))
		}
	}
}

// The table has each letter once, folded and decomposed, and maps it to letters of ASCII.
func TestTable(t *testing.T) {
	t.Parallel()
	n := 0
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		like := skeleton.LooksLike(r)
		if like == "" {
			continue
		}
		if r != fold(r) {
			continue
		}
		n++
		if strings.Trim(like, "abcdefghijklmnopqrstuvwxyz") != "" || norm.NFKD.String(string(r)) != string(r) && r != 'ϲ' {
			t.Errorf("%c %U looks like %q", r, r, like)
		}
	}
	if n != skeleton.Lookalikes() {
		t.Errorf("%d letters look like others, want %d", n, skeleton.Lookalikes())
	}
}

func BenchmarkText(b *testing.B) {
	english := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 66)
	for _, tt := range []struct{ name, text string }{
		{"ASCII", english},
		{"Cyrillic look-alikes", strings.NewReplacer("o", "о", "e", "е", "a", "а").Replace(english)},
		{"Russian", strings.Repeat("Съешь же ещё этих мягких французских булок, да выпей чаю. ", 28)},
		{"Japanese", strings.Repeat("いろはにほへとちりぬるをわかよたれそつねならむ。", 42)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			src := []byte(tt.text)
			dst := make([]byte, 0, 11*len(src))
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				dst = skeleton.Text(dst[:0], src)
			}
		})
	}
}
