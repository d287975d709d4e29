package word

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/mix"
)

// stream hashes a token whose bytes come one rune at a time, in constant memory: a token of
// 100 MB needs no more than a token of 16 bytes.
//
// It stores a rune with one write of 4 bytes, whatever its size. The bytes after the rune
// are overwritten by the next rune, or shifted out at the end.
type stream struct {
	k0, k1 uint64
	h      uint64
	n      int      // bytes that are hashed
	in     int      // bytes in buf: at most 16, since the last chunk is kept
	buf    [24]byte // a chunk, and what exceeds it
}

func (s *stream) reset() { s.h, s.n, s.in = s.k0, 0, 0 }

// rune appends r, folded if its class says so.
func (s *stream) rune(r rune, c class.Class) {
	if c&class.Folds != 0 {
		r = class.Fold(r)
	}
	switch {
	case r < utf8.RuneSelf:
		s.buf[s.in] = byte(r)
		s.in++
	case r >= 0x800 && r < class.PlaneSize:
		x := 0x8080e0 | uint32(r)>>12 | uint32(r)<<2&0x3f00 | uint32(r)<<16&0x3f0000
		binary.LittleEndian.PutUint32(s.buf[s.in:], x)
		s.in += 3
	default:
		s.in += utf8.EncodeRune(s.buf[s.in:], r)
	}
	if s.in > 16 {
		s.h = mix.Fold(s.h^binary.LittleEndian.Uint64(s.buf[:]), s.k1^binary.LittleEndian.Uint64(s.buf[8:]))
		s.n += 16
		s.in -= 16
		copy(s.buf[:8], s.buf[16:])
	}
}

func (s *stream) sum() uint64 {
	a, b := binary.LittleEndian.Uint64(s.buf[:]), binary.LittleEndian.Uint64(s.buf[8:])
	if s.in <= 8 {
		a, b = a<<(64-8*s.in), 0
	} else {
		b <<= 64 - 8*(s.in-8)
	}
	return mix.Fold(s.h^a, s.k1^b^uint64(s.n+s.in))
}
