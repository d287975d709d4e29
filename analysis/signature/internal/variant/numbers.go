package variant

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Numbers hashes the numbers of a document, for signature.NumbersEqual, which says what a number is: for each value that has any, xxHash64, with the
// seed, of its numbers in ASCII digits, each followed by one space. Nil has no numbers.
type Numbers struct {
	value  *xxhash.Digest // of the open value
	any    bool           // the open value has numbers
	sum    uint64         // of the hashes of the values that have numbers
	seed   uint64
	salt   uint64
	words  token.Words
	digits []byte

	// If something is left out of documents, the tokens that have digits wait here until it
	// is known whether they stay.
	given   uint64 // tokens of the document so far
	waiting []waiting
	seen    int    // how many of these keep has passed
	texts   []byte // of all that wait
}

// waiting is a token: its place in the document, and the place of its text in texts.
type waiting struct {
	token      uint64
	begin, end int
}

// NewNumbers returns Numbers of no text.
func NewNumbers(seed uint64) *Numbers {
	return &Numbers{value: xxhash.NewWithSeed(seed), seed: seed, salt: token.Mix(seed, 9) | 1}
}

// Text adds the numbers of the tokens that package token finds in value. A line of ASCII has
// the digits that it has; what the tokens of another line are, a token.Words knows.
func (n *Numbers) Text(value []byte) {
	if n == nil {
		return
	}
	for len(value) > 0 {
		line := value
		if end := bytes.IndexByte(value, '\n'); end >= 0 {
			line, value = value[:end], value[end+1:]
		} else {
			value = nil
		}
		if isASCII(line) {
			n.write(line)
			continue
		}
		n.words.Reset(line)
		for word := n.words.Next(); word != nil; word = n.words.Next() {
			n.Term(word)
		}
	}
}

func isASCII(text []byte) bool {
	var all byte
	for _, c := range text {
		all |= c
	}
	return all < utf8.RuneSelf
}

// Term adds the numbers of one token.
func (n *Numbers) Term(term []byte) {
	if isASCII(term) {
		n.write(term)
		return
	}
	n.digits = n.digits[:0]
	for _, r := range string(term) {
		c := byte(' ')
		if d, ok := digit(r); ok {
			c = '0' + d
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

// write adds the runs of digits of an ASCII text.
func (n *Numbers) write(text []byte) {
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		from := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		n.value.Write(text[from:i])
		n.value.Write(space)
		n.any = true
	}
}

var space = []byte{' '}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digit returns the value of a decimal digit of any script. Unicode has the digits of a script
// in order, so the place of a digit in its range says its value.
func digit(r rune) (value byte, ok bool) {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), true
		}
	}
	return 0, false
}

// Wait keeps one token until it is known whether it stays: Keep and Decided say so.
func (n *Numbers) Wait(term []byte) {
	if bytes.ContainsFunc(term, isNumeral) {
		begin := len(n.texts)
		n.texts = append(n.texts, term...)
		n.waiting = append(n.waiting, waiting{n.given, begin, len(n.texts)})
	}
	n.given++
}

func isNumeral(r rune) bool {
	_, ok := digit(r)
	return ok
}

// Keep adds the numbers of the waiting tokens that are in the document from from until before
// to. It is called with rising places.
func (n *Numbers) Keep(from, to uint64) {
	if n == nil {
		return
	}
	for ; n.seen < len(n.waiting) && n.waiting[n.seen].token < to; n.seen++ {
		w := n.waiting[n.seen]
		if w.token >= from {
			n.Term(n.texts[w.begin:w.end])
		}
	}
}

// Decided drops the waiting tokens before to: they were kept, or left out.
func (n *Numbers) Decided(to uint64) {
	if n == nil {
		return
	}
	first := 0
	for first < len(n.waiting) && n.waiting[first].token < to {
		first++
	}
	n.seen = 0
	if first == 0 {
		return
	}
	begin := n.waiting[first-1].end
	n.waiting = n.waiting[:copy(n.waiting, n.waiting[first:])]
	n.texts = n.texts[:copy(n.texts, n.texts[begin:])]
	for i := range n.waiting {
		n.waiting[i].begin -= begin
		n.waiting[i].end -= begin
	}
	if len(n.texts) == 0 && cap(n.texts) > mostKept {
		n.texts = nil
	}
}

// EndValue ends the open value.
func (n *Numbers) EndValue() {
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
func (n *Numbers) Hash() (hash uint64, ok bool) { return token.Fold(n.sum, n.salt), n.sum != 0 }

// Mix mixes the hash of the numbers of the document, if it has any, into its simhash and its sketch of k lanes.
func (n *Numbers) Mix(simhash *uint64, s sketch.Sketch, k int) {
	if n == nil || n.sum == 0 {
		return
	}
	hash, _ := n.Hash()
	if *simhash != 0 {
		*simhash = max(1, *simhash^token.Mix(hash, 0))
	}
	for i := range s {
		word := token.Mix(hash, uint64(i)+1)
		if lanes := k - 4*i; lanes < 4 {
			word &= 1<<(16*lanes) - 1 // lanes that are not used stay 0
		}
		s[i] ^= word
	}
}

// Reset begins another document.
func (n *Numbers) Reset() {
	if n == nil {
		return
	}
	n.value.ResetWithSeed(n.seed)
	n.any, n.sum, n.given = false, 0, 0
	n.seen, n.waiting, n.texts = 0, n.waiting[:0], n.texts[:0]
}
