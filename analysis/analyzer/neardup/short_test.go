package neardup

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
)

// folded returns the first words of a text, at most n.
func folded(text string, n int) (words []string) {
	for _, t := range signature.Tokens([]byte(text[:min(len(text), 20*n)])) {
		words = append(words, string(t.Term))
	}
	return words[:min(len(words), n)]
}

// What the preset short is for: texts of so many words are found after one of them was changed at
// random. examples/accuracy --short measures the same on more texts.
func TestPresetShortFinds(t *testing.T) {
	t.Parallel()
	a, pages := build(t, map[string]any{"preset": Short}), build(t, nil)
	docs := signaturetest.Shipped(t)
	rnd := rand.New(rand.NewPCG(91, 92))
	for _, tt := range []struct {
		words int
		least float64
	}{{10, .75}, {15, .95}, {20, 1}} {
		texts, found, byDefault := 0, 0, 0
		seen := map[string]bool{}
		for _, d := range docs {
			words := folded(d.Text, tt.words)
			text := strings.Join(words, " ")
			if len(words) < tt.words || seen[text] || texts == 300 {
				continue
			}
			seen[text] = true
			changed := slices.Clone(words)
			other := folded(docs[rnd.IntN(len(docs))].Text, 100)
			at := rnd.IntN(len(changed))
			if changed[at] = other[rnd.IntN(len(other))]; changed[at] == words[at] {
				continue
			}
			texts++
			if a.Rule().Duplicates(a.SignText(text), a.SignText(strings.Join(changed, " "))) {
				found++
			}
			if pages.Rule().Duplicates(pages.SignText(text), pages.SignText(strings.Join(changed, " "))) {
				byDefault++
			}
		}
		if share := float64(found) / float64(texts); share < tt.least || texts < 250 {
			t.Errorf("%d words: found %.3f of %d texts, want %v", tt.words, share, texts, tt.least)
		}
		if 10*byDefault > texts {
			t.Errorf("%d words: the default rule finds %d of %d: the test shows nothing", tt.words, byDefault, texts)
		}
	}
}

// sentenceEnd is a mark before a space, or an empty line.
var sentenceEnd = regexp.MustCompile(`[.!?]\s|\n\s*\n`)

// Of first sentences of different pages it takes at most one pair in a thousand sentences for
// near-duplicates that differ in more than one word.
func TestPresetShortWrong(t *testing.T) {
	t.Parallel()
	a := build(t, map[string]any{"preset": Short})
	var sentences [][]string
	var sigs []*signature.Signature
	seen := map[string]bool{}
	for _, d := range signaturetest.Shipped(t) {
		for _, sentence := range sentenceEnd.Split(d.Text[:min(len(d.Text), 4000)], -1) {
			words := folded(sentence, 41)
			text := strings.Join(words, " ")
			if len(words) < 4 || len(words) > 40 {
				continue
			}
			if !seen[text] {
				seen[text] = true
				sentences, sigs = append(sentences, words), append(sigs, a.SignText(text))
			}
			break
		}
	}
	taken, wrong := 0, 0
	for j := range sigs {
		for i := range j {
			if !a.Rule().Duplicates(sigs[i], sigs[j]) {
				continue
			}
			if taken++; edits(sentences[i], sentences[j]) > 1 {
				wrong++
				t.Logf("%q\n%q", sentences[i], sentences[j])
			}
		}
	}
	if n := len(sigs); n < 250 || wrong*1000 > n || taken == wrong {
		t.Errorf("%d sentences: %d pairs, %d of them wrong", n, taken, wrong)
	}
}

// edits is the least number of words to change, add or leave out between a and b.
func edits(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0]
		row[0]++
		for j := range b {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
