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
// A Selector takes a few steps for each shingle, whatever the fingerprints are, and keeps one window in memory.
package winnow

import (
	"fmt"
	"slices"
)

// MostWords is the greatest number of words of a passage that can be asked for: 10,000.
const MostWords = 10_000

// Window returns the number of shingles, of width words each, in a passage of that many words: the
// window of a Selector. It is less than 1 if the passage is shorter than a shingle.
func Window(words, width int) int { return words - width + 1 }

// Selector selects fingerprints of shingles, which it is given in the order of a text. It is not safe
// for concurrent use, and allocates nothing once it has met the longest window and the longest part
// of a text.
type Selector struct {
	window int
	prints []uint64 // from the one selected last on, or of the first window as far as it is known
	next   int      // the first in prints that was not looked at
	at     int      // the one selected last, -1 before the first window

	// When the fingerprint selected last leaves the window, the least of the others is needed. To look
	// at all of them each time takes a window's length for each shingle of a text whose fingerprints
	// ascend. So what comes into question is kept: places in prints before done, ascending, each with
	// a fingerprint less than those of all places before done that follow it.
	// Of the places from done on, only the least is kept.
	candidates []int
	first      int // candidates before it have been selected
	done       int
	least      int // the last place of the least in prints[done:seen], if that is not empty
	seen       int
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
	s.prints, s.next, s.at = s.prints[:0], 0, -1
	s.clear(0)
}

// clear drops the candidates: what comes into question is in the places from done on.
func (s *Selector) clear(done int) {
	s.candidates, s.first = s.candidates[:0], 0
	s.done, s.least, s.seen = done, done, done
}

// Append takes the next fingerprints of a text, and appends to dst those of them that are selected by
// windows which end in them, in the order of the text. A place is selected once; a fingerprint that stands
// in several places might come several times.
func (s *Selector) Append(dst, prints []uint64) []uint64 {
	s.forget()
	s.prints = append(s.prints, prints...)
	if s.at < 0 {
		if len(s.prints) < s.window {
			return dst
		}
		s.rebuild(s.window)
		dst = append(dst, s.prints[s.at])
	}
	for {
		own := s.prints[s.at]
		end := min(s.at+s.window, len(s.prints))
		i := s.next
		for i < end && s.prints[i] >= own {
			i++
		}
		s.next = i
		switch {
		case i < end:
			s.at, s.next = i, i+1
			s.clear(i + 1)
		case i == len(s.prints):
			return dst
		default: // the selected one has left the window, which ends in i
			s.expire(i + 1)
		}
		dst = append(dst, s.prints[s.at])
	}
}

// expire selects the least of the places after the one selected last and before end, of several the last.
func (s *Selector) expire(end int) {
	if s.first == len(s.candidates) { // all that is in the window comes from done on
		s.rebuild(end)
		return
	}
	for s.next = end; s.seen < end; s.seen++ {
		if s.seen == s.done || s.prints[s.seen] <= s.prints[s.least] {
			s.least = s.seen
		}
	}
	if c := s.candidates[s.first]; s.prints[c] < s.prints[s.least] {
		s.at = c
		s.first++
		return
	}
	s.at = s.least
	s.clear(s.at + 1)
}

// rebuild selects the least in prints[done:end], of several the last, and keeps the candidates after it.
func (s *Selector) rebuild(end int) {
	least := s.prints[end-1]
	s.candidates = append(s.candidates[:0], end-1)
	for i := end - 2; i >= s.done; i-- {
		if p := s.prints[i]; p < least {
			least = p
			s.candidates = append(s.candidates, i)
		}
	}
	slices.Reverse(s.candidates)
	s.at, s.first, s.next = s.candidates[0], 1, end
	s.done, s.least, s.seen = end, end, end
}

// forget drops what is before the place selected last, if it is as much as a window or more: so
// each fingerprint is moved a few times at most.
func (s *Selector) forget() {
	if s.at < max(s.window, 512) {
		return
	}
	off := s.at
	s.prints = s.prints[:copy(s.prints, s.prints[off:])]
	s.at, s.next, s.done, s.least, s.seen = 0, s.next-off, s.done-off, s.least-off, s.seen-off
	s.candidates = s.candidates[:copy(s.candidates, s.candidates[s.first:])]
	s.first = 0
	for i := range s.candidates {
		s.candidates[i] -= off
	}
}
