package signature

import (
	"encoding/binary"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// chunk is the number of tokens that go through all steps together: few enough to stay in
// the first-level cache, enough for the loops to be worth starting.
const chunk = 512

// Maker makes signatures, one document after another:
//
//	m.Text(value) or m.Term(...) m.EndValue(), for each value
//	sig := m.Signature()
//
// A Maker keeps its scratch memory between documents; it allocates nothing but
// what it returns. It is not safe for concurrent use.
type Maker struct {
	id       uint32
	params   Params
	key      token.Key
	scanner  *token.Scanner
	words    token.Words // where the text of tokens counts
	windows  shingle.Windows
	feats    shingle.Windows // for the simhash
	sums     sums
	exact    *xxhash.Digest      // of the token hashes of the open value
	repeats  *repetition.Counter // nil unless repetition is counted
	numbers  *numberHash         // nil unless numbers must be equal
	passages *passages           // nil unless passages are looked for
	variant  *variant            // nil unless the parameters need other steps
	cut      *template.Cutter    // what is left out; nil if nothing is
	spare    *template.Cutter    // the last one, for the next call of Without

	// keep is the method kept, made once: each method value allocates.
	keep func(tokens []uint64, gap bool)

	// hashes[:have] are tokens of the open value. The first old of them have gone through
	// the steps already, and are kept because the next shingles begin with them.
	hashes    [chunk + shingle.MaxWidth]uint64
	old, have int
	prints    []uint64 // scratch for fingerprints
	bytes     []byte   // scratch for what is hashed

	tokens    uint64 // of all values
	inValue   uint64 // in the open value
	exactSum  uint64 // of the hashes of the values that have tokens
	finalSalt uint64 // makes Signature.Exact of exactSum
}

// NewMaker returns a Maker, or an error if p is not valid.
func NewMaker(p Params) (*Maker, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	key := token.NewKey(p.Seed)
	m := &Maker{
		id:        p.ID(),
		params:    p,
		key:       key,
		scanner:   token.NewScanner(key),
		windows:   shingle.NewWindows(p.Width, p.Seed),
		feats:     shingle.NewWindows(p.SimhashWidth, p.Seed),
		sums:      sums{Sketch: sketch.NewBuilder(p.Lanes, p.Seed)},
		passages:  newPassages(p.Passages, p.Width),
		exact:     xxhash.New(), // the token hashes carry the seed
		prints:    make([]uint64, 0, chunk+shingle.MaxWidth),
		bytes:     make([]byte, 0, 8*chunk),
		finalSalt: token.Mix(p.Seed, 7) | 1,
	}
	m.variant = newVariant(p, &m.sums)
	if p.Numbers == NumbersEqual {
		m.numbers = newNumberHash(p.Seed)
	}
	return m, nil
}

// Text adds one value of the document. Shingles do not cross from one value to
// another, and the order of values does not matter.
func (m *Maker) Text(value []byte) {
	m.EndValue()
	if m.repeats != nil {
		m.repeats.Begin(len(value))
	}
	if m.repeats != nil || m.numbers != nil || m.variant.ByText() {
		m.byWord(value)
		return
	}
	m.scanner.Reset(value)
	for {
		n := m.scanner.Next(m.hashes[m.old : m.old+chunk])
		if n == 0 {
			break
		}
		m.have = m.old + n
		m.consume(false)
	}
	m.EndValue()
}

// byWord adds one value by way of the text of its tokens.
func (m *Maker) byWord(value []byte) {
	m.words.Reset(value)
	for word := m.words.Next(); word != nil; word = m.words.Next() {
		m.Term(word)
	}
	m.EndValue()
}

// Term adds one token, found by another tokenizer, to the open value.
func (m *Maker) Term(term []byte) {
	if m.have == m.old+chunk {
		m.consume(false)
	}
	if m.variant.ByText() {
		m.variant.Add(term)
	}
	switch {
	case m.numbers == nil:
	case m.cut != nil:
		m.numbers.Wait(term)
	default:
		m.numbers.Term(term)
	}
	m.hashes[m.have] = m.key.Hash(term)
	if m.repeats != nil {
		m.repeats.Term(m.hashes[m.have], len(term))
	}
	m.have++
}

// EndValue ends the value to which Term added tokens.
func (m *Maker) EndValue() {
	m.consume(true)
	if m.repeats != nil {
		m.repeats.EndValue()
	}
	m.passages.EndValue()
	if m.inValue > 0 {
		m.exactSum += m.exact.Sum64() | 1
		m.exact.Reset()
	}
	m.inValue, m.old, m.have = 0, 0, 0
	m.variant.Keep(0)
	m.numbers.EndValue()
}

// consume takes the new tokens through all steps, or those of them that are not left out. end says that the value ends.
func (m *Maker) consume(end bool) {
	if m.cut != nil {
		m.without(end)
	} else {
		m.take()
	}
}

// take takes the new tokens through all steps.
func (m *Maker) take() {
	fresh := m.hashes[m.old:m.have]
	if len(fresh) == 0 {
		return
	}
	m.tokens += uint64(len(fresh))
	m.inValue += uint64(len(fresh))

	m.bytes = m.bytes[:0]
	for _, h := range fresh {
		m.bytes = binary.LittleEndian.AppendUint64(m.bytes, h)
	}
	m.exact.Write(m.bytes)

	chosen := m.passages
	if m.cut != nil { // without gave it all tokens, also those left out
		chosen = nil
	}
	if m.variant != nil {
		m.variant.Take(m.hashes[:m.have], m.old, chosen)
	} else {
		m.plain(chosen)
	}

	keep := min(m.have, max(m.windows.Width(), m.feats.Width())-1)
	copy(m.hashes[:], m.hashes[m.have-keep:m.have])
	m.variant.Keep(keep)
	m.old, m.have = keep, keep
}

// plain takes the new tokens through the steps after hashing, for parameters that need no
// variant.
func (m *Maker) plain(chosen *passages) {
	m.prints = m.windows.Append(m.prints[:0], m.hashes[m.from(&m.windows):m.have])
	chosen.Add(m.prints)
	added := m.sums.Set.Add(m.prints)
	m.sums.Sketch.Add(added)
	if m.feats != m.windows {
		m.prints = m.feats.Append(m.prints[:0], m.hashes[m.from(&m.feats):m.have])
		added = m.sums.Feats.Add(m.prints)
	}
	m.sums.Simhash.Add(added)
}

// from returns where the first shingle begins that ends in a new token.
func (m *Maker) from(w *shingle.Windows) int { return max(0, m.old-w.Width()+1) }

// Repetition makes c count everything that is added to m from now on, in the same pass; nil
// ends that. After Signature, c returns the counts of that document.
func (m *Maker) Repetition(c *repetition.Counter) { m.repeats = c }

// Shingles returns the fingerprints of the distinct shingles of the values that have ended, in
// the order of their first occurrence. They are valid until the next call. With Params.Bag each copy has a
// fingerprint of its own.
func (m *Maker) Shingles() []uint64 {
	if m.variant != nil {
		return m.variant.Members()
	}
	return m.sums.Set.Members()
}

// Signature returns the signature of the document whose values were added, and makes m
// ready for the next document.
func (m *Maker) Signature() Signature {
	m.EndValue()
	m.variant.Finish()
	sig := Signature{
		Params:   m.id,
		Simhash:  m.sums.Simhash.Sum(),
		Tokens:   m.tokens,
		Shingles: uint64(m.sums.Set.Len()),
	}
	if m.tokens > 0 {
		sig.Exact = max(1, token.Fold(m.exactSum, m.finalSalt))
	}
	if sig.Shingles > 0 {
		m.sums.Sketch.Finish(m.sums.Set.Members())
		sig.Lanes = m.params.Lanes
		sig.Sketch = m.sums.Sketch.Append(make(sketch.Sketch, 0, sketch.Words(m.params.Lanes)))
	}
	m.numbers.Mix(&sig.Simhash, sig.Sketch, sig.Lanes)
	m.Reset()
	return sig
}

// Passages ends the open value, and returns the selected fingerprints of the document so far: see Params.Passages,
// without which there are none. Templates that are left out take part. Call it before Signature, which begins another
// document.
func (m *Maker) Passages() winnow.Prints {
	m.EndValue()
	return winnow.Of(m.id, m.passages.Selected())
}

// Reset discards everything that was added.
func (m *Maker) Reset() {
	m.sums.Reset()
	m.exact.Reset()
	m.tokens, m.inValue, m.exactSum, m.old, m.have = 0, 0, 0, 0, 0
	if m.cut != nil {
		m.cut.Reset()
	}
	m.numbers.Reset()
	m.passages.Reset()
	m.variant.Reset()
}

// makers pools Makers by their parameters, for Of.
var makers sync.Map // Params -> *sync.Pool

// Of returns the signature of a document with one or more values. It panics if p
// is not valid.
func Of(p Params, values ...[]byte) Signature {
	pool, ok := makers.Load(p)
	if !ok {
		pool, _ = makers.LoadOrStore(p, &sync.Pool{New: func() any {
			m, err := NewMaker(p)
			if err != nil {
				panic(err)
			}
			return m
		}})
	}
	m := pool.(*sync.Pool).Get().(*Maker)
	defer pool.(*sync.Pool).Put(m)
	for _, v := range values {
		m.Text(v)
	}
	return m.Signature()
}
