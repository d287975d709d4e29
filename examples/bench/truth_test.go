package main

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/examples/internal/join"
)

// What is known of a corpus is what plain loops over all pairs say.
func TestTruth(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(20, 4))
	c := corpus{name: "made"}
	for i := range 120 {
		words := strings.Fields(strings.Repeat("a b c d e f g h i j ", 1+rnd.IntN(3)))
		for range rnd.IntN(4) {
			words[rnd.IntN(len(words))] = string(rune('k' + rnd.IntN(3)))
		}
		c.docs = append(c.docs, document{ID: string(rune('0' + i)), Text: strings.Join(words[:rnd.IntN(len(words)+1)], " "), label: string(rune('a' + i%7))})
	}
	got := newTruth(c, .8, io.Discard)
	sets := make([]map[string]bool, len(c.docs))
	for i, d := range c.docs {
		sets[i] = map[string]bool{}
		words := strings.Fields(d.Text)
		if 0 < len(words) && len(words) < 4 {
			sets[i][d.Text] = true
		}
		for j := 0; j+4 <= len(words); j++ {
			sets[i][strings.Join(words[j:j+4], " ")] = true
		}
	}
	bins, near, labelled := make([]int, len(edges)), 0, 0
	all, want := map[join.Pair]struct{}{}, score{Bins: make([]int, len(edges))}
	for b := range sets {
		for a := range b {
			both := 0
			for s := range sets[a] {
				if sets[b][s] {
					both++
				}
			}
			r, of := 0., 0
			if union := len(sets[a]) + len(sets[b]) - both; union > 0 {
				r = float64(both) / float64(union)
			}
			for of+1 < len(edges) && r >= edges[of+1] {
				of++
			}
			if of > 0 {
				bins[of]++
			}
			if r >= .8 {
				near++
			}
			same := c.docs[a].label == c.docs[b].label
			if same {
				labelled++
			}
			if rnd.IntN(3) > 0 {
				continue
			}
			all[join.Of(int32(b), int32(a))] = struct{}{}
			want.Found++
			want.Bins[of]++
			if r >= .8 {
				want.Right++
			}
			if same {
				want.Labelled++
			}
		}
	}
	if got.near != near || !slices.Equal(got.bins, bins) || c.labelled() != labelled {
		t.Errorf("got %d, %v, %d labelled; want %d, %v, %d", got.near, got.bins, c.labelled(), near, bins, labelled)
	}
	if near == 0 || bins[1] == 0 || bins[len(bins)-1] == 0 {
		t.Errorf("there are too few pairs: %v", bins)
	}
	s := got.score(all)
	if s.Found != want.Found || s.Right != want.Right || s.Labelled != want.Labelled || !slices.Equal(s.Bins, want.Bins) {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

// The corpora that come with the project are the same each time, and have labels.
func TestShipped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all manuals")
	}
	all, newest, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	shipped := []corpus{all, edits(newest), pages(newest), short(newest)}
	again := []corpus{all, edits(newest), pages(newest), short(newest)}
	for i, want := range []struct{ docs, labelled int }{{1216, 1706}, {2800, 400 * 21}, {2000, 800}, {3200, 800 * 6}} {
		c := shipped[i]
		if c.name != shippedNames[i] || len(c.docs) != want.docs || c.labelled() != want.labelled {
			t.Errorf("%s has %d documents and %d pairs with labels, want %s with %+v", c.name, len(c.docs), c.labelled(), shippedNames[i], want)
		}
		if !slices.Equal(c.docs, again[i].docs) {
			t.Errorf("%s is another one each time", c.name)
		}
	}
}
