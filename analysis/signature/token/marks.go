package token

import (
	"sync"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/nfkc"
)

// orders has the canonical combining class of each rune of the first plane, by which NFC
// orders marks. It is made when the first such mark is seen.
var orders = sync.OnceValue(func() *[bmpRunes]uint8 {
	var t [bmpRunes]uint8
	for r := range t {
		if bmp()[r]&ordered != 0 {
			t[r] = nfkc.Order(rune(r))
		}
	}
	return &t
})

// marks remembers the last mark of a text, to see whether the next one is out of order.
type marks struct {
	last  uint8 // its combining class
	after int   // where it ends
}

// unordered reports whether the run of r, which is at i and has class c, must be
// normalised.
func (m *marks) unordered(r rune, c class, i, size int) bool {
	if c&ordered == 0 {
		return c&rewritten != 0
	}
	own := uint8(0)
	if r < bmpRunes {
		own = orders()[r]
	} else {
		own = nfkc.Order(r)
	}
	wrong := c&rewritten != 0 || i == m.after && own < m.last
	m.last, m.after = own, i+size
	return wrong
}

// runEnd returns where the run ends in which text[i:] is.
func runEnd(text []byte, i int) int {
	table := bmp()
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		c := other
		if r < bmpRunes {
			c = table[r]
		} else {
			c = beyond(r)
		}
		if kind := c & classMask; (kind == other || kind == ideograph) && c&rewritten == 0 {
			return i
		}
		i += size
	}
	return i
}
