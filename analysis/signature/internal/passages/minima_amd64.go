//go:build !purego

package passages

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"
)

// minima finds the least fingerprint of each window of a text, four windows at a time.
//
// The least of each 2, 4, 8 and 16 fingerprints is the less of two numbers: of the least of half as many. Three times 16, which can
// overlap, are a window. No step has a branch: no processor foresees where the least fingerprint of a window stands.
type minima struct {
	window int
	begun  bool   // the open value had a window
	last   uint64 // what was appended last for it

	// Windows to come begin with these fingerprints of the open value.
	kept [mostWindow]uint64
	have int

	// places has fingerprints from the second place on, and then the least of the 16 up to each. So what is read most is aligned.
	places [mostWindow + piece + step]uint64
}

const (
	sixteen    = 16
	mostWindow = 3 * sixteen
	piece      = 528 // fingerprints that are looked at together: a signature.Maker brings as many tokens at most
	step       = 8
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
// unless the window before has the same. Fingerprints in room are not the same afterwards.
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
	before := m.last
	if !m.begun { // a number that is not the least of the first window, which has all[0]
		if before = all[0] + 1; before == 0 {
			before = ^slices.Min(all[:m.window])
		}
	}
	sixteens(&m.places[0], 1+len(all))
	dst = slices.Grow(dst, n+step)
	end, b := len(dst), m.window-sixteen
	end += changes(&dst[:end+1][end], &m.places[sixteen], n, min(sixteen, b), b, before)
	dst = dst[:end]
	m.begun, m.last = true, dst[end-1]
	return dst
}

// sixteens writes to places[i] the least of the 16 fingerprints that end in places[i], for n places or up to step more, with the highest bit
// turned over. What it writes to the first 15 has no meaning.
//
//go:noescape
func sixteens(places *uint64, n int)

// changes appends to dst the least of least[i], least[i+a] and least[i+b] for each i before n, with the highest bit turned over, unless it is
// as the one before; before is the one before the first. It returns how many these are. It might write up to step places more.
//
//go:noescape
func changes(dst, least *uint64, n, a, b int, before uint64) int
