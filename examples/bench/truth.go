package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/examples/internal/terminal"
)

// width is the number of words in a shingle.
const width = 4

// lowest is the least resemblance of which all pairs are known.
const lowest = .5

// edges are the resemblances at which bins begin. Pairs of the first bin are different documents, and
// only those that a program reports are counted.
var edges = []float64{0, lowest, .6, .7, .8, .9, .95, 1}

// bin is the number of the bin of resemblance r.
func bin(r float64) int {
	i, found := slices.BinarySearch(edges, r)
	if !found {
		i--
	}
	return i
}

// shingles is the sorted set of shingles of a text: of its words, which are runs of letters, digits and marks in
// lower case. A text of fewer words is one shingle, and a text without words has none.
func shingles(text string) (set []uint64) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i := range max(min(1, len(words)), len(words)-width+1) {
		set = append(set, xxhash.Sum64String(strings.Join(words[i:min(i+width, len(words))], " ")))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// truth is what is known of a corpus.
type truth struct {
	corpus
	threshold float64
	sets      [][]uint64
	numbers   map[string]int32 // of documents, by their ids
	near      int              // pairs that resemble each other by the threshold or more
	bins      []int            // pairs by resemblance; of the first bin none is counted
}

func newTruth(c corpus, threshold float64, progress io.Writer) *truth {
	fmt.Fprintf(progress, "%s: %d documents: comparing all with all\n", c.name, len(c.docs))
	t := &truth{corpus: c, threshold: threshold, numbers: map[string]int32{}, bins: make([]int, len(edges))}
	for i, d := range c.docs {
		t.numbers[d.ID] = int32(i)
		t.sets = append(t.sets, shingles(d.Text))
	}
	bar := terminal.NewBar(progress, "comparing, documents", int64(len(t.sets)), false)
	defer bar.End()
	for _, r := range join.Pairs(t.sets, lowest, bar.Add) {
		t.bins[bin(r)]++
		if r >= threshold {
			t.near++
		}
	}
	return t
}

// score is what the pairs of a program are worth.
type score struct {
	Found    int   `json:"found"`    // pairs
	Right    int   `json:"right"`    // of them those that resemble each other by the threshold or more
	Labelled int   `json:"labelled"` // of them those that share a label
	Bins     []int `json:"bins"`     // of them, by resemblance
}

func (t *truth) score(pairs map[join.Pair]struct{}) score {
	s := score{Found: len(pairs), Bins: make([]int, len(edges))}
	for p := range pairs {
		r := 0.
		if a, b := t.sets[p.A], t.sets[p.B]; len(a)+len(b) > 0 {
			r = join.Resemblance(a, b)
		}
		s.Bins[bin(r)]++
		if r >= t.threshold {
			s.Right++
		}
		if label := t.docs[p.A].label; label != "" && label == t.docs[p.B].label {
			s.Labelled++
		}
	}
	return s
}
