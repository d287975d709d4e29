package main

import (
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/diff"
)

const (
	diffTime  = 50 * time.Millisecond // then the rest counts as changed
	diffWords = 150_000               // words of a text that are compared
	around    = 8                     // equal words shown around a change
	maxHunks  = 30                    // on a card; the page of a comparison has all
	maxShown  = 300                   // words of a change that are shown
)

// difference is what differs between two texts, word by word.
type difference struct {
	Hunks          []diff.Shown
	Removed, Added int // words
	Same           int
	More           int  // hunks that are not shown
	Partial        bool // texts were too long
	Equal          bool // no word differs
}

// differ compares two texts by words, which is what stands between white space. It shows so many places of difference.
func differ(a, b string, most int) difference {
	x, y := strings.Fields(a), strings.Fields(b)
	d := difference{Partial: len(x) > diffWords || len(y) > diffWords}
	x, y = x[:min(len(x), diffWords)], y[:min(len(y), diffWords)]
	hunks := diff.Words(x, y, around, diffTime)
	for _, h := range hunks {
		for _, run := range h.Runs {
			switch run.Op {
			case diff.Delete:
				d.Removed += run.Len()
			case diff.Insert:
				d.Added += run.Len()
			}
		}
	}
	d.Hunks, d.More = diff.Show(hunks, x, y, most, maxShown)
	d.Same = len(x) - d.Removed
	d.Equal = d.Removed+d.Added == 0
	return d
}
