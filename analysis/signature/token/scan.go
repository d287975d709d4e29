package token

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// MaxBlock is the greatest number of tokens that one step of a Scanner can find, and so the
// least room that Next needs.
const MaxBlock = 64

// Scanner finds the tokens of one text after another and hashes them. It
// allocates nothing. A Scanner is not safe for concurrent use.
type Scanner struct {
	key  Key
	text []byte
	pos  int // first byte not yet classified

	// The blocks between base and pos: masks[next:have] have not been searched for words
	// yet. folded has the bytes of these blocks in lower case: the byte at base+i is
	// folded[i%ring]. It also has the last bytes before base. Its first bytes are repeated
	// after the end, so that any 8 bytes can be loaded.
	base       int
	masks      [run]uint64
	next, have int
	folded     [ring + 8]byte

	open  uint64 // 1 if a word continues after the last block that was searched
	start int    // where that word starts

	// Where runes are not in normal form, the normal form of these runes (their run: see
	// package class) is scanned in place of them: text is then normal, and outer and outerPos
	// say where to go on.
	inside   bool
	outer    []byte
	outerPos int
	normal   []byte
	form     class.Form
}

// run is the greatest number of blocks that are classified in a row before their words are hashed.
const (
	run  = 15
	ring = 1024
)

// NewScanner returns a Scanner that hashes with key.
func NewScanner(key Key) *Scanner {
	return &Scanner{key: key}
}

// Reset makes s scan text. It does not change text, and does not keep it after it has
// returned the last token.
func (s *Scanner) Reset(text []byte) {
	s.text, s.pos, s.next, s.have, s.open = text, 0, 0, 0, 0
	s.outer, s.inside = nil, false
}

// Next writes the hashes of the next tokens to dst and returns their number, or 0 at the
// end of the text. dst must have room for MaxBlock hashes.
func (s *Scanner) Next(dst []uint64) int {
	n := 0
	for len(dst)-n >= MaxBlock {
		switch {
		case s.next < s.have:
			n += s.words(dst[n:])
		case s.pos == len(s.text) && s.open == 0 && s.inside:
			s.leave()
		case s.pos == len(s.text) && s.open == 0:
			s.Reset(nil)
			return n
		case !s.classify():
			n += s.mixed(dst[n:])
		}
	}
	return n
}

// classify makes the next run of blocks. It returns false if the next block is not ASCII.
func (s *Scanner) classify() bool {
	copy(s.folded[ring-short:ring], s.folded[(s.have*block-short)&(ring-1):])
	s.next, s.have, s.base = 0, 0, s.pos
	n := min(run, (len(s.text)-1-s.pos)/block)
	if s.pos == 0 || n <= 0 {
		return s.classifyEdge(len(s.text))
	}
	s.classified(n, s.text[s.pos-1:s.pos+n*block+1])
	s.pos += s.have * block
	return s.have > 0
}

// classifyEdge is classify for one block at either end of the text, which must not extend
// beyond limit: it copies the block to a buffer with room on both sides.
func (s *Scanner) classifyEdge(limit int) bool {
	var p [1 + block + 1]byte
	if s.pos > 0 {
		p[0] = s.text[s.pos-1]
	}
	size := copy(p[1:], s.text[s.pos:limit])
	s.classified(1, p[:])
	s.pos += s.have * min(size, block)
	return s.have > 0
}

// classified finds the masks of the next n blocks; text has one byte before them and one
// after them.
func (s *Scanner) classified(n int, text []byte) {
	s.have = findWords(s.masks[:n], s.folded[:], text)
	copy(s.folded[ring:], s.folded[:8])
}

// words writes the hashes of the words that end in the classified blocks, until dst is
// full, and returns their number.
func (s *Scanner) words(dst []uint64) int {
	n := 0
	for s.next < s.have && len(dst)-n >= MaxBlock {
		found, first, odd := s.hashBlocks(dst[n:])
		first += n
		n += found
		// The last odd word first: a word of nothing but connectors moves up those after it.
		for ; odd != 0; odd &^= 1 << (bits.Len64(odd) - 1) {
			i := first + bits.Len64(odd) - 1
			start, end := int(int64(dst[i])>>16), int(dst[i]&0xffff)
			n = i + s.odd(dst[i:n], start, end)
		}
	}
	return n
}

// hashBlocks is words up to the first block that has odd words, which
// are words of more than short bytes and words that begin with a connector. The hashes of
// that block begin at dst[first]; the bits of odd say which of its words are odd. dst has
// their positions instead of their hashes.
func (s *Scanner) hashBlocks(dst []uint64) (n, first int, odd uint64) {
	start := s.start - s.base
	for s.next < s.have && len(dst)-n >= MaxBlock && odd == 0 {
		at := s.next * block
		word := s.masks[s.next]
		s.next++
		edges := word ^ (word<<1 | s.open)
		if s.open == 0 {
			start = at + bits.TrailingZeros64(edges)
			edges &= edges - 1
		}
		s.open = word >> 63
		first = n
		for edges != 0 {
			end := at + bits.TrailingZeros64(edges)
			edges &= edges - 1
			size := uint(end - start)
			head := load(&s.folded, start)
			if size <= short && byte(head) != '_' {
				last, keep := load(&s.folded, end-8), &selects[size]
				a, b := last&keep.head, last&keep.tail
				if size > 8 {
					a = head
				}
				dst[n] = Fold(s.key.k0^a, s.key.k1^b^uint64(size))
			} else {
				dst[n] = uint64(int64(start)<<16 | int64(end)) // start is far below 0 in a long word
				odd |= 1 << ((n - first) & 63)
			}
			n++
			start = at + bits.TrailingZeros64(edges)
			edges &= edges - 1
		}
	}
	s.start = s.base + start
	return n, first, odd
}

// load returns the 8 bytes from i on.
func load(folded *[ring + 8]byte, i int) uint64 {
	i &= ring - 1
	return binary.LittleEndian.Uint64(folded[i : i+8])
}

// odd hashes a word that is long or begins with a connector. It writes the hash to dst[0];
// if the word has nothing but connectors, it moves the hashes after it up instead. It
// returns the new length of dst.
func (s *Scanner) odd(dst []uint64, start, end int) int {
	word := s.text[s.base+start : s.base+end]
	if len(bytes.TrimLeft(word, "_")) == 0 {
		return copy(dst, dst[1:])
	}
	dst[0] = s.key.hashASCII(word)
	return len(dst)
}

// mixed goes on rune by rune. It starts at the last white space before the next byte above
// 0x7f; if there is none, where the open word begins, or here.
func (s *Scanner) mixed(dst []uint64) (n int) {
	from, stop := s.pos, s.pos
	if s.open != 0 {
		from = s.start
	}
	for i := s.pos; i < min(s.pos+block, len(s.text)) && s.text[i] < utf8.RuneSelf; i++ {
		if s.text[i] <= ' ' {
			stop = i
		}
	}
	if stop > s.pos {
		// Words that end before stop are plain ASCII: hash them as such.
		s.classifyEdge(stop)
		n = s.words(dst)
		from = stop
	}
	s.next, s.have, s.open = 0, 0, 0
	found, next, end := s.key.hashes(dst[n:], s.text, from, s.inside)
	s.pos = next
	if end > 0 {
		s.enter(next, end)
	}
	return n + found
}

// keepBytes bounds the memory that is kept after a long run or token.
const keepBytes = 1 << 16

// enter makes s scan the normal form of the run text[start:end] before it goes on.
func (s *Scanner) enter(start, end int) {
	if cap(s.normal) > keepBytes {
		s.normal = nil
	}
	s.normal = s.form.Append(s.normal[:0], s.text[start:end], nil)
	s.outer, s.outerPos, s.inside = s.text, end, true
	s.text, s.pos = s.normal, 0
}

// leave goes on after the run that enter entered.
func (s *Scanner) leave() {
	s.text, s.pos, s.outer, s.inside = s.outer, s.outerPos, nil, false
	s.next, s.have, s.open = 0, 0, 0
}
