package token

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// tokens is the oracle: the rules of the package comment, word for word, over a
// slice of runes.
func tokens(text []byte) []string {
	type char struct {
		r rune
		c class.Class
	}
	var chars []char
	text = normalised(text)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if c := class.At(class.Table(), r) & class.Mask; c != class.Invisible {
			chars = append(chars, char{r, c})
		}
	}
	at := func(i int) class.Class {
		if i < len(chars) {
			return chars[i].c
		}
		return class.Other
	}
	var found []string
	for i := 0; i < len(chars); i++ {
		var tok []rune
		marks := func() {
			for at(i+1) == class.Mark {
				i++
				tok = append(tok, class.Fold(chars[i].r))
			}
		}
		switch {
		case at(i) == class.Ideograph:
			tok = append(tok, class.Fold(chars[i].r))
			marks()
		case class.IsWord(at(i)):
			tok = append(tok, class.Fold(chars[i].r))
			last := at(i)
			solid := last != class.Connector
			marks()
			for {
				if class.IsWord(at(i + 1)) {
					i++
				} else if at(i+1).Joins(last) && at(i+2).Joined(last, chars[i+1].r) {
					tok = append(tok, class.FoldMid(chars[i+1].r))
					i += 2
				} else {
					break
				}
				tok = append(tok, class.Fold(chars[i].r))
				last = at(i)
				solid = solid || last != class.Connector
				marks()
			}
			if !solid {
				continue
			}
		default:
			continue
		}
		found = append(found, string(tok))
	}
	return found
}

// normalised returns text with everything between two separators in NFKC.
func normalised(text []byte) (all []byte) {
	var run []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if class.At(class.Table(), r)&class.Mask == class.Other {
			all = append(append(all, new(class.Form).Append(nil, run, nil)...), text[:size]...)
			run = nil
		} else {
			run = append(run, text[:size]...)
		}
		text = text[size:]
	}
	return append(all, new(class.Form).Append(nil, run, nil)...)
}

// scanned returns the hashes of the tokens of text, taken with room for so many at a time.
func scanned(key Key, text []byte, room int) (hashes []uint64) {
	s := NewScanner(key)
	s.Reset(text)
	dst := make([]uint64, room)
	for n := s.Next(dst); n > 0; n = s.Next(dst) {
		hashes = append(hashes, dst[:n]...)
	}
	return hashes
}

// check compares all that finds the tokens of text with the oracle.
func check(t *testing.T, text []byte) {
	t.Helper()
	key := NewKey(42)
	var want []uint64
	words := tokens(text)
	for _, w := range words {
		want = append(want, key.Hash([]byte(w)))
	}
	for _, room := range []int{MaxBlock, 100, 513} {
		if got := scanned(key, text, room); !slices.Equal(got, want) {
			t.Fatalf("room %d: %q: got %d tokens %x, want %d %q %x", room, text, len(got), got, len(want), words, want)
		}
	}
	checkWords(t, new(Words), text)
	checkBlocks(t, text)
	// The rune-wise path alone agrees with the path that works in blocks.
	s := NewScanner(key)
	s.text = text
	dst := make([]uint64, len(want)+2)
	n, next := 0, 0
	for next < len(s.text) || s.inside {
		if next == len(s.text) {
			s.leave()
			next = s.pos
			continue
		}
		m, to, end := key.hashes(dst[n:], s.text, next, s.inside)
		if n, next = n+m, to; end > 0 {
			s.enter(to, end)
			next = s.pos
		}
	}
	if !slices.Equal(dst[:n], want) {
		t.Fatalf("runes: %q: got %x, want %x", text, dst[:n], want)
	}
}

func TestTokens(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \t\r\n", nil},
		{"a", []string{"a"}},
		{"Hello, World", []string{"hello", "world"}},
		{"don't stop", []string{"don't", "stop"}},
		{"don’t DON＇T", []string{"don't", "don't"}},
		{"'quoted' 'a'", []string{"quoted", "a"}},
		{"pi is 3.14, or 3,14; v1.2.3", []string{"pi", "is", "3.14", "or", "3,14", "v1.2.3"}},
		{"3.a a.3 3:4 a:b a;b 3;4", []string{"3", "a", "a", "3", "3", "4", "a:b", "a", "b", "3;4"}},
		{"std::vector foo_bar _x a._b", []string{"std", "vector", "foo_bar", "_x", "a", "_b"}},
		{"_ __ ____ a _1 ‿ __é__ _\u0301_", []string{"a", "_1", "__é__"}},
		{"naïve CAFÉ Straße", []string{"naïve", "café", "straße"}},
		{"cafe\u0301 \u0301x", []string{"café", "x"}},
		{"a.é é.a 1.é", []string{"a.é", "é.a", "1", "é"}},
		{"soft\u00adhyphen zero\u200bwidth", []string{"softhyphen", "zerowidth"}},
		{"ΣΊΣΥΦΟΣ σίσυφος", []string{"σίσυφοσ", "σίσυφοσ"}},
		{"\u212aelvin", []string{"kelvin"}},
		{"日本語 text です", []string{"日", "本", "語", "text", "で", "す"}},
		{"か\u3099き", []string{"が", "き"}},
		{"コーヒー", []string{"コ", "ー", "ヒ", "ー"}},
		{"한국어 문서", []string{"한국어", "문서"}},
		{"ภาษาไทย", []string{"ภ", "า", "ษ", "า", "ไ", "ท", "ย"}},
		{"𠀀𠀁 x", []string{"𠀀", "𠀁", "x"}},
		{"☺ ok ☺", []string{"ok"}},
		{"a\xffb \xc3", []string{"a", "b"}},
		{long + " " + long + "É", []string{long, long + "é"}},
		{"a. b. \u00ad.c", []string{"a", "b", "c"}},
		{"\u0301x\u0301 日\u0301本", []string{"x\u0301", "日\u0301", "本"}},
		{"\xff\xfe a\u00adb K\xffİ ß ſ", []string{"ab", "k", "i", "ß", "s"}},
	} {
		if got := tokens([]byte(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%q: the oracle finds %q, want %q", tt.text, got, tt.want)
		}
		check(t, []byte(tt.text))
	}
}

// Every text of every length over an alphabet that has all classes, in positions
// that cross the 64-byte blocks in all ways.
func TestTokensRandom(t *testing.T) {
	pieces := []string{
		"ｘ", "１", "．", "ﬁ", "½", "ﷺ", "カ", "ᄒ", "ᅡ", "ᆫ", "น", "\u0e49", "ำ", "\u05b8", "\u05bc", "™", "\U0001d400", "\u0323", "豈",
		"__", "a", "B", "z", "Z", "0", "9", "_", "'", ".", ",", ";", ":", " ", "\n", "-", "(", "`", "{", "@", "[", "/",
		"word", "another", "sixteen_letters_", "é", "Σ", "日", "ー", "\u0301", "\u00ad", "’", "：", "\xff", "𠀀", "ก", "~", "\x7f",
		"İ", "\"", "ש", "׳", "漢字かな", "\u3099", "ﾞ", "٫", "😀", "\xe6\xbc",
		"plain ascii text, long enough for the block-wise path to be taken up again. ",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var b bytes.Buffer
		kinds := 1 + rnd.IntN(len(pieces))
		for range rnd.IntN(150) {
			b.WriteString(pieces[rnd.IntN(kinds)])
		}
		check(t, b.Bytes())
	}
}

// Hashes are part of the format: these must never change.
func TestHashGolden(t *testing.T) {
	for _, tt := range []struct {
		seed uint64
		term string
		want uint64
	}{
		{0, "", 0x7d5374332b0ee65b},
		{0, "a", 0x2b7d5f4c1c2ac5b9},
		{0, "rose", 0x5f1343150dfa8e4b},
		{0, "don't", 0xef0f1f01fb8d9af0},
		{0, "fingerprint", 0x5efe65f24b57a6b2},
		{0, "sixteen_letters_", 0x4d8c9e1df2dbb93f},
		{0, "more than sixteen letters", 0xfea68e0934715814},
		{0, "日", 0x33f08789610ae484},
		{1, "rose", 0x19588be77d51dbd5},
	} {
		if got := NewKey(tt.seed).Hash([]byte(tt.term)); got != tt.want {
			t.Errorf("seed %d: Hash(%q) = %#x, want %#x", tt.seed, tt.term, got, tt.want)
		}
	}
}

func TestLongToken(t *testing.T) {
	const size = 1 << 17
	for _, letter := range []string{"a", "é"} {
		word := strings.Repeat(letter, size)
		check(t, []byte("x "+word+" y"))
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "don't", "a.é", "日本 x", strings.Repeat("ab. ", 40) + "é", "\xe3\x81", "צה\"ל", "漢字か\u3099な"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text) })
}

func TestNoAllocations(t *testing.T) {
	s := NewScanner(NewKey(0))
	dst := make([]uint64, 512)
	text := []byte(strings.Repeat("Some plain words, a few naïve ones and 日本語; ", 100))
	if n := testing.AllocsPerRun(10, func() {
		s.Reset(text)
		for s.Next(dst) > 0 {
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"english", strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is v1.2 of LLVM's documentation. ", 30)},
		{"french", strings.Repeat("Le vif renard brun saute par-dessus le chien paresseux; cela ne l'amuse guère, ni les élèves. ", 30)},
		{"japanese", strings.Repeat("素早い茶色の狐がのろまな犬を飛び越えるコーヒー。", 40)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := NewScanner(NewKey(0))
			dst := make([]uint64, 512)
			text := []byte(bb.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(text)
				for s.Next(dst) > 0 {
				}
			}
		})
	}
}

func ExampleScanner() {
	s := NewScanner(NewKey(0))
	s.Reset([]byte("A rose is a rose; isn't it?"))
	hashes := make([]uint64, MaxBlock)
	n := s.Next(hashes)
	fmt.Println(n, "tokens; the first and the fourth agree:", hashes[0] == hashes[3])
	// Output: 7 tokens; the first and the fourth agree: true
}
