package token

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// read returns what w finds in text, and the text at the places it reports.
func read(w *Words, text []byte) (all, places []string) {
	w.Reset(text)
	last := 0
	for word := w.Next(); word != nil; word = w.Next() {
		start, end := w.Place()
		if start < last {
			places = append(places, "is before the one before it")
			continue
		}
		all, places, last = append(all, string(word)), append(places, string(text[start:end])), start
	}
	return all, places
}

// checkWords compares Words with the oracle, and the hashes of its tokens with a Scanner.
func checkWords(t *testing.T, w *Words, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	got, places := read(w, text)
	if want := tokens(text); !slices.Equal(got, want) {
		t.Fatalf("%q: got %q, want %q", text, got, want)
	}
	for i, place := range places {
		// Where runes change together, the place of a token is that of all of them.
		if one := tokens([]byte(place)); len(one) != 1 && !strings.ContainsFunc(string(text), func(r rune) bool { return class.At(class.Table(), r)&(class.Rewritten|class.Ordered) != 0 }) || !slices.Contains(one, got[i]) {
			t.Fatalf("%q: %q is found at %q, which has %q", text, got[i], place, one)
		}
	}
	key := NewKey(7)
	var hashes []uint64
	for _, word := range got {
		hashes = append(hashes, key.Hash([]byte(word)))
	}
	if want := scanned(key, text, MaxBlock); !slices.Equal(hashes, want) {
		t.Fatalf("%q: %q hash to %x, a Scanner finds %x", text, got, hashes, want)
	}
	if !bytes.Equal(text, before) {
		t.Fatalf("%q was changed to %q", before, text)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	var w Words
	if w.Next() != nil {
		t.Error("the zero Words has a token")
	}
	for _, text := range []string{
		"", "_", "a", "__ _a", "Don’t DON＇T 3.14.x", "a. b.", "a.\u00adb \u00ad.c", "\u0301x\u0301 日\u0301本", "K\xffİ ß", "ΣΊΣΥΦΟΣ", "𠀀𠀁x",
		strings.Repeat("É", keepBytes) + " then short",
	} {
		checkWords(t, &w, []byte(text))
	}
}

func TestWordsRandom(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"__", "a", "B", "Z", "0", "_", "'", ".", ",", ":", " ", "\n", "-", "word", "É", "Σ", "日", "ー", "\u0301", "\u00ad", "’", "：", "\xff", "𠀀", "ก", "İ",
		"ｘ", "１", "．", "ﬁ", "½", "ﷺ", "カ", "\u3099", "ﾞ", "ᄒ", "ᅡ", "ᆫ", "น", "\u0e49", "ำ", "\u05b8", "\u05bc", "™", "\U0001d400", "\u0323", "é", "豈",
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var w Words
	rounds := 5000
	if testing.Short() {
		rounds = 1000
	}
	for range rounds {
		var b bytes.Buffer
		kinds := 1 + rnd.IntN(len(pieces))
		for range rnd.IntN(60) {
			b.WriteString(pieces[rnd.IntN(kinds)])
		}
		checkWords(t, &w, b.Bytes())
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "don't", "a.é", "日本 x", "_\u00ad_a:\u200bb", "\xe3\x81"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkWords(t, new(Words), text) })
}

func TestWordsNoAllocations(t *testing.T) {
	var w Words
	text := []byte(strings.Repeat("Some plain words, a few naïve ones and 日本語; ", 100))
	if n := testing.AllocsPerRun(10, func() {
		w.Reset(text)
		for w.Next() != nil {
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkWords(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"english", strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is v1.2 of LLVM's documentation. ", 30)},
		{"japanese", strings.Repeat("素早い茶色の狐がのろまな犬を飛び越えるコーヒー。", 40)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var w Words
			text := []byte(bb.text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				w.Reset(text)
				for w.Next() != nil {
				}
			}
		})
	}
}
