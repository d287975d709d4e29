package signature

import (
	"cmp"
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
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
// the sketch it returns. It is not safe for concurrent use.
type Maker struct {
	id       uint32
	lanes    int
	key      token.Key
	scanner  *token.Scanner
	windows  shingle.Windows
	feats    shingle.Windows // for the simhash
	builder  *sketch.Builder
	counter  simhash.Counter
	set      shingle.Set
	weight   Weight
	featSet  shingle.Set // the distinct features, if they are not the shingles
	exact    *xxhash.Digest
	repeats  *repetition.Counter
	numbers  *numbers         // nil unless numbers must be equal
	passages *passages        // nil unless passages are looked for
	variant  *variant         // for parameters that differ from the default; nil for the default
	cut      *template.Cutter // what is left out; nil if nothing is
	spare    *template.Cutter // the last one
	keep     func(tokens []uint64, gap bool)

	// hashes[:have] are tokens of the open value. The first old of them have gone through
	// the steps already, and are kept because the next shingles begin with them.
	hashes    [chunk + shingle.MaxWidth]uint64
	old, have int
	prints    []uint64
	bytes     []byte // used on big-endian machines

	tokens    uint64 // of all values
	inValue   uint64 // in the open value
	exactSum  uint64 // of the hashes of the values that have tokens
	finalSalt uint64
}

// NewMaker returns a Maker, or an error if p is not valid.
func NewMaker(p Params) (*Maker, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	key := token.NewKey(p.Seed)
	return &Maker{
		variant:   newVariant(p),
		numbers:   newNumbers(p),
		passages:  newPassages(p),
		id:        p.ID(),
		lanes:     p.Lanes,
		key:       key,
		scanner:   token.NewScanner(key),
		windows:   shingle.NewWindows(p.Width, p.Seed),
		feats:     shingle.NewWindows(p.SimhashWidth, p.Seed),
		builder:   sketch.NewBuilder(p.Lanes, p.Seed),
		weight:    p.SimhashWeight,
		exact:     xxhash.New(), // the token hashes carry the seed
		prints:    make([]uint64, 0, chunk+shingle.MaxWidth),
		finalSalt: token.Mix(p.Seed, 7) | 1,
	}, nil
}

// Text adds one value of the document. Shingles do not cross from one value to
// another, and the order of values does not matter.
func (m *Maker) Text(value []byte) {
	m.EndValue()
	if m.repeats != nil {
		m.repeats.Begin(value)
	}
	switch {
	case m.variant.byText():
		m.words(&m.variant.words, value)
		return
	case m.numbers != nil && m.cut != nil: // which of the tokens count is known later
		m.words(&m.numbers.words, value)
		return
	case m.numbers != nil:
		m.numbers.text(value)
	}
	m.scanner.Reset(value)
	for {
		n := m.next(m.hashes[m.old : m.old+chunk])
		if n == 0 {
			break
		}
		m.have = m.old + n
		m.consume()
	}
	m.EndValue()
}

// words adds one value by way of the text of its tokens.
func (m *Maker) words(words *token.Words, value []byte) {
	words.Reset(value)
	for word := words.Next(); word != nil; word = words.Next() {
		m.Term(word)
	}
	m.EndValue()
}

// Repetition makes c count everything that is added to m from now on, in the same pass; nil
// ends that. After Signature, c returns the counts of that document.
func (m *Maker) Repetition(c *repetition.Counter) { m.repeats = c }

// next finds the next tokens of a value.
func (m *Maker) next(dst []uint64) int {
	if m.repeats != nil {
		return m.repeats.Scan(m.scanner, dst)
	}
	return m.scanner.Next(dst)
}

// Term adds one token, found by another tokenizer, to the open value.
func (m *Maker) Term(term []byte) {
	if m.have == m.old+chunk {
		m.consume()
	}
	if m.variant.byText() {
		m.addText(term)
	}
	switch {
	case m.numbers == nil:
	case m.cut != nil:
		m.numbers.wait(term)
	default:
		m.numbers.term(term)
	}
	m.hashes[m.have] = m.key.Hash(term)
	if m.repeats != nil {
		m.repeats.Term(m.hashes[m.have], len(term))
	}
	m.have++
}

// addText adds the text of a token.
func (m *Maker) addText(term []byte) {
	if j := m.variant.joined; j != nil {
		j.Add(term)
	}
	if l := m.variant.letters; l != nil {
		l.add(term, func() { m.shingles(l.shingles(m.prints[:0])) })
	}
}

// EndValue ends the value to which Term added tokens.
func (m *Maker) EndValue() {
	if m.cut != nil {
		m.without(true)
	} else {
		m.consume()
	}
	if m.repeats != nil {
		m.repeats.EndValue()
	}
	if m.passages != nil {
		m.passages.endValue()
	}
	if m.inValue > 0 {
		m.exactSum += m.exact.Sum64() | 1
		m.exact.Reset()
	}
	m.inValue, m.old, m.have = 0, 0, 0
	m.variant.keep(0, true)
	if m.numbers != nil {
		m.numbers.endValue()
	}
}

// consume takes the new tokens through all steps, or those of them that are not left out.
func (m *Maker) consume() {
	if m.cut != nil {
		m.without(false)
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

	m.exact.Write(m.littleEndian(fresh))

	if m.variant != nil {
		m.varied()
	} else {
		m.plain()
	}

	keep := min(m.have, max(m.windows.Width(), m.feats.Width())-1)
	copy(m.hashes[:], m.hashes[m.have-keep:m.have])
	m.variant.keep(keep, false)
	m.old, m.have = keep, keep
}

// littleEndian returns the bytes of hashes, which must not be empty. If memory holds them
// in that order, it does not copy them: a copy would take as long as hashing them.
func (m *Maker) littleEndian(hashes []uint64) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&hashes[0])), 8*len(hashes))
	}
	m.bytes = m.bytes[:0]
	for _, h := range hashes {
		m.bytes = binary.LittleEndian.AppendUint64(m.bytes, h)
	}
	return m.bytes
}

// plain takes the new tokens through the steps after hashing, for parameters that need no
// variant.
func (m *Maker) plain() {
	var added []uint64
	switch tokens := m.hashes[m.from(&m.windows):m.have]; {
	case m.weight == WeightCount:
		m.prints = m.windows.Append(m.prints[:0], tokens)
		m.choose(m.prints)
		added = m.set.Add(m.prints)
	case m.passages != nil:
		added, m.prints = m.set.AddAll(&m.windows, tokens, m.prints[:cap(m.prints)])
		m.choose(m.prints)
	default:
		added = m.set.AddWindows(&m.windows, tokens, m.prints)
	}
	m.builder.Add(added)
	m.counter.Add(m.features(added))
}

// varied takes the new tokens through the steps after hashing, with a variant.
func (m *Maker) varied() {
	v := m.variant
	var added []uint64
	if v.letters != nil {
		added = m.shingles(v.letters.shingles(m.prints[:0]))
	} else {
		m.prints = v.shingles(m.prints[:0], m.hashes[m.from(&m.windows):m.have])
		m.choose(m.prints)
		added = m.shingles(m.prints)
	}
	distinct := cmp.Or(m.weight, WeightDistinct) == WeightDistinct
	if distinct && !v.bag && v.letters == nil && m.feats == m.windows {
		m.counter.Add(added)
		return
	}
	tokens := m.hashes[m.from(&m.feats):m.have]
	m.prints = v.features(m.prints[:0], tokens)
	v.mix(m.prints)
	switch {
	case v.weigh != nil:
		v.weighed(&m.counter, m.prints, m.feats.Width(), len(tokens))
	case distinct:
		m.counter.Add(m.featSet.Add(m.prints))
	case m.weight == WeightLog:
		m.counter.Add(v.logarithmic(m.prints))
	default:
		m.counter.Add(m.prints)
	}
}

// choose takes fingerprints of shingles, in the order of the text, for passages. Where a template is left out they
// are taken before.
func (m *Maker) choose(prints []uint64) {
	if m.passages != nil && m.cut == nil {
		m.passages.add(prints, m.variant)
	}
}

// shingles takes fingerprints of shingles into the set and the sketch, and returns the new ones.
func (m *Maker) shingles(prints []uint64) []uint64 {
	v := m.variant
	m.prints = prints
	if v.bag {
		v.number(prints)
	}
	v.mix(prints)
	added := m.set.Add(prints)
	m.builder.Add(added)
	return added
}

// features returns the features among the new tokens that the simhash counts. m.prints
// holds the fingerprints of their shingles, and added the fingerprints that are new to the
// set.
func (m *Maker) features(added []uint64) []uint64 {
	same := m.feats == m.windows
	if !same {
		m.prints = m.feats.Append(m.prints[:0], m.hashes[m.from(&m.feats):m.have])
	}
	switch {
	case m.weight == WeightCount:
		return m.prints
	case same:
		return added
	default:
		return m.featSet.Add(m.prints)
	}
}

// from returns where the first shingle begins that ends in a new token.
func (m *Maker) from(w *shingle.Windows) int { return max(0, m.old-w.Width()+1) }

// Shingles returns the fingerprints of the distinct shingles so far, in the order of their
// first occurrence. They are valid until the next call. With Params.Bag each copy has a
// fingerprint of its own.
func (m *Maker) Shingles() []uint64 {
	if m.variant != nil {
		return m.variant.unmixed(m.set.Members())
	}
	return m.set.Members()
}

// Signature returns the signature of the document whose values were added, and makes m
// ready for the next document.
func (m *Maker) Signature() Signature {
	m.EndValue()
	sig := Signature{
		Params:   m.id,
		Simhash:  m.counter.Sum(),
		Tokens:   m.tokens,
		Shingles: uint64(m.set.Len()),
	}
	if m.tokens > 0 {
		sig.Exact = max(1, token.Fold(m.exactSum, m.finalSalt))
	}
	if sig.Shingles > 0 {
		m.builder.Finish(m.set.Members())
		sig.Lanes = m.lanes
		sig.Sketch = m.builder.Append(make(sketch.Sketch, 0, sketch.Words(m.lanes)))
	}
	if m.numbers != nil {
		m.numbers.mix(&sig)
	}
	m.Reset()
	return sig
}

// Full returns the sketch of the document whose values were added, before it is packed.
// Such sketches can be merged. Full makes m ready for the next document. Params.Numbers does
// not count here: a union of texts has no numbers in order.
func (m *Maker) Full() sketch.Full {
	m.EndValue()
	if m.set.Len() > 0 {
		m.builder.Finish(m.set.Members())
	}
	full := m.builder.Full()
	m.Reset()
	return full
}

// Reset discards everything that was added.
func (m *Maker) Reset() {
	m.builder.Reset()
	m.counter.Reset()
	m.set.Reset()
	m.featSet.Reset()
	m.exact.Reset()
	m.tokens, m.inValue, m.exactSum, m.old, m.have = 0, 0, 0, 0, 0
	if m.cut != nil {
		m.cut.Reset()
	}
	if m.numbers != nil {
		m.numbers.reset()
	}
	if m.passages != nil {
		m.passages.reset()
	}
	m.variant.reset()
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
