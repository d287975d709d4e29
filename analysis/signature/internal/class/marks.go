package class

import "unicode/utf8"

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
	own := Order(r)
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
