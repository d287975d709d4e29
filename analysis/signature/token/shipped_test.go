package token_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	segments "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// On real English text the tokens are the words that bleve's tokenizer finds by UAX #29,
// except words of connectors alone.
func TestShippedWords(t *testing.T) {
	t.Parallel()
	key := token.NewKey(1)
	scanner := token.NewScanner(key)
	tokenizer := segments.NewUnicodeTokenizer()
	hashes := make([]uint64, 1024)
	for i, d := range neartest.Shipped(t) {
		if i%20 > 0 { // most of the others are versions of the same text
			continue
		}
		var got, want []uint64
		scanner.Reset([]byte(d.Text))
		for n := scanner.Next(hashes); n > 0; n = scanner.Next(hashes) {
			got = append(got, hashes[:n]...)
		}
		var words []string
		for _, word := range tokenizer.Tokenize([]byte(d.Text)) {
			if w := strings.Map(folded, string(word.Term)); strings.Trim(w, "_") != "" {
				words = append(words, w)
				want = append(want, key.Hash([]byte(w)))
			}
		}
		if !slices.Equal(got, want) {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: %d tokens, %d words; they differ at %d, %q", d.ID, len(got), len(want), i, words[max(0, i-3):min(len(words), i+3)])
		}
	}
}

func folded(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\uff07':
		return '\''
	}
	return unicode.ToLower(unicode.ToUpper(r))
}
