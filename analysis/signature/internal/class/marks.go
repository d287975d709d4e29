package class

import (
	"sync"
	"unicode/utf8"
)

// orders has the canonical combining class of each rune of the first plane, by which NFC
// orders marks. It is made when the first such mark is seen.
var orders = sync.OnceValue(func() *[PlaneSize]uint8 {
	var t [PlaneSize]uint8
	for r := range t {
		if Table()[r]&Ordered != 0 {
			t[r] = Order(rune(r))
		}
	}
	return &t
})

// Marks remembers the last mark of a text, to see whether the next one is out of order.
type Marks struct {
	last  uint8 // its combining class
	after int   // where it ends
}

// Unordered reports whether the run of r, which is at i and has class c, must be
// normalised.
func (m *Marks) Unordered(r rune, c Class, i, size int) bool {
	if c&Ordered == 0 {
		return c&Rewritten != 0
	}
	own := uint8(0)
	if r < PlaneSize {
		own = orders()[r]
	} else {
		own = Order(r)
	}
	wrong := c&Rewritten != 0 || i == m.after && own < m.last
	m.last, m.after = own, i+size
	return wrong
}

// RunEnd returns where the run ends in which text[i:] is.
func RunEnd(text []byte, i int) int {
	table := Table()
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		c := At(table, r)
		if kind := c & Mask; (kind == Other || kind == Ideograph) && c&Rewritten == 0 {
			return i
		}
		i += size
	}
	return i
}
