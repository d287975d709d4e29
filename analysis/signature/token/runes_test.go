package token

import (
	"testing"
	"unicode/utf8"
)

// decode is only a faster utf8.DecodeRune.
func TestDecode(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 17
	}
	for x := uint32(0); x < 1<<23; x += step {
		p := []byte{byte(x>>16) | 0x80, byte(x >> 8), byte(x), 0x80}
		r, size := decode(p)
		if want, n := utf8.DecodeRune(p); r != want || size != n {
			t.Fatalf("% x: got %U of %d bytes, want %U of %d", p, r, size, want, n)
		}
	}
}
