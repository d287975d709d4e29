package token

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxBlock is the most tokens that one step of a Scanner can find: the least room
// that Next wants.
const MaxBlock = 64

// Scanner finds the tokens of one text after another and hashes them. It
// allocates nothing. A Scanner is not safe for concurrent use.
type Scanner struct {
	key   Key
	text  []byte
	pos   int // first byte not yet looked at
	start int // start of the word open at pos, or -1
}

// NewScanner returns a Scanner whose hashes are those of key.
func NewScanner(key Key) *Scanner {
	return &Scanner{key: key}
}

// Reset makes s scan text, which it does not change and does not keep after the
// last token was returned.
func (s *Scanner) Reset(text []byte) {
	s.text, s.pos, s.start = text, 0, -1
}

// Next writes the hashes of the next tokens to dst and returns how many; 0 means
// that the text is at its end. dst must have room for MaxBlock hashes.
func (s *Scanner) Next(dst []uint64) int {
	n := 0
	for len(dst)-n >= MaxBlock {
		if s.pos == len(s.text) {
			if s.start >= 0 {
				n += s.word(dst[n:], s.start, len(s.text))
			}
			s.Reset(nil)
			break
		}
		n += s.block(dst[n:])
	}
	return n
}

const (
	ones  = 0x0101010101010101
	tops  = 0x80 * ones
	block = 64
)

// masks classifies the 64 bytes of p: word has the bits of the ASCII letters,
// digits and "_", mid those of ' ( ) * + , - . / : ; (among them all that may
// join two letters or two digits). high is not 0 if a byte is above 0x7f.
//
// Eight bytes are tested at once: for bytes below 0x80, adding 0x80-lo sets the
// top bit of those >= lo, so the xor of two sums marks a range.
func masks(p *[block]byte) (word, mid, high uint64) {
	for i := range 8 {
		x := binary.LittleEndian.Uint64(p[8*i:])
		high |= x
		x &^= tops
		low := x | 0x20*ones
		letters := (low + (0x80-'a')*ones) ^ (low + (0x80-'z'-1)*ones)
		digits := (x + (0x80-'0')*ones) ^ (x + (0x80-'9'-1)*ones)
		under := tops - (x ^ '_'*ones)
		mids := (x + (0x80-'\'')*ones) ^ (x + (0x80-';'-1)*ones)
		word |= (letters | digits | under) & tops >> (7 - i)
		mid |= mids &^ digits & tops >> (7 - i)
	}
	return transpose(word), transpose(mid), high & tops
}

// transpose turns an 8x8 bit matrix, byte by byte, on its diagonal (Warren,
// Hacker's Delight, 7-3).
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}

// block takes the next 64 bytes, or a run of text that is not ASCII, and writes
// the hashes of the tokens that end there.
func (s *Scanner) block(dst []uint64) int {
	p, size := s.pos, block
	var word, mid, high uint64
	if p+block < len(s.text) {
		word, mid, high = masks((*[block]byte)(s.text[p:]))
		high |= uint64(s.text[p+block] & 0x80) // may decide how the last byte is taken
	} else {
		var pad [block]byte
		size = copy(pad[:], s.text[p:])
		word, mid, high = masks(&pad)
	}
	if high != 0 {
		return s.mixed(dst, size)
	}
	if mid &= (word<<1 | 1) & (word>>1 | 1<<63); mid != 0 {
		word |= s.joined(mid, p)
	}

	// The bits where words start and end, in turn.
	edges := word ^ word<<1
	if s.start >= 0 {
		edges ^= 1
	}
	n := 0
	start := s.start
	for ; edges != 0; edges &= edges - 1 {
		i := p + bits.TrailingZeros64(edges)
		if start < 0 {
			start = i
			continue
		}
		n += s.word(dst[n:], start, i)
		start = -1
	}
	s.start = start
	s.pos = p + size
	return n
}

// word writes the hash of the word text[start:end] and returns 1, or 0 if it has
// connectors only.
func (s *Scanner) word(dst []uint64, start, end int) int {
	if s.text[start] == '_' && len(bytes.TrimLeft(s.text[start:end], "_")) == 0 {
		return 0
	}
	dst[0] = s.key.hashASCII(s.text, start, end)
	return 1
}

// joined returns those bits of mid, counted from position p, that stand between
// two letters or two digits which they join.
func (s *Scanner) joined(mid uint64, p int) (join uint64) {
	for ; mid != 0; mid &= mid - 1 {
		bit := bits.TrailingZeros64(mid)
		i := p + bit
		if i == 0 || i+1 >= len(s.text) || i == p && s.start < 0 {
			continue
		}
		left := ascii[s.text[i-1]]
		if left == ascii[s.text[i+1]] && ascii[s.text[i]].joins(left) {
			join |= 1 << bit
		}
	}
	return join
}

// ascii holds the classes of the ASCII runes; bytes above are of class other.
var ascii = func() (t [256]class) {
	for r := range rune(utf8.RuneSelf) {
		t[r] = classify(r) & classMask
	}
	return t
}()

// hashASCII is Hash of the folded word text[start:end].
func (k Key) hashASCII(text []byte, start, end int) uint64 {
	n := end - start
	if n <= 8 && start+8 <= len(text) {
		a := lower(binary.LittleEndian.Uint64(text[start:]) << (-8 * n & 63))
		return Fold(k.k0^a, k.k1^uint64(n))
	}
	if n <= 16 && start+16 <= len(text) && n > 8 {
		a := lower(binary.LittleEndian.Uint64(text[start:]))
		b := lower(binary.LittleEndian.Uint64(text[start+8:]) << (-8 * n & 63))
		return Fold(k.k0^a, k.k1^b^uint64(n))
	}
	return k.hashLong(text[start:end])
}

// hashLong is hashASCII of words of any length, or at the very end of a text.
func (k Key) hashLong(word []byte) uint64 {
	h, rest := k.k0, word
	for len(rest) > 16 {
		a := lower(binary.LittleEndian.Uint64(rest))
		b := lower(binary.LittleEndian.Uint64(rest[8:]))
		h = Fold(h^a, k.k1^b)
		rest = rest[16:]
	}
	a, b := load16(rest)
	return Fold(h^lower(a), k.k1^lower(b)^uint64(len(word)))
}

// lower folds the ASCII letters among 8 ASCII bytes. Bytes above 0x7f, which can
// be in x only below those of the word, were shifted out before.
func lower(x uint64) uint64 {
	upper := (x + (0x80-'A')*ones) ^ (x + (0x80-'Z'-1)*ones)
	return x | upper&tops>>2
}

// mixed goes on rune by rune from the last place before the next byte above 0x7f
// (which lies in the next size+1 bytes) where no token is open: a start that
// block would have had, too.
func (s *Scanner) mixed(dst []uint64, size int) int {
	from := s.pos
	if s.start >= 0 {
		from = s.start
	}
	n := 0
	stop := s.pos
	for i := s.pos; i < s.pos+size && s.text[i] < utf8.RuneSelf; i++ {
		if s.text[i] <= ' ' {
			stop = i
		}
	}
	if stop > s.pos {
		// Words that end before stop are plain ASCII: take them as such.
		head := Scanner{key: s.key, text: s.text[:stop], pos: s.pos, start: s.start}
		for head.pos < stop {
			n += head.block(dst[n:])
		}
		if head.start >= 0 {
			n += s.word(dst[n:], head.start, stop)
		}
		from = stop
	}
	s.start = -1
	var found int
	found, s.pos = s.runes(dst[n:], from)
	return n + found
}
