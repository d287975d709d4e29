package repetition

import (
	"bytes"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Counter counts one document after another:
//
//	c.Text(value), for each value
//	counts := c.Counts()
//
// A signature.Maker that has a Counter passes it the tokens of its own scanner. Code that
// tokenizes in another way calls, for each value, Begin, then Scan or Term, then EndValue.
//
// A Counter keeps its scratch memory between documents, up to a bound: 12 bytes a token and
// 16 to 32 a distinct token. It is not safe for concurrent use.
type Counter struct {
	scanner *token.Scanner
	counts  Counts // counts that are known before the end
	gram    grams

	ids    []uint32 // the tokens of all values, and a unique one between values
	tokens interner
	sizes  []uint32 // of tokens, by their numbers

	inValue, size uint64 // tokens of the open value, and their size in bytes
	text          bool   // the text of the open value is known

	lines, paragraphs blocks
	buf               [scan]uint32
}

// scan is the number of tokens taken at a time.
const scan = 512

// blocks are the hashes and sizes of lines or paragraphs.
type blocks struct {
	hashes, sizes []uint64
}

// NewCounter returns a Counter for shingles of width tokens, 1 to shingle.MaxWidth. It
// panics if width is out of range.
func NewCounter(width int) *Counter {
	if width < 1 || width > shingle.MaxWidth {
		panic(fmt.Sprintf("repetition: width: wanted 1 to %d, got %d", shingle.MaxWidth, width))
	}
	return &Counter{scanner: token.NewScanner(token.NewKey(0)), counts: Counts{Width: width}}
}

// Of returns the counts of a document with one or more values, for shingles of width
// tokens, 1 to shingle.MaxWidth. It panics if width is out of range.
func Of(width int, values ...[]byte) Counts {
	c := NewCounter(width)
	for _, v := range values {
		c.Text(v)
	}
	return c.Counts()
}

// Text adds one value. No gram, line or paragraph crosses from one value to another.
func (c *Counter) Text(value []byte) {
	var hashes [scan]uint64
	c.Begin(value)
	c.scanner.Reset(value)
	for c.Scan(c.scanner, hashes[:]) > 0 {
	}
	c.EndValue()
}

// Begin begins a value and counts its lines and paragraphs. It does not keep text.
func (c *Counter) Begin(text []byte) {
	c.EndValue()
	c.text = true
	c.counts.Bytes += uint64(len(text))
	var hash, size uint64 // of the paragraph, 0 if there is none
	for len(text) > 0 {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) > 0 {
			h := xxhash.Sum64(line)
			c.lines.add(h, uint64(len(line)))
			hash, size = token.Mix(hash, h), size+uint64(len(line))+1
		}
		if size > 0 && (len(line) == 0 || len(text) == 0) {
			c.paragraphs.add(hash, size-1)
			hash, size = 0, 0
		}
	}
}

func (b *blocks) add(hash, size uint64) {
	b.hashes, b.sizes = append(b.hashes, hash), append(b.sizes, size)
}

func (b *blocks) reset() { b.hashes, b.sizes = b.hashes[:0], b.sizes[:0] }

// Scan is s.Next for up to 512 tokens at a time, and counts the tokens found.
func (c *Counter) Scan(s *token.Scanner, dst []uint64) int {
	dst = dst[:min(len(dst), len(c.buf))]
	n := s.NextSized(dst, c.buf[:len(dst)])
	c.add(dst[:n], c.buf[:n])
	return n
}

// Term counts one token that another tokenizer found, given its hash and its size in bytes.
func (c *Counter) Term(hash uint64, size int) {
	c.add([]uint64{hash}, []uint32{uint32(size)})
}

func (c *Counter) add(hashes []uint64, sizes []uint32) {
	first := len(c.ids)
	c.ids = c.tokens.intern(c.ids, hashes)
	c.sizes = lengthen(c.sizes, len(c.tokens.keys))
	all := c.sizes
	sum := uint64(0)
	for j, id := range c.ids[first:] {
		all[id] = sizes[j]
		sum += uint64(sizes[j])
	}
	c.size += sum
	c.inValue += uint64(len(hashes))
}

// EndValue ends the value to which Scan or Term added tokens.
func (c *Counter) EndValue() {
	if c.inValue > 0 {
		if !c.text {
			c.counts.Bytes += c.size + c.inValue - 1
		}
		c.counts.Tokens += c.inValue
		c.counts.TokenBytes += c.size
		c.counts.Shingles += windows(c.inValue, c.counts.Width)
		c.ids = append(c.ids, c.tokens.unique())
		c.sizes = lengthen(c.sizes, len(c.tokens.keys))
	}
	c.inValue, c.size, c.text = 0, 0, false
}

// windows returns the number of runs of width tokens in that many tokens.
func windows(tokens uint64, width int) uint64 {
	return max(tokens, uint64(width)-1) - (uint64(width) - 1)
}

// Counts returns the counts of the document whose values were added, and makes c ready for
// the next document.
func (c *Counter) Counts() Counts {
	c.EndValue()
	counts := c.counts
	c.gram.count(&counts, c.ids, &c.tokens, c.sizes)
	counts.Lines = uint64(len(c.lines.hashes))
	counts.DuplicateLines, counts.DuplicateLineBytes = c.gram.duplicates(&c.lines)
	counts.Paragraphs = uint64(len(c.paragraphs.hashes))
	counts.DuplicateParagraphs, counts.DuplicateParagraphBytes = c.gram.duplicates(&c.paragraphs)
	c.Reset()
	return counts
}

// Reset discards everything that was added.
func (c *Counter) Reset() {
	if cap(c.ids) > keep {
		c.ids, c.sizes, c.gram = nil, nil, grams{}
		c.lines, c.paragraphs = blocks{}, blocks{}
	}
	c.counts = Counts{Width: c.counts.Width}
	c.ids, c.sizes = c.ids[:0], c.sizes[:0]
	c.tokens.reset()
	c.lines.reset()
	c.paragraphs.reset()
	c.inValue, c.size, c.text = 0, 0, false
}
