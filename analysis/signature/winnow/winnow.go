// Package winnow selects a few of a text's shingles, so that two texts with a passage in common
// have a selected shingle in common (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for
// document fingerprinting", SIGMOD 2003): a [Selector] selects, [Prints] are what is stored of a
// document, and a [Table] says which documents have a fingerprint.
//
// # What is promised
//
// A window is [Window](t, w) = t-w+1 consecutive shingles of w words: the shingles of t words. Of each
// window the least fingerprint is selected. So two texts that have t words in a row in common have the
// same window there, and select the same fingerprint. Always: nothing is left to chance. A passage
// of fewer than t words might be found, or not. A text of fewer than t words has no window and no
// selected shingle.
//
// Which shingle is selected depends on its window alone, and about 2 in t-w+2 are. Where several of a
// window have the least fingerprint, the one that was selected for the window before it stays, if it
// is among them, else the last one is selected (robust winnowing, section 5 of the paper). So a text
// that repeats one word has few selected places and not one for each word.
//
// A Selector takes a few steps for each shingle, whatever the fingerprints are, and keeps two windows in memory.
package winnow

import "fmt"

// MostWords is the greatest number of words of a passage that can be asked for: 10,000.
const MostWords = 10_000

// Window returns the number of shingles, of width words each, in a passage of that many words: the
// window of a Selector. It is less than 1 if the passage is shorter than a shingle.
func Window(words, width int) int { return words - width + 1 }

// Selector selects fingerprints of shingles, which it is given in the order of a text. It is not safe
// for concurrent use, and allocates nothing once it has met a few windows.
type Selector struct {
	window   int
	taken    int // shingles of the text
	at       int // the place of the one selected last, -1 before the first window
	selected uint64

	// What comes into question when that one leaves the window: each is less than all that follow it.
	// Those before first have been selected, or were passed over.
	later []place
	first int
}

// place is a fingerprint and its place in the text.
type place struct {
	at    int
	print uint64
}

// New returns a Selector for windows of that many shingles. It panics if window is less than 1.
func New(window int) *Selector {
	if window < 1 {
		panic(fmt.Sprintf("winnow: window: wanted 1 or more, got %d", window))
	}
	return &Selector{window: window, at: -1}
}

// Reset begins another text. No window has shingles of two.
func (s *Selector) Reset() {
	*s = Selector{window: s.window, at: -1, later: s.later[:0]}
}

// Append takes the next fingerprints of a text, and appends to dst those of them that are selected by
// windows which end in them, in the order of the text. A place is selected once; a fingerprint that stands
// in several places might come several times.
func (s *Selector) Append(dst, prints []uint64) []uint64 {
	for _, p := range prints {
		i := s.taken
		s.taken++
		if p < s.selected {
			s.at, s.selected, s.later, s.first = i, p, s.later[:0], 0
			dst = append(dst, p)
			continue
		}
		last := len(s.later)
		for last > s.first && s.later[last-1].print >= p {
			last--
		}
		if s.later = append(s.later[:last], place{i, p}); i-s.at < s.window {
			continue
		}
		// The one selected last has left the window: of the least in it, the last comes first in later.
		s.at, s.selected = s.later[s.first].at, s.later[s.first].print
		dst = append(dst, s.selected)
		if s.first++; s.first > s.window { // so each is moved once at most
			s.later, s.first = s.later[:copy(s.later, s.later[s.first:])], 0
		}
	}
	return dst
}
