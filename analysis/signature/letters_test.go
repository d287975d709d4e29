package signature_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/compare"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
)

// Texts of all scripts, and bytes that are no text, have the signature that plain loops over
// their letters make.
func TestLetters(t *testing.T) {
	t.Parallel()
	texts := []string{
		"The quick brown fox jumps over the lazy dog.",
		"naïve Café, ＦＵＬＬ ｗｉｄｔｈ, ﬁne x² Straße ΑΒΓΔ ς",
		"日本語の文章です。改行\nしても、空白 を入れても同じ。",
		"漢字2024年 mixed 漢字 with words",
		"ภาษาไทยเขียนไม่เว้นวรรค ຂ້ອຍ ភាសាខ្មែរ မြန်မာ",
		"한국어 문장은 띄어 씁니다", "שלום צה\"ל עולם", "العَرَبِيَّة لُغَة", "हिन्दी क्षत्रिय", "e\u0301 é u\u0308\u0301",
		"\xff\xfe broken \xf0\x9f bytes \xed\xa0\x80 here", "👩‍👩‍👧 emoji and 🏴 flags", "abc", "ab", "a", "", " \t ",
		strings.Repeat("word and another ", 700), strings.Repeat("界", 3000), strings.Repeat("x", 100_000),
	}
	rnd := rand.New(rand.NewPCG(71, 72))
	for range 50 {
		var b strings.Builder
		for range rnd.IntN(300) {
			from := []rune(texts[rnd.IntN(17)] + " ")
			b.WriteRune(from[rnd.IntN(len(from))])
		}
		texts = append(texts, b.String())
	}
	for i, p := range lettered() {
		m := newMaker(t, p)
		for j, text := range texts {
			if j%len(lettered()) != i && len(text) > 5000 {
				continue // the naive way takes long
			}
			other := texts[(j+5)%17]
			m.Text([]byte(text))
			m.Text([]byte(other))
			checkEqual(t, fmt.Sprintf("%+v: %.60q", p, text), m.Signature(), naive(p, read([]byte(text)), read([]byte(other))))
		}
	}
}

// lettered returns parameters with letters.
func lettered() (all []signature.Params) {
	for _, f := range signature.Fingerprints() {
		for _, n := range []int{signature.MinLetters, 4, 16} {
			all = append(all, signature.Params{
				Width: 4, Letters: n, Lanes: 100, SimhashWidth: 4, Fingerprint: f, Bag: n == 4, Seed: uint64(n),
			})
		}
	}
	return all
}

// Documents of several values, made by one Maker after another, of lengths around those at which
// tokens and letters go on: as text, and token by token.
func TestLettersMaker(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(73, 74))
	all := words(rnd, 1100, 300)
	for i, p := range append(lettered(), signature.Params{
		Width: 4, Letters: 3, Lanes: 64, SimhashWidth: 1, SimhashWeight: signature.WeightLog, Fingerprint: signature.Rabin40,
	}, signature.Params{Width: 2, Letters: 5, Lanes: 100, SimhashWidth: 2, SimhashWeight: signature.WeightCount}) {
		m, terms := newMaker(t, p), newMaker(t, p)
		lengths := []int{0, 1, 448 + i, 513, 511 + 2*i, 1024, 1100}
		if p.Letters > 4 || p.Bag {
			lengths = lengths[:4] // the naive way takes long
		}
		for _, n := range lengths {
			values := [][]string{all[:n], all[1:2], all[n/2:][:min(20, len(all)-n/2)]}
			for _, v := range values {
				m.Text(layout(rnd, v))
				for _, w := range v {
					terms.Term([]byte(w))
				}
				terms.EndValue()
			}
			got := m.Signature()
			checkEqual(t, fmt.Sprintf("%+v: %d tokens", p, n), got, naive(p, values...))
			checkEqual(t, fmt.Sprintf("%+v: %d terms", p, n), terms.Signature(), got)
		}
	}
}

// Tokens of another tokenizer may be anything: spaces, bytes that are not UTF-8, nothing.
func TestLettersOfTerms(t *testing.T) {
	t.Parallel()
	terms := []string{"new york", "", "\xff\xff", "日本", "語", "か\u3099", "本a", " ", "x"}
	for _, p := range lettered() {
		m := newMaker(t, p)
		var values [][]string
		for i := range terms {
			value := slices.Concat(terms[i:], terms)
			for _, term := range value {
				m.Term([]byte(term))
			}
			m.EndValue()
			values = append(values, value)
		}
		checkEqual(t, fmt.Sprintf("%+v", p), m.Signature(), naive(p, values...))
	}
}

// What stands between words does not count, and two spellings of a word have most of their
// shingles in common.
func TestLettersInvariants(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	p.Letters = 4
	of := func(text string) signature.Signature { return signature.Of(p, []byte(text)) }
	for _, tt := range [][2]string{
		{"One two, three!", "one\n two -- THREE"},
		{"日本語の文章", "日本語\nの 文章"},
		{"Cafe\u0301 au lait", "CAFÉ  au   lait"},
		{"ｆｕｌｌ width", "full width"},
	} {
		checkEqual(t, fmt.Sprintf("%q", tt), of(tt[0]), of(tt[1]))
	}
	a, b := of("organisation of the colour catalogue"), of("organization of the color catalog")
	if r, _ := signature.Resemblance(&a, &b); r.Value < .4 {
		t.Errorf("two spellings: got a resemblance of %v, want more than .4", r)
	}
	words := signature.DefaultParams()
	a, b = signature.Of(words, []byte("organisation of the colour catalogue")), signature.Of(words, []byte("organization of the color catalog"))
	if r, _ := signature.Resemblance(&a, &b); r.Value > .1 {
		t.Errorf("two spellings, by words: got a resemblance of %v, want none", r)
	}
	if s := of("abc"); s.Shingles != 0 || s.Tokens != 1 || s.Lanes != 0 {
		t.Errorf("a text shorter than a shingle: got %+v", s)
	}
	if s := of("ab cd"); s.Shingles != 2 {
		t.Errorf(`"ab cd": got %d shingles, want "ab c" and "b cd"`, s.Shingles)
	}
}

// A template is learned from the hashes of tokens, and shingles of letters need their text.
func TestLettersWithout(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	p.Letters = 5
	set := learn(t, p, template.Options{Width: 6, Documents: 2}, "one two three four five six seven", "one two three four five six seven")
	m := newMaker(t, p)
	err := m.Without(set)
	if want := "signature: template: wanted shingles of words, got shingles of 5 letters"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	m.Text([]byte("after the error"))
	checkEqual(t, "after an error", m.Signature(), signature.Of(p, []byte("after the error")))
}

// Compare finds the shingles that are signed; a span is the words that its letters are in, and
// the spans of a text have all of its shingles.
func TestCompareLetters(t *testing.T) {
	t.Parallel()
	docs := signaturetest.Shipped(t)
	set := func(text []byte, n int) map[string]struct{} {
		all := map[string]struct{}{}
		letters := lettersOf(folded(text))
		for i := 0; i+n <= len(letters); i++ {
			all[strings.Join(letters[i:i+n], "")] = struct{}{}
		}
		return all
	}
	for i := range 16 {
		a, b := []byte(docs[i*7%len(docs)].Text), []byte(docs[(i*7+i%4)%len(docs)].Text)
		a, b = a[:min(len(a), 4000)], b[:min(len(b), 4000)]
		if i == 0 {
			a, b = []byte("日本語の文章 and words"), []byte("日本語 の words")
		}
		p := signature.DefaultParams()
		p.Letters, p.Seed = 2+i%15, uint64(i)
		setA, setB := set(a, p.Letters), set(b, p.Letters)
		both := common(setA, setB)
		got := compare.Texts(p, [][]signature.Token{signature.Tokens(a)}, [][]signature.Token{signature.Tokens(b)}, 1<<30)
		if got.Shared != both || got.A.Own != len(setA)-both || got.B.Own != len(setB)-both {
			t.Errorf("%d: %d shared, %d and %d not; want %d, %d, %d", i, got.Shared, got.A.Own, got.B.Own, both, len(setA)-both, len(setB)-both)
		}
		for _, side := range []struct {
			text []byte
			of   compare.Side
			has  map[string]struct{}
		}{{a, got.A, setB}, {b, got.B, setA}} {
			total := 0
			for _, s := range side.of.SharedSpans {
				total += s.Shingles
				shared := 0
				inside := slices.Concat([]string{" "}, lettersOf(folded(side.text[s.Start:s.End])), []string{" "})
				for j := 0; j+p.Letters <= len(inside); j++ {
					if _, ok := side.has[strings.Join(inside[j:j+p.Letters], "")]; ok {
						shared++
					}
				}
				if shared < s.Shingles {
					t.Errorf("%d: %.80q has %d shared shingles, want %d", i, side.text[s.Start:s.End], shared, s.Shingles)
				}
			}
			for _, s := range side.of.OwnSpans {
				total += s.Shingles
			}
			if want := max(0, len(lettersOf(folded(side.text)))-p.Letters+1); total != want {
				t.Errorf("%d: the spans have %d shingles, want %d", i, total, want)
			}
		}
	}
}

// FuzzLetters compares signatures of letters with plain loops.
func FuzzLetters(f *testing.F) {
	f.Add("One two", 2, uint64(0))
	f.Add("日本語 text", 4, uint64(7))
	f.Add("日 ꪞ |ext", 4, uint64(7))
	f.Add("ภ ๑ ー 〇 ｶﾞ 語", 2, uint64(7))
	f.Fuzz(func(t *testing.T, text string, n int, seed uint64) {
		p := signature.Params{Width: 4, Letters: 2 + (n%15+15)%15, Lanes: 100, SimhashWidth: 4, Seed: seed}
		text = strings.ToValidUTF8(text[:min(len(text), 10_000)], "")
		checkEqual(t, fmt.Sprintf("%q", text), signature.Of(p, []byte(text)), naive(p, read([]byte(text))))
	})
}

func BenchmarkLetters(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is the cat.\n", 1))
	for _, d := range signaturetest.Shipped(b)[:20] {
		text = append(text, d.Text...)
	}
	for _, n := range []int{0, 3, 5} {
		b.Run(fmt.Sprintf("letters=%d", n), func(b *testing.B) {
			p := signature.DefaultParams()
			p.Letters = n
			m := newMaker(b, p)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Text(text)
				m.Signature()
			}
		})
	}
}
