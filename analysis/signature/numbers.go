package signature

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Numbers says whether texts can be near-duplicates whose numbers differ.
type Numbers string

const (
	// NumbersAny lets numbers differ as words do. It is the default.
	NumbersAny Numbers = "any"

	// NumbersEqual makes signatures match only if their texts have the same numbers in the
	// same order. It is for bills, catalogues, statutes and the like, which differ in nothing
	// but numbers.
	//
	// A number is a maximal run of decimal digits in a token: "1,000" has two, "007" is not
	// "7", and "三" is none. Digits of all scripts count by their value. Each value of a
	// document has its own numbers, and the order of values does not matter.
	//
	// The veto needs no test of its own in a Rule: a hash of the numbers is mixed into the
	// lanes and the simhash. Texts with equal numbers agree just as much as they do without
	// it, and texts with different numbers look unrelated, in every rule, lookup and estimate.
	// A rule so loose that unrelated texts match, by 3 lanes or fewer, or by a Hamming
	// distance of 12 or more, lets texts match whose numbers differ. A text without a number
	// has the lanes and the simhash that it has with NumbersAny.
	NumbersEqual Numbers = "equal"
)

// numbers hashes the numbers of a document: for each value that has any, xxHash64, with the
// seed, of its numbers in ASCII digits, each followed by one space.
type numbers struct {
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

// newNumbers returns nil unless p asks for a veto.
func newNumbers(p Params) *numbers {
	if p.Numbers != NumbersEqual {
		return nil
	}
	return &numbers{value: xxhash.NewWithSeed(p.Seed), seed: p.Seed, salt: token.Mix(p.Seed, 9) | 1}
}

// text adds the numbers of the tokens that package token finds in value. A line of ASCII has
// the digits that it has; what the tokens of another line are, type token.Words knows.
func (n *numbers) text(value []byte) {
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
			n.term(word)
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

// term adds the numbers of one token.
func (n *numbers) term(term []byte) {
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
func (n *numbers) write(text []byte) {
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

// wait keeps one token until it is known whether it stays: keep or drop says so.
func (n *numbers) wait(term []byte) {
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

// keep adds the numbers of the waiting tokens that are in the document from from until before
// to. It is called with rising places.
func (n *numbers) keep(from, to uint64) {
	for ; n.seen < len(n.waiting) && n.waiting[n.seen].token < to; n.seen++ {
		w := n.waiting[n.seen]
		if w.token >= from {
			n.term(n.texts[w.begin:w.end])
		}
	}
}

// decided drops the waiting tokens before to: they were kept, or left out.
func (n *numbers) decided(to uint64) {
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

// endValue ends the open value.
func (n *numbers) endValue() {
	if n.any {
		n.sum += n.value.Sum64() | 1
		n.value.ResetWithSeed(n.seed)
	}
	n.any = false
}

// mix mixes the numbers into the signature of the document.
func (n *numbers) mix(s *Signature) {
	if n.sum == 0 {
		return
	}
	hash := token.Fold(n.sum, n.salt)
	if s.Simhash != 0 {
		s.Simhash = max(1, s.Simhash^token.Mix(hash, 0))
	}
	for i := range s.Sketch {
		word := token.Mix(hash, uint64(i)+1)
		if lanes := s.Lanes - 4*i; lanes < 4 {
			word &= 1<<(16*lanes) - 1 // lanes that are not used stay 0
		}
		s.Sketch[i] ^= word
	}
}

// SameNumbers reports whether two documents, each given as the tokens of its values, have the same
// numbers as NumbersEqual counts them: with it, documents of other numbers match by no rule.
func SameNumbers(a, b [][]Token) bool {
	var sums [2]uint64
	for i, values := range [][][]Token{a, b} {
		n := newNumbers(Params{Numbers: NumbersEqual})
		for _, tokens := range values {
			for _, t := range tokens {
				n.term(t.Term)
			}
			n.endValue()
		}
		sums[i] = n.sum
	}
	return sums[0] == sums[1]
}

func (n *numbers) reset() {
	n.value.ResetWithSeed(n.seed)
	n.any, n.sum, n.given = false, 0, 0
	n.seen, n.waiting, n.texts = 0, n.waiting[:0], n.texts[:0]
}
