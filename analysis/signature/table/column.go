package table

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Column holds the signatures of a fixed number of documents side by side, as those
// of one immutable segment: 224 bytes each with 100 lanes, none of which the garbage
// collector looks at, and memory is touched only where something is set. Each number
// is set once; that and reading may happen at the same time.
//
// Signatures of a segment have the same parameters and number of lanes as a rule.
// Those that differ from the first are kept apart, in memory of their own.
type Column struct {
	n       int
	known   []atomic.Uint64 // bit i: i was set
	present []atomic.Uint64 // bit i: to a signature that is in the arrays

	packed atomic.Pointer[arrays]

	mu    sync.RWMutex // held to set, and to read odd
	odd   map[int]*signature.Signature
	odder atomic.Bool // odd has something
}

// arrays are what signatures of the same parameters are packed in.
type arrays struct {
	params           uint32
	lanes, words     int
	sketches         []uint64 // words of each
	exacts, simhash  []uint64
	tokens, shingles []uint32
}

// NewColumn returns a Column for n documents, none of which is set.
func NewColumn(n int) *Column {
	words := (n + 63) / 64
	return &Column{n: n, known: make([]atomic.Uint64, words), present: make([]atomic.Uint64, words)}
}

// Len is the number of documents.
func (c *Column) Len() int { return c.n }

// Known reports whether i was set.
func (c *Column) Known(i int) bool { return c.known[i/64].Load()>>(i%64)&1 != 0 }

// has reports whether i was set to a signature that is in the arrays.
func (c *Column) has(i int) bool { return c.present[i/64].Load()>>(i%64)&1 != 0 }

// Set sets the signature of document i, nil if it has none. It copies s. Setting
// what is set already changes nothing, and reports false.
func (c *Column) Set(i int, s *signature.Signature) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Known(i) {
		return false
	}
	if s != nil {
		if a := c.room(s); a != nil {
			a.set(i, s)
			c.present[i/64].Or(1 << (i % 64))
		} else {
			c.apart(i, s)
		}
	}
	c.known[i/64].Or(1 << (i % 64))
	return true
}

// room returns the arrays if s fits in.
func (c *Column) room(s *signature.Signature) *arrays {
	if s.Tokens > math.MaxUint32 || s.Shingles > math.MaxUint32 {
		return nil
	}
	a := c.packed.Load()
	if a == nil {
		a = &arrays{
			params: s.Params, exacts: make([]uint64, c.n), simhash: make([]uint64, c.n),
			tokens: make([]uint32, c.n), shingles: make([]uint32, c.n),
		}
		c.packed.Store(a)
	}
	if a.params == s.Params && a.lanes == 0 && s.Lanes > 0 {
		b := *a // what is set so far has no sketch
		b.lanes, b.words = s.Lanes, sketch.Words(s.Lanes)
		b.sketches = make([]uint64, b.words*c.n)
		a = &b
		c.packed.Store(a)
	}
	if a.params != s.Params || (s.Lanes != a.lanes && s.Lanes != 0) || (s.Lanes == 0) != (s.Shingles == 0) {
		return nil
	}
	return a
}

// apart keeps s, which does not fit in the arrays.
func (c *Column) apart(i int, s *signature.Signature) {
	if c.odd == nil {
		c.odd = map[int]*signature.Signature{}
	}
	own := *s
	own.Sketch = slices.Clone(s.Sketch)
	c.odd[i] = &own
	c.odder.Store(true)
}

func (a *arrays) set(i int, s *signature.Signature) {
	copy(a.sketches[i*a.words:], s.Sketch)
	a.exacts[i], a.simhash[i] = s.Exact, s.Simhash
	a.tokens[i], a.shingles[i] = uint32(s.Tokens), uint32(s.Shingles)
}

// at is the signature of document i, which is in the arrays.
func (a *arrays) at(i int) signature.Signature {
	s := signature.Signature{
		Params: a.params, Exact: a.exacts[i], Simhash: a.simhash[i],
		Tokens: uint64(a.tokens[i]), Shingles: uint64(a.shingles[i]),
	}
	if s.Shingles > 0 {
		s.Lanes, s.Sketch = a.lanes, a.sketch(i)
	}
	return s
}

func (a *arrays) sketch(i int) sketch.Sketch {
	return a.sketches[i*a.words : (i+1)*a.words : (i+1)*a.words]
}

// At returns the signature of document i, and false if none was set. The sketch is
// shared and must not be changed.
func (c *Column) At(i int) (signature.Signature, bool) {
	if c.has(i) {
		return c.packed.Load().at(i), true
	}
	if c.odder.Load() {
		c.mu.RLock()
		defer c.mu.RUnlock()
		if s := c.odd[i]; s != nil {
			return *s, true
		}
	}
	return signature.Signature{}, false
}

// Simhash returns the simhash of document i, and false if that takes At to tell.
func (c *Column) Simhash(i int) (uint64, bool) {
	if !c.has(i) {
		return 0, false
	}
	return c.packed.Load().simhash[i], true
}
