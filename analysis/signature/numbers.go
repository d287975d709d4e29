package signature

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// numberHash hashes the numbers of a document, for NumbersEqual, which says what a number is: for each value that has
// any, xxHash64, with the seed, of its numbers in ASCII digits, each followed by one space. Nil has no numbers.
type numberHash struct {
	value  *xxhash.Digest // of the open value
	any    bool           // the open value has numbers
	sum    uint64         // of the hashes of the values that have numbers
	seed   uint64
	salt   uint64
	digits []byte

	// If something is left out of documents, the tokens that have digits wait here until it
	// is known whether they stay.
	given   uint64 // tokens of the document so far
	waiting []waiting
}

// waiting is a token: its place in the document, and its text.
type waiting struct {
	place uint64
	text  []byte
}

// newNumberHash returns the hash of no text.
func newNumberHash(seed uint64) *numberHash {
	return &numberHash{value: xxhash.NewWithSeed(seed), seed: seed, salt: token.Mix(seed, 9) | 1}
}

// Term adds the numbers of one token.
func (n *numberHash) Term(term []byte) {
	n.digits = n.digits[:0]
	for _, r := range string(term) {
		c := byte(' ')
		if d, ok := digit(r); ok {
			c = '0' + d
		} else if r < utf8.RuneSelf {
			c = byte(r)
		} else if r == '٬' || r == '٫' { // of Arabic
			c = ".,"[r-'٫']
		}
		n.digits = append(n.digits, c)
	}
	n.write(n.digits)
	if cap(n.digits) > mostKept {
		n.digits = nil
	}
}

// mostKept bounds the memory that is kept after a long token.
const mostKept = 1 << 16

// write adds the numbers of an ASCII text.
func (n *numberHash) write(text []byte) {
	end := 0 // of the last run of digits
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		groups := 0
		if end == 0 || i != end+1 || !separates(text[end]) {
			groups = thousands(text[i:])
		}
		end = i + digits(text[i:])
		n.value.Write(text[i:end])
		for ; groups > 0; groups-- {
			n.value.Write(text[end+1 : end+4])
			end += 4
		}
		n.value.Write(space)
		n.any, i = true, end
	}
}

// thousands returns how many groups of three digits, each after a separator of thousands, go on the number with which a
// text begins: NumbersEqual says when. Runs of digits with one separator between each two must begin there, too.
func thousands(text []byte) (groups int) {
	end := digits(text)
	if end > 3 || text[0] == '0' || !goesOn(text[end:]) {
		return 0
	}
	separator := text[end]
	for goesOn(text[end:]) && text[end] == separator {
		if digits(text[end+1:]) != 3 {
			return 0
		}
		groups, end = groups+1, end+4
	}
	if separator == '.' && groups == 1 && !goesOn(text[end:]) {
		return 0
	}
	return groups
}

// goesOn reports whether text begins with a separator and a digit.
func goesOn(text []byte) bool { return len(text) > 1 && separates(text[0]) && isDigit(text[1]) }

func separates(c byte) bool { return c == ',' || c == '.' || c == '\'' }

// digits returns how many digits text begins with.
func digits(text []byte) (n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

var space = []byte{' '}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digit returns the value of a decimal digit of any script. Unicode has the digits of a script
// in order, and so the place of a digit among those around it says its value.
func digit(r rune) (value byte, ok bool) {
	first := r
	for unicode.IsDigit(first) && unicode.Is(class.Assigned, first) {
		first--
	}
	return byte((r - first - 1) % 10), first < r
}

// Wait keeps one token until it is known whether it stays: Keep says so.
func (n *numberHash) Wait(term []byte) {
	if bytes.ContainsFunc(term, unicode.IsDigit) {
		n.waiting = append(n.waiting, waiting{n.given, bytes.Clone(term)})
	}
	n.given++
}

// Keep adds the numbers of the waiting tokens that are in the document from from until before
// to: those before from are left out. It is called with rising places.
func (n *numberHash) Keep(from, to uint64) {
	if n == nil {
		return
	}
	for ; len(n.waiting) > 0 && n.waiting[0].place < to; n.waiting = n.waiting[1:] {
		if w := n.waiting[0]; w.place >= from {
			n.Term(w.text)
		}
	}
}

// EndValue ends the open value.
func (n *numberHash) EndValue() {
	if n == nil {
		return
	}
	if n.any {
		n.sum += n.value.Sum64() | 1
		n.value.ResetWithSeed(n.seed)
	}
	n.any = false
}

// Hash returns the hash of the numbers of the document, in which the order of values does not matter; ok is
// false if it has none.
func (n *numberHash) Hash() (hash uint64, ok bool) { return token.Fold(n.sum, n.salt), n.sum != 0 }

// Mix mixes the hash of the numbers of the document, if it has any, into its simhash and its sketch of k lanes.
func (n *numberHash) Mix(simhash *uint64, s sketch.Sketch, k int) {
	if n == nil || n.sum == 0 {
		return
	}
	hash, _ := n.Hash()
	if *simhash != 0 {
		*simhash = max(1, *simhash^token.Mix(hash, 0))
	}
	for i := range s {
		word := token.Mix(hash, uint64(i)+1)
		if lanes := k - 8*i; lanes < 8 {
			word &= 1<<(8*lanes) - 1 // lanes that are not used stay 0
		}
		s[i] ^= word
	}
}

// Reset begins another document.
func (n *numberHash) Reset() {
	if n == nil {
		return
	}
	n.value.ResetWithSeed(n.seed)
	n.any, n.sum, n.given = false, 0, 0
	n.waiting = nil
}
