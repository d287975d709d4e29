package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

// Probe is a signature to look up, prepared once for any number of Frozen tables with the
// same rule and Plan. The zero Probe is ready for Prepare.
type Probe struct {
	keys  *Keys
	sig   *signature.Signature
	scope uint64
	own   []uint64 // the keys of sig

	guarded bool
	passed  []bool // keys that are not followed
}

// Prepare makes p look for signatures that meet rule, which must be valid, with s, in one
// scope of tables made with rule and chosen. s is kept, and must not be changed while p is
// used.
func (p *Probe) Prepare(rule signature.Rule, chosen Plan, s *signature.Signature, scope uint64) {
	if k := p.keys; k == nil || k.rule != rule || k.plan != chosen || k.lanes != s.Lanes {
		p.keys = chosen.Keys(rule, s.Lanes)
	}
	p.sig, p.scope, p.guarded = s, scope, false
	p.own = p.keys.append(p.own[:0], s, saltOf(s.Params, scope))
}

// Near yields all documents of the tables whose signatures meet the rule with p's signature,
// each once, in no order, until yield returns false. It returns false if yield did.
//
// It panics if p was not prepared, or a table is nil.
func Near(tables []*Frozen, p *Probe, yield func(table, i int) bool) bool {
	if !p.keys.rule.Long(p.sig) {
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
	if f.tables == nil {
		for i := range f.column.n {
			if f.column.has(i) && f.meets(p, i) && !yield(i) {
				return false
			}
		}
		return true
	}
	var seen decided
	mask := uint32(1)<<f.docBits - 1
	for n, key := range f.keysOf(p, a) {
		if p.passes(n) {
			continue
		}
		if n < len(f.tables) {
			want := f.tag(key)
			for _, entry := range f.tables[n].of(key) {
				if i := int(entry & mask); entry&^mask == want && !seen.has(i) && !f.decide(p, a, &seen, n, i, yield) {
					return false
				}
			}
			continue
		}
		entries, rest := f.blocks[n-len(f.tables)].of(p.sig.Simhash)
		for _, entry := range entries {
			if bits.OnesCount32(uint32(entry>>32)^rest) > p.keys.most {
				continue
			}
			if i := int(uint32(entry)); !seen.has(i) && !f.decide(p, a, &seen, n, i, yield) {
				return false
			}
		}
	}
	return f.nearAll(p, a, yield)
}

// keysOf returns the keys of p that lead to documents: if they have other lanes, the one for
// equal texts alone.
func (f *Frozen) keysOf(p *Probe, a *arrays) []uint64 {
	if p.sig.Lanes != a.lanes {
		return p.own[:1]
	}
	return p.own
}

// decide yields document i, to which the n-th key leads, if it meets the rule and shares no
// earlier key: then it was yielded for that. It returns false if yield did.
func (f *Frozen) decide(p *Probe, a *arrays, seen *decided, n, i int, yield func(i int) bool) bool {
	s := a.at(i)
	if !p.keys.agree(n, &s, p.sig) {
		return true
	}
	seen.add(i)
	// What the guard skips is not found by another test.
	far := n > len(p.keys.bands) && simhash.Distance(s.Simhash, p.sig.Simhash) > p.keys.most
	if far || f.scope(i) != p.scope || !p.keys.rule.Duplicates(&s, p.sig) {
		return true
	}
	return p.shared(n, &s) || yield(i)
}

// shared reports whether s shares one of the first n keys that are followed.
func (p *Probe) shared(n int, s *signature.Signature) bool {
	for i := range min(n, p.keys.count(s)) {
		if !p.passes(i) && p.keys.agree(i, s, p.sig) {
			return true
		}
	}
	return false
}

// decided remembers some of the documents that a lookup has decided about. A near-duplicate
// is found under most of its keys; a remembered document is skipped without a look at its
// signature.
type decided [64]uint32 // document numbers plus 1

func (d *decided) has(i int) bool { return d[uint(i)%uint(len(d))] == uint32(i+1) }
func (d *decided) add(i int)      { d[uint(i)%uint(len(d))] = uint32(i + 1) }

// meets reports whether document i is in the probe's scope and meets the rule.
func (f *Frozen) meets(p *Probe, i int) bool {
	s, ok := f.column.At(i)
	return ok && f.scope(i) == p.scope && p.keys.rule.Duplicates(&s, p.sig)
}

// of returns the entries of the bucket of a key.
func (b *buckets) of(key uint64) []uint32 {
	at := b.home(key)
	return b.entries[b.starts[at]:b.starts[at+1]]
}

// of returns the entries of the bucket of a simhash, and the 32 bits after those of the bucket.
func (b *block) of(h uint64) (entries []uint64, rest uint32) {
	bucket, rest := b.split(h)
	return b.entries[b.starts[bucket]:b.starts[bucket+1]], rest
}

// nearAll compares all simhashes, for rules that need it.
func (f *Frozen) nearAll(p *Probe, a *arrays, yield func(i int) bool) bool {
	if !p.keys.scan || p.sig.Lanes != a.lanes || p.sig.Simhash == 0 {
		return true
	}
	for i, h := range a.simhash {
		if h != 0 && simhash.Distance(h, p.sig.Simhash) <= p.keys.most && f.column.has(i) && f.meets(p, i) {
			if s := a.at(i); !p.shared(len(p.own), &s) && !yield(i) {
				return false
			}
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
	for n := range p.own {
		about, exactly := 0, 0
		for _, f := range tables {
			about += f.held(p, n, false)
		}
		if n > 0 && about > most {
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
	if a == nil || f.tables == nil || a.params != p.sig.Params || n >= len(f.keysOf(p, a)) {
		return 0 // there are no keys to look up
	}
	if n >= len(f.tables) {
		entries, _ := f.blocks[n-len(f.tables)].of(p.sig.Simhash)
		return len(entries)
	}
	key := p.own[n]
	entries := f.tables[n].of(key)
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
	if a == nil || a.params != p.sig.Params || f.tables == nil {
		return 0
	}
	for n, key := range f.keysOf(p, a) {
		if n < len(f.tables) {
			t := &f.tables[n]
			if at := t.starts[t.home(key)]; int(at) < len(t.entries) {
				all ^= t.entries[at]
			}
			continue
		}
		entries, _ := f.blocks[n-len(f.tables)].of(p.sig.Simhash)
		if last := len(entries) - 1; last >= 0 { // a few cache lines
			all ^= uint32(entries[0] ^ entries[(last+1)/2] ^ entries[last])
		}
	}
	return all
}
