package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Probe is a signature to look up, prepared once for any number of Frozen tables with the
// same rule and Plan. The zero Probe is ready for Prepare.
type Probe struct {
	scheme scheme
	sig    *signature.Signature
	scope  uint64
	salt   uint64 // of the keys
	sized  bool
	exact  uint64
	lanes  int // for which bands were made
	bands  []laneBand
	keys   []uint64 // of the bands

	guarded bool
	passed  []bool // keys that are not followed: of the bands, then of the simhash blocks
}

// Prepare makes p look for signatures that meet rule, which must be valid, with s, in one
// scope of tables made with rule and chosen. s is kept, and must not be changed while p is
// used.
func (p *Probe) Prepare(rule signature.Rule, chosen Plan, s *signature.Signature, scope uint64) {
	if scheme := chosen.scheme(rule); p.scheme != scheme || p.lanes != s.Lanes {
		p.scheme, p.lanes, p.bands = scheme, s.Lanes, p.bands[:0]
		n := scheme.bands(s.Lanes)
		for i := range n {
			p.bands = append(p.bands, scheme.band(s.Lanes, n, i))
		}
	}
	p.sig, p.scope, p.sized, p.guarded = s, scope, p.scheme.sized(s), false
	p.salt = saltOf(s.Params, scope)
	p.exact = exactKey(s.Exact, p.salt)
	if p.keys = p.keys[:0]; p.sized {
		for i := range p.bands {
			p.keys = append(p.keys, p.bands[i].key(s.Sketch, p.salt))
		}
	}
}

// Near yields all documents whose signatures meet the rule with p's signature, each once,
// in no order, until yield returns false. It returns false if yield did.
func (f *Frozen) Near(p *Probe, yield func(i int) bool) bool {
	if !p.scheme.rule.Long(p.sig) {
		return true
	}
	f.touch(p)
	return f.near(p, yield)
}

// Near is Frozen.Near for several tables. It costs less than one call after another, since
// it waits for memory only once.
//
// It panics if p was not prepared, or a table is nil.
func Near(tables []*Frozen, p *Probe, yield func(table, i int) bool) bool {
	if !p.scheme.rule.Long(p.sig) {
		return true
	}
	for _, f := range tables {
		f.touch(p)
	}
	for n, f := range tables {
		if !f.near(p, func(i int) bool { return yield(n, i) }) {
			return false
		}
	}
	return true
}

func (f *Frozen) near(p *Probe, yield func(i int) bool) bool {
	for _, i := range f.odd {
		if f.meets(p, i) && !yield(i) {
			return false
		}
	}
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params {
		return true
	}
	if f.exact.starts == nil {
		for i := range f.column.n {
			if f.column.has(i) && f.meets(p, i) && !yield(i) {
				return false
			}
		}
		return true
	}
	var d decided
	if !f.nearExact(p, a, &d, yield) {
		return false
	}
	return !f.hasLanes(p, a) || f.nearBands(p, a, &d, yield) && f.nearBlocks(p, a, &d, yield) && f.nearMasked(p, a, &d, yield) && f.nearAll(p, a, yield)
}

// hasLanes reports whether p's signature can match documents other than those of equal
// text.
func (f *Frozen) hasLanes(p *Probe, a *arrays) bool { return p.sized && p.sig.Lanes == a.lanes }

// decided remembers some of the documents that a lookup has decided about. A near-duplicate
// is found under most of its keys; a remembered document is skipped without a look at its
// signature.
type decided [64]uint32 // document numbers plus 1

func (d *decided) has(i int) bool { return d[uint(i)%uint(len(d))] == uint32(i+1) }
func (d *decided) add(i int)      { d[uint(i)%uint(len(d))] = uint32(i + 1) }

// meets reports whether document i is in the probe's scope and meets the rule.
func (f *Frozen) meets(p *Probe, i int) bool {
	s, ok := f.column.At(i)
	return ok && f.scope(i) == p.scope && p.scheme.rule.Duplicates(&s, p.sig)
}

// of returns the entries of the bucket of a key.
func (b *buckets) of(key uint64) []uint32 {
	at := b.home(key)
	return b.entries[b.starts[at]:b.starts[at+1]]
}

func (f *Frozen) nearExact(p *Probe, a *arrays, d *decided, yield func(i int) bool) bool {
	want, mask := f.tag(p.exact), uint32(1)<<f.docBits-1
	for _, entry := range f.exact.of(p.exact) {
		i := int(entry & mask)
		if entry&^mask != want || a.exacts[i] != p.sig.Exact || f.scope(i) != p.scope {
			continue
		}
		if d.add(i); !yield(i) {
			return false
		}
	}
	return true
}

func (f *Frozen) nearBands(p *Probe, a *arrays, d *decided, yield func(i int) bool) bool {
	mask := uint32(1)<<f.docBits - 1
	for n := range f.bands {
		if p.passes(n) {
			continue
		}
		b := &f.bands[n]
		want := f.tag(p.keys[n])
		for _, entry := range b.of(p.keys[n]) {
			i := int(entry & mask)
			if entry&^mask != want || d.has(i) || !b.agree(a.sketch(i), p.sig.Sketch) {
				continue
			}
			if d.add(i); f.first(p, a, n, i) && !yield(i) {
				return false
			}
		}
	}
	return true
}

// first reports whether document i, which shares the n-th band with the probe, meets the
// rule and shares no earlier key.
func (f *Frozen) first(p *Probe, a *arrays, n, i int) bool {
	s := a.sketch(i)
	if f.scope(i) != p.scope || a.exacts[i] == p.sig.Exact || f.agreed(p, n, s) {
		return false
	}
	within := func() bool { return sketch.Within(s, p.sig.Sketch, a.lanes-p.scheme.rule.Need(a.lanes)) }
	switch p.scheme.rule.Mode {
	case signature.SketchOnly:
		return within()
	case signature.Both:
		return p.near(a.simhash[i]) && within()
	default:
		return p.near(a.simhash[i]) || within()
	}
}

// agreed reports whether s agrees with the probe's sketch in one of the first n bands that
// are followed.
func (f *Frozen) agreed(p *Probe, n int, s sketch.Sketch) bool {
	for i := range f.bands[:n] {
		if f.bands[i].agree(s, p.sig.Sketch) && !p.passes(i) {
			return true
		}
	}
	return false
}

// near reports whether h is near the probe's simhash.
func (p *Probe) near(h uint64) bool {
	return h != 0 && p.sig.Simhash != 0 && simhash.Distance(h, p.sig.Simhash) <= p.scheme.most
}

func (f *Frozen) nearBlocks(p *Probe, a *arrays, d *decided, yield func(i int) bool) bool {
	if p.sig.Simhash == 0 {
		return true
	}
	for n := range f.blocks {
		if p.passes(len(f.bands) + n) {
			continue
		}
		b := &f.blocks[n]
		bucket, rest := b.split(p.sig.Simhash)
		for _, entry := range b.entries[b.starts[bucket]:b.starts[bucket+1]] {
			if bits.OnesCount32(uint32(entry>>32)^rest) > p.scheme.most {
				continue
			}
			i := int(uint32(entry))
			if d.has(i) {
				continue
			}
			if d.add(i); f.firstSimhash(p, a, n, i) && !yield(i) {
				return false
			}
		}
	}
	return true
}

func (f *Frozen) nearMasked(p *Probe, a *arrays, d *decided, yield func(i int) bool) bool {
	if p.sig.Simhash == 0 {
		return true
	}
	mask := uint32(1)<<f.docBits - 1
	for n := range f.masked {
		if p.passes(len(f.bands) + n) {
			continue
		}
		t := &f.masked[n]
		key := t.key(p.sig.Simhash, p.salt)
		want := f.tag(key)
		for _, entry := range t.of(key) {
			i := int(entry & mask)
			if entry&^mask != want || d.has(i) || (a.simhash[i]^p.sig.Simhash)&t.mask != 0 {
				continue
			}
			if d.add(i); f.firstSimhash(p, a, n, i) && !yield(i) {
				return false
			}
		}
	}
	return true
}

// firstSimhash reports whether document i meets the rule by its simhash, and shares no key
// with the probe before the n-th table of simhash bits.
func (f *Frozen) firstSimhash(p *Probe, a *arrays, n, i int) bool {
	return p.near(a.simhash[i]) && f.scope(i) == p.scope && !f.sharedBefore(p, a, i, n)
}

// sharedBefore reports whether document i shares a key with the probe before the n-th table
// of simhash bits. If so, it was yielded then.
func (f *Frozen) sharedBefore(p *Probe, a *arrays, i, n int) bool {
	differ := a.simhash[i] ^ p.sig.Simhash
	for m, mask := range f.masks[:n] {
		if differ&mask == 0 && !p.passes(len(f.bands)+m) {
			return true
		}
	}
	return a.exacts[i] == p.sig.Exact || f.agreed(p, len(f.bands), a.sketch(i))
}

// nearAll compares all simhashes, for rules that need it.
func (f *Frozen) nearAll(p *Probe, a *arrays, yield func(i int) bool) bool {
	if !p.scheme.scan {
		return true
	}
	for i, h := range a.simhash {
		if p.near(h) && f.column.has(i) && f.sized(a, i) && f.firstSimhash(p, a, 0, i) && !yield(i) {
			return false
		}
	}
	return true
}

// Documents made from one template have much of their text in common. So all of them agree
// in some bands of lanes, though hardly two are near-duplicates: at a resemblance of .8,
// one in six agrees in 8 given lanes. Without a guard, a lookup would compare the probe
// with every sixth document for each band.

// Guard makes lookups skip keys of bands and simhash blocks that more than most documents
// in all the tables together have, and returns the number of these keys. Documents of other
// parameters or scopes are not counted. If the result is not 0, lookups miss
// near-duplicates that share no other key with the probe. The exact hash is always
// followed, since all documents it leads to match. Prepare takes the guard off again.
func (p *Probe) Guard(most int, tables ...*Frozen) (passed int) {
	p.guarded, p.passed = true, p.passed[:0]
	if !p.sized {
		return 0
	}
	for n := range len(p.keys) + p.scheme.blocks {
		about, exactly := 0, 0
		for _, f := range tables {
			about += f.held(p, n, false)
		}
		if about > most {
			for _, f := range tables {
				exactly += f.held(p, n, true)
			}
		}
		p.passed = append(p.passed, exactly > most)
		if exactly > most {
			passed++
		}
	}
	return passed
}

// passes reports whether the guard makes lookups skip the n-th key.
func (p *Probe) passes(n int) bool { return p.guarded && n < len(p.passed) && p.passed[n] }

// held returns the number of documents that have the n-th key of the probe; or, if exactly
// is false, the number of documents in its bucket.
func (f *Frozen) held(p *Probe, n int, exactly bool) (count int) {
	a := f.column.packed.Load()
	if a == nil || f.exact.starts == nil || a.params != p.sig.Params || a.lanes != p.sig.Lanes {
		return 0 // there are no keys to look up
	}
	var key uint64
	var entries []uint32
	switch m := n - len(p.keys); {
	case m < 0:
		key = p.keys[n]
		entries = f.bands[n].of(key)
	case p.sig.Simhash == 0:
		return 0
	case f.masked == nil:
		b := &f.blocks[m]
		bucket, _ := b.split(p.sig.Simhash)
		return int(b.starts[bucket+1] - b.starts[bucket])
	default:
		key = f.masked[m].key(p.sig.Simhash, p.salt)
		entries = f.masked[m].of(key)
	}
	if !exactly {
		return len(entries)
	}
	want, mask := f.tag(key), uint32(1)<<f.docBits-1
	for _, entry := range entries {
		if entry&^mask == want {
			count++
		}
	}
	return count
}

// touch loads the first entries that the lookup will need, all at once. Otherwise each
// would be loaded only after the one before was decided about; at a million documents each
// has to come from memory.
func (f *Frozen) touch(p *Probe) (all uint32) {
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params || f.exact.starts == nil {
		return 0
	}
	all = f.exact.touch(p.exact)
	if !f.hasLanes(p, a) {
		return all
	}
	for n := range f.bands {
		all ^= f.bands[n].touch(p.keys[n])
	}
	for n := range f.blocks {
		b := &f.blocks[n]
		bucket, _ := b.split(p.sig.Simhash)
		if begin, end := b.starts[bucket], b.starts[bucket+1]; begin < end { // a few cache lines
			all ^= uint32(b.entries[begin] ^ b.entries[(begin+end)/2] ^ b.entries[end-1])
		}
	}
	for n := range f.masked {
		t := &f.masked[n]
		all ^= t.touch(t.key(p.sig.Simhash, p.salt))
	}
	return all
}

func (b *buckets) touch(key uint64) uint32 {
	if at := b.starts[b.home(key)]; int(at) < len(b.entries) {
		return b.entries[at]
	}
	return 0
}
