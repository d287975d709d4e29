package table

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Column holds the signatures of a fixed number of documents side by side, such as those of
// one immutable segment. They take 128 bytes each with 100 lanes. The garbage collector
// looks at none of them, and memory is touched only where a signature is set. Each number
// is set once; setting and reading can happen at the same time.
//
// The signatures of a segment usually have the same parameters and number of lanes.
// Signatures that differ from the first one are kept apart, in memory of their own.
type Column struct {
	n       int
	known   []atomic.Uint64 // bit i: document i was set
	present []atomic.Uint64 // bit i: the signature of document i is in the arrays

	packed atomic.Pointer[arrays]

	mu    sync.RWMutex // locked to set, and to read odd
	odd   map[int]*signature.Signature
	odder atomic.Bool // odd is not empty
}

// arrays hold signatures that have the same parameters.
type arrays struct {
	params           uint32
	lanes, words     int
	sketches         []uint64 // words for each signature
	exacts, simhash  []uint64
	tokens, shingles []uint32
}

// NewColumn returns a Column for n documents, none of which is set. It panics if n is
// negative, or more than memory can hold.
func NewColumn(n int) *Column {
	words := (n + 63) / 64
	return &Column{n: n, known: make([]atomic.Uint64, words), present: make([]atomic.Uint64, words)}
}

// NewBlank returns a Column for n documents none of which has a signature: all are set,
// to nil. It takes no memory for them.
func NewBlank(n int) *Column { return &Column{n: n} }

// Len is the number of documents.
func (c *Column) Len() int { return c.n }

// Known reports whether document i was set.
func (c *Column) Known(i int) bool { return c.known == nil || c.known[i/64].Load()>>(i%64)&1 != 0 }

// has reports whether the signature of document i was set and is in the arrays.
func (c *Column) has(i int) bool { return c.present != nil && c.present[i/64].Load()>>(i%64)&1 != 0 }

// Set sets the signature of document i, nil if it has none. It copies s. If i was set
// before, Set changes nothing and returns false.
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

// room returns the arrays if s fits into them.
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
		b := *a // no signature so far has a sketch
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

// apart keeps s, which does not fit into the arrays.
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

// at returns the signature of document i, which is in the arrays.
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

// At returns the signature of document i, and false if it has none. The sketch is shared
// and must not be changed.
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
