package token_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// checkSizes compares the hashes and sizes that a Scanner finds, room tokens at a time,
// with the folded text that a token.Words finds.
func checkSizes(t *testing.T, key token.Key, s *token.Scanner, text []byte, rooms ...int) {
	t.Helper()
	type sized struct {
		hash uint64
		size int
	}
	var want []sized
	var texts token.Words
	texts.Reset(text)
	for w := texts.Next(); w != nil; w = texts.Next() {
		want = append(want, sized{key.Hash(w), len(w)})
	}
	for _, room := range rooms {
		var got []sized
		hashes, sizes := make([]uint64, room), make([]uint32, room)
		s.Reset(text)
		for n := s.NextSized(hashes, sizes); n > 0; n = s.NextSized(hashes, sizes) {
			for i := range n {
				got = append(got, sized{hashes[i], int(sizes[i])})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.60q, room %d: got %d tokens, want %d, or others", text, room, len(got), len(want))
		}
	}
}

var sizeTexts = []string{
	"", "a", "___ _a_ __ a_b", strings.Repeat("_", 200) + " x", strings.Repeat("word ", 300),
	strings.Repeat("long", 400) + " 3.14 don't", "Ünder Ἀχιλλεύς K ſ İı", "日本語の文章と English words 混ぜる",
	strings.Repeat("漢", 1000), strings.Repeat("plain text of words ", 20) + "é" + strings.Repeat(" and_more plain text", 20),
	strings.Repeat("a", 63) + " " + strings.Repeat("b", 64) + "_", "\xff\xfe a\u00adb \u0301 e\u0301",
}

func TestSizes(t *testing.T) {
	t.Parallel()
	key := token.NewKey(3)
	s := token.NewScanner(key)
	rooms := []int{token.MaxBlock, 100, 512}
	for _, text := range sizeTexts {
		checkSizes(t, key, s, []byte(text), rooms...)
	}
	for i, d := range neartest.Shipped(t) {
		if i%10 == 0 && (i%200 == 0 || !testing.Short()) {
			checkSizes(t, key, s, []byte(d.Text), rooms...)
		}
	}
}

func FuzzSizes(f *testing.F) {
	for _, text := range sizeTexts {
		f.Add([]byte(text))
	}
	key := token.NewKey(0)
	f.Fuzz(func(t *testing.T, text []byte) { checkSizes(t, key, token.NewScanner(key), text, token.MaxBlock) })
}
