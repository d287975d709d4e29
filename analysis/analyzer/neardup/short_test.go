package neardup

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// folded returns the first words of a text, at most n.
func folded(text string, n int) (words []string) {
	for _, t := range token.Split([]byte(text[:min(len(text), 20*n)])) {
		words = append(words, string(t.Term))
	}
	return words[:min(len(words), n)]
}

// What the preset short is for: texts of so many words are found after one of them was changed at
// random. examples/accuracy --short measures the same on more texts.
func TestPresetShortFinds(t *testing.T) {
	t.Parallel()
	a, pages := build(t, map[string]any{"preset": Short}), build(t, nil)
	docs := neartest.Shipped(t)
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
			if a.Rule().Duplicates(signText(a, text), signText(a, strings.Join(changed, " "))) {
				found++
			}
			if pages.Rule().Duplicates(signText(pages, text), signText(pages, strings.Join(changed, " "))) {
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
