//go:build !purego

package passages

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"
)

// minima finds the least fingerprint of each window of a text, four windows at a time. These are the fingerprints that a
// winnow.Selector selects; how often one of them comes can differ.
//
// The least of 2 neighbours is the lesser of the two, the least of 4 is the lesser of the least of 2 and the least of the 2 before them, and so
// on up to 16. Three runs of 16, which can overlap, make a window. No step has a branch: no processor foresees where
// in a window its least fingerprint stands.
type minima struct {
	// places has fingerprints from the second place on, and then the least of the 16 up to each. So the least of the
	// first 16, at places[16], is aligned to 32 bytes, as this array is: it must stay the first field.
	places [mostWindow + piece + step]uint64

	window int
	begun  bool // the open value had a window

	// Windows to come begin with these fingerprints of the open value, fewer than a window.
	kept [mostWindow]uint64
	have int
}

const (
	sixteen    = 16
	mostWindow = 3 * sixteen
	piece      = 528 // fingerprints that are looked at together: a signature.Maker brings as many tokens at most
	step       = 8   // places that sixteens takes together; changes takes half as many
)

// newMinima returns the minima of windows of that many shingles, or nil if a Selector has to find them.
func newMinima(window int) *minima {
	if !cpu.AVX2 || window < sixteen || window > mostWindow {
		return nil
	}
	return &minima{window: window}
}

// reset ends the open value.
func (m *minima) reset() { m.begun, m.have = false, 0 }

// room returns where the next fingerprints can be, up to a piece, so that append need not copy them.
func (m *minima) room() []uint64 { return m.places[1+m.have:][:0:piece] }

// append takes the next fingerprints of the open value, and appends to dst the least of each window that ends in them,
// unless it is that of the window before. dst ends in what was appended last for this value. Fingerprints in room are
// overwritten.
func (m *minima) append(dst, prints []uint64) []uint64 {
	for len(prints) > 0 {
		part := prints[:min(len(prints), piece)]
		if room := m.room()[:1]; &room[0] != &part[0] {
			copy(room[:piece], part)
		}
		dst = m.take(dst, len(part))
		prints = prints[len(part):]
	}
	return dst
}

// take is append for so many fingerprints in room.
func (m *minima) take(dst []uint64, fresh int) []uint64 {
	all := m.places[1 : 1+m.have+fresh]
	copy(all, m.kept[:m.have])
	n := len(all) - m.window + 1 // windows
	m.have = copy(m.kept[:], all[max(0, n):])
	if n <= 0 {
		return dst
	}
	var before uint64 // the least of the window before
	if m.begun {
		before = dst[len(dst)-1]
	} else if before = all[0] + 1; before == 0 { // any number but the least of the first window, which is all[0] or less
		before = ^slices.Min(all[:m.window])
	}
	sixteens(&m.places[0], 1+len(all))
	dst = slices.Grow(dst, n+step)
	end, b := len(dst), m.window-sixteen
	end += changes(&dst[:end+1][end], &m.places[sixteen], n, min(sixteen, b), b, before)
	m.begun = true
	return dst[:end]
}

// sixteens writes to places[i] the least of the 16 fingerprints that end in places[i], with the highest bit flipped, for n
// places rounded up to a multiple of step. What it writes to the first 15 has no meaning. n is 1 or more.
//
//go:noescape
func sixteens(places *uint64, n int)

// changes takes n windows, one or more. The least of window i is the least of least[i], least[i+a] and least[i+b], which
// sixteens wrote. changes appends it to dst, with the highest bit flipped back, unless the window before has the same; before
// is that of the window before the first. It returns how many it appended. It reads and writes up to 3 places too many.
//
//go:noescape
func changes(dst, least *uint64, n, a, b int, before uint64) int
