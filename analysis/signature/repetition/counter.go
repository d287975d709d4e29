package repetition

import (
	"math/rand/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Counter counts one document after another:
//
//	c.Text(value), for each value
//	figures := c.Figures()
//
// A signature.Maker that has a Counter passes it its tokens. Code that tokenizes in another way calls, for each value,
// Begin if the size of its text is known, then Term, then EndValue.
//
// A Counter keeps its scratch memory between documents, up to a bound: 12 bytes a token and
// 16 to 32 a distinct token. It is not safe for concurrent use.
type Counter struct {
	words token.Words
	gram  grams

	ids    []uint32 // the tokens of all values, and a unique one between values
	tokens counts
	sizes  []uint32 // of tokens, by their numbers

	all, bytes    uint64 // tokens of the document, and the size of its text
	inValue, size uint64 // tokens of the open value, and their size in bytes
	text          bool   // the size of the text of the open value is known
}

// keep is how many tokens there is room for after a long document.
const keep = 1 << 16

// key hashes the tokens of texts that no Maker hashes.
var key = token.NewKey(0)

// NewCounter returns a Counter.
func NewCounter() *Counter { return new(Counter) }

// Of returns the figures of a document with one or more values.
func Of(values ...[]byte) Figures {
	c := NewCounter()
	for _, v := range values {
		c.Text(v)
	}
	return c.Figures()
}

// Text adds one value. No gram crosses from one value to another.
func (c *Counter) Text(value []byte) {
	c.Begin(len(value))
	c.words.Reset(value)
	for word := c.words.Next(); word != nil; word = c.words.Next() {
		c.Term(key.Hash(word), len(word))
	}
	c.EndValue()
}

// Begin begins a value with a text of that size in bytes. A value that does not begin so has the size of its tokens,
// joined by spaces.
func (c *Counter) Begin(size int) {
	c.EndValue()
	c.bytes += uint64(size)
	c.text = true
}

// Term counts one token, given its hash and its size in bytes.
func (c *Counter) Term(hash uint64, size int) {
	c.ids = c.tokens.add(c.ids, []uint64{hash})
	c.sizes = lengthen(c.sizes, len(c.tokens.counts))
	c.sizes[c.ids[len(c.ids)-1]] = uint32(size)
	c.size += uint64(size)
	c.inValue++
}

// EndValue ends the value to which Term added tokens.
func (c *Counter) EndValue() {
	if c.inValue > 0 {
		if !c.text {
			c.bytes += c.size + c.inValue - 1
		}
		c.all += c.inValue
		c.ids = c.tokens.add(c.ids, []uint64{rand.Uint64()}) // a token that is equal to no other
		c.sizes = lengthen(c.sizes, len(c.tokens.counts))
	}
	c.inValue, c.size, c.text = 0, 0, false
}

// Figures returns the figures of the document whose values were added, and makes c ready for
// the next document.
func (c *Counter) Figures() Figures {
	c.EndValue()
	f := Figures{Tokens: c.all}
	if c.all > 0 {
		f.Shares = c.gram.shares(c)
	}
	c.Reset()
	return f
}

// Reset discards everything that was added.
func (c *Counter) Reset() {
	if cap(c.ids) > keep {
		c.ids, c.sizes, c.tokens, c.gram = nil, nil, counts{}, grams{}
	}
	c.ids, c.sizes = c.ids[:0], c.sizes[:0]
	c.tokens.reset()
	c.all, c.bytes, c.inValue, c.size, c.text = 0, 0, 0, 0, false
}
