package main

import (
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

const (
	diffTime  = 50 * time.Millisecond // then what is left is told as changed
	diffWords = 150_000               // words of a text that are compared
	around    = 8                     // equal words shown around a change
	maxHunks  = 30
	maxShown  = 300 // words of a change that are shown
)

// difference is what differs between two texts, word by word.
type difference struct {
	Hunks          []hunk
	Removed, Added int // words
	Same           int
	More           int  // hunks that are not shown
	Partial        bool // texts were too long
	Equal          bool // no word differs
}

// hunk is some changes that stand together, with a few words around them.
type hunk struct {
	Skipped int // equal words before
	Parts   []part
}

// part is words in a row that are in both texts, in the first alone or in the second.
type part struct {
	Kind string // "same", "del" or "ins"
	Text string
	Cut  int // words of it that are not shown
}

// differ compares two texts by words, which is what stands between white space.
//
// Each distinct word becomes a rune, and the runes are compared, which is how the
// library (Myers' algorithm) compares lines.
func differ(a, b string) difference {
	var d difference
	var words []string
	numbers := make(map[string]rune)
	encode := func(text string) []rune {
		fields := strings.Fields(text)
		if len(fields) > diffWords {
			fields, d.Partial = fields[:diffWords], true
		}
		runes := make([]rune, len(fields))
		for i, f := range fields {
			n, ok := numbers[f]
			if !ok {
				n = rune(len(words))
				if n >= 0xD800 {
					n += 0x800 // surrogates are no runes
				}
				numbers[f] = n
				words = append(words, f)
			}
			runes[i] = n
		}
		return runes
	}
	x, y := encode(a), encode(b)
	m := diffmatchpatch.New()
	m.DiffTimeout = diffTime
	diffs := m.DiffMainRunes(x, y, false)

	spell := func(runes []rune) string {
		out := make([]string, len(runes))
		for i, n := range runes {
			if n >= 0xE000 {
				n -= 0x800
			}
			out[i] = words[n]
		}
		return strings.Join(out, " ")
	}
	d.build(m.DiffCleanupMerge(diffs), spell)
	return d
}

// build makes hunks of diffs.
func (d *difference) build(diffs []diffmatchpatch.Diff, spell func([]rune) string) {
	var open *hunk
	skipped := 0
	for i, diff := range diffs {
		runes := []rune(diff.Text)
		n := len(runes)
		if diff.Type == diffmatchpatch.DiffEqual {
			d.Same += n
			first, last := open == nil, i == len(diffs)-1
			if !first && !last && n <= 2*around {
				open.Parts = append(open.Parts, part{"same", spell(runes), 0})
				continue
			}
			skipped = n
			if !first {
				after := min(n, around)
				open.Parts = append(open.Parts, part{"same", spell(runes[:after]), 0})
				skipped -= after
				d.close(open)
			}
			open = nil
			if !last {
				before := min(skipped, around)
				skipped -= before
				open = &hunk{Skipped: skipped, Parts: []part{{"same", spell(runes[n-before:]), 0}}}
			}
			continue
		}
		if open == nil {
			open = new(hunk)
		}
		shown := min(n, maxShown)
		p := part{"ins", spell(runes[:shown]), n - shown}
		if diff.Type == diffmatchpatch.DiffDelete {
			p.Kind = "del"
			d.Removed += n
		} else {
			d.Added += n
		}
		open.Parts = append(open.Parts, p)
	}
	d.close(open)
	d.Equal = d.Removed+d.Added == 0
}

// close takes a finished hunk, nil for none.
func (d *difference) close(h *hunk) {
	switch {
	case h == nil || len(h.Parts) == 0:
	case len(d.Hunks) == maxHunks:
		d.More++
	default:
		d.Hunks = append(d.Hunks, *h)
	}
}
