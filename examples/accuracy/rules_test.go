package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/internal/neartest"
)

// family makes texts of which many resemble each other: edits of a few originals,
// and for the shortest, texts of one to six words.
func family(rnd *rand.Rand, n int) (docs []doc) {
	word := func() string { return "w" + strconv.Itoa(rnd.IntN(5000)) }
	var words []string
	for i := range n {
		if i%8 == 0 {
			words = nil
			for range 30 + rnd.IntN(200) {
				words = append(words, word())
			}
		}
		words = slices.Clone(words)
		for range rnd.IntN(4) {
			words[rnd.IntN(len(words))] = word()
		}
		docs = append(docs, doc{"d" + strconv.Itoa(i), strings.Join(words, " ")})
		if i%10 == 9 {
			docs = append(docs, doc{"s" + strconv.Itoa(i), strings.Join(words[:1+rnd.IntN(6)], " ")})
		}
	}
	return docs
}

// TestMeasure counts again: with sets of shingles as text, and with the rules in
// plain loops.
func TestMeasure(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	c := corpus{name: "made", docs: family(rnd, 160)}
	c.pairs = []labelled{{"d0", "d1", "x"}, {"d3", "d2", "x"}, {"d0", "none", "x"}, {"d0", "d90", "y"}}
	m, err := measure(c)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := read(c)
	if err != nil {
		t.Fatal(err)
	}
	var sets []map[string]struct{}
	for _, d := range c.docs {
		if s := neartest.Shingles(strings.Fields(d.Text), 4); len(s) > 0 {
			sets = append(sets, s)
		}
	}
	if m.docs != len(sets) || m.without != len(c.docs)-len(sets) || m.without == 0 {
		t.Fatalf("%d documents and %d without shingles, want %d of %d", m.docs, m.without, len(sets), len(c.docs))
	}
	all := rules()
	pairs, taken := make([]int, len(edges)), make([][]int, len(all))
	for i := range taken {
		taken[i] = make([]int, len(edges))
	}
	for b := range sets {
		for a := range b {
			r, at := neartest.Resemblance(sets[a], sets[b]), 0
			for i, edge := range edges {
				if r >= edge {
					at = i
				}
			}
			pairs[at]++
			for i, rule := range all {
				s := texts.signatures[rule.width]
				if neartest.Duplicates(rule.rule, &s[a], &s[b]) {
					taken[i][at]++
				}
			}
		}
	}
	if !slices.Equal(m.pairs, pairs) {
		t.Errorf("pairs by bin: %v, want %v", m.pairs, pairs)
	}
	for i, rule := range all {
		if !slices.Equal(m.taken[i], taken[i]) {
			t.Errorf("%s takes %v, want %v", rule.name, m.taken[i], taken[i])
		}
		if slices.Max(taken[i]) == 0 {
			t.Errorf("%s takes no pair: a poor test", rule.name)
		}
	}
	if len(m.labels) != 2 || m.labels[0].name != "x" || m.labels[0].pairs != 2 || m.labels[1].pairs != 1 || m.labels[1].taken[0] != 0 {
		t.Errorf("labels %+v, want x with 2 pairs, y with 1 that no rule takes", m.labels)
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	m := measured{
		pairs: []int{1000, 0, 0, 5, 0, 10, 20, 30, 40},
		taken: [][]int{{2, 0, 0, 1, 0, 4, 8, 29, 40}},
	}
	for _, tt := range []struct {
		truth                float64
		found, missed, wrong int
	}{{.8, 81, 19, 3}, {.9, 77, 13, 7}} {
		found, missed, wrong := m.recall(0, tt.truth)
		if found != tt.found || missed != tt.missed || wrong != tt.wrong {
			t.Errorf("truth %v: found %d, missed %d, wrong %d; want %+v", tt.truth, found, missed, wrong, tt)
		}
	}
}

func TestBin(t *testing.T) {
	t.Parallel()
	for r, want := range map[float64]int{0: 0, .49: 0, .5: 1, .8: 4, .8499: 4, .85: 5, .9999: 7, 1: 8} {
		if got := bin(r); got != want {
			t.Errorf("bin(%v) = %d, want %d", r, got, want)
		}
	}
}
