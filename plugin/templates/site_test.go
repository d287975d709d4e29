package templates_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/internal/neartest"
)

// siteOf returns a function that makes the plain pages of a web site: a template of size words around the text of each.
// Sites of different numbers have different templates.
func siteOf(tb testing.TB, number uint64, size int) (page func(text string) string) {
	tb.Helper()
	words := strings.Fields(strings.Join(manuals(tb)[:20], " "))
	slices.Sort(words)
	words = slices.Compact(words)
	rnd := rand.New(rand.NewPCG(number, uint64(size)))
	template := make([]string, size)
	for i := range template {
		template[i] = words[rnd.IntN(len(words))]
	}
	before, after := strings.Join(template[:size/5], " ")+"\n", "\n"+strings.Join(template[size/5:], " ")
	return func(text string) string { return before + text + after }
}

// manuals returns the texts of one version of the manuals that are shipped: versions are copies of each other.
func manuals(tb testing.TB) (texts []string) {
	tb.Helper()
	for _, d := range neartest.Shipped(tb) {
		if strings.HasPrefix(d.ID, "llvm-16/") || strings.HasPrefix(d.ID, "clang-16/") {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

// bodiesOf cuts the manuals into n pieces of so many words, or fewer pieces if there is not more text. No two have a
// place of a text in common.
func bodiesOf(tb testing.TB, words, n int) (bodies []string) {
	tb.Helper()
	for _, t := range manuals(tb) {
		all := strings.Fields(t)
		for ; len(all) >= words && len(bodies) < n; all = all[words:] {
			bodies = append(bodies, strings.Join(all[:words], " "))
		}
	}
	return bodies
}
