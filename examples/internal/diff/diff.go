// Package diff finds the words in which two texts differ.
package diff

import (
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Op says which of two texts have a run of words.
type Op string

// The ops. Their JSON names are their values.
const (
	Equal  Op = "equal"  // both
	Delete Op = "delete" // the first alone
	Insert Op = "insert" // the second alone
)

// Run is the words from Begin until before End: of the first text, or of the second for
// Insert.
type Run struct {
	Op         Op
	Begin, End int
}

// Len is its number of words.
func (r Run) Len() int { return r.End - r.Begin }

// Part is the words of a run as they are shown.
type Part struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty"` // words that are not shown
}

// Hunk is changes that stand together, with equal words around them.
type Hunk struct {
	Skipped int // equal words since the hunk before, or the beginning
	Runs    []Run
}

// Shown is a hunk as it is shown.
type Shown struct {
	Skipped int // as in Hunk
	Parts   []Part
}

// Show returns the first hunks with their words as they stand in the two texts, at most so many of each run, and how
// many hunks are left.
func Show(hunks []Hunk, a, b []string, most, words int) (shown []Shown, more int) {
	more = max(0, len(hunks)-most)
	for _, h := range hunks[:len(hunks)-more] {
		one := Shown{Skipped: h.Skipped}
		for _, r := range h.Runs {
			text := a
			if r.Op == Insert {
				text = b
			}
			n := min(r.Len(), words)
			one.Parts = append(one.Parts, Part{r.Op, strings.Join(text[r.Begin:r.Begin+n], " "), r.Len() - n})
		}
		shown = append(shown, one)
	}
	return shown, more
}

// Words compares two texts, given as words. Changes with at most 2·around equal words
// between them make one hunk, which has up to that many around it. What has not been
// compared when patience ends counts as changed; 0 waits for ever.
//
// Each distinct word becomes a rune, and the runes are compared, which is how the
// library (Myers 1986, An O(ND) Difference Algorithm) compares lines.
func Words(a, b []string, around int, patience time.Duration) []Hunk {
	numbers := make(map[string]rune)
	m := diffmatchpatch.New()
	m.DiffTimeout = patience
	diffs := m.DiffCleanupMerge(m.DiffMainRunes(runes(a, numbers), runes(b, numbers), false))

	var hunks []Hunk
	var runs []Run // of this hunk
	skipped := 0
	end := func() {
		if runs != nil {
			hunks = append(hunks, Hunk{skipped, runs})
			runs, skipped = nil, 0
		}
	}
	i, j := 0, 0
	for at, d := range diffs {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			runs = append(runs, Run{Delete, i, i + n})
			i += n
		case diffmatchpatch.DiffInsert:
			runs = append(runs, Run{Insert, j, j + n})
			j += n
		case diffmatchpatch.DiffEqual:
			after, before := min(n, around), min(n, around)
			if at == 0 {
				after = 0
			}
			if at == len(diffs)-1 {
				before = 0
			}
			if after > 0 && before > 0 && n <= 2*around {
				runs = append(runs, Run{Equal, i, i + n})
			} else {
				if after > 0 {
					runs = append(runs, Run{Equal, i, i + after})
				}
				end()
				skipped = n - after - before
				if before > 0 {
					runs = append(runs, Run{Equal, i + n - before, i + n})
				}
			}
			i, j = i+n, j+n
		}
	}
	end()
	return hunks
}

// runes numbers words, the same word always the same. Surrogates are no runes.
func runes(words []string, numbers map[string]rune) []rune {
	all := make([]rune, len(words))
	for i, w := range words {
		n, ok := numbers[w]
		if !ok {
			if n = rune(len(numbers)); n >= 0xD800 {
				n += 0x800
			}
			numbers[w] = n
		}
		all[i] = n
	}
	return all
}
